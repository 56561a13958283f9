import { signal } from '@preact/signals';
import { space } from './address.js';
import { ApiError, api, readEvents } from './api.js';
import { rowIdOf, rowOf, type Entry, type Row } from './entries.js';

/** How many rows are kept. */
export const MAX_ROWS = 20_000;
/** How many are dropped at once, so that not each new row moves all others. */
const DROPPED = 1000;
/** How many are asked for at the start. */
const FIRST = 1000;
/** How many come a second over time, more than anybody can read; the server counts the others. */
const RATE = 200;
/** How many come at once when it was quiet, such as those of a test. */
const BURST = 500;

/** The rows in the order in which they came. It is one array that changes; {@link version} says when. */
export const rows: Row[] = [];
/** Changes with the rows, once a frame at most. */
export const version = signal(0);
/** Whether new rows are shown. */
export const isPaused = signal(false);
/** `live`, or why nothing comes. */
export const link = signal<'connecting' | 'live' | 'lost'>('connecting');
/** How many entries the server has not sent, since there were too many at once. */
export const skipped = signal(0);
/** How many rows have come since it was paused. */
export const held = signal(0);

let isAsked = false;
/** How many rows there were. */
let count = 0;
const waiting: Row[] = [];

function flush(): void {
  isAsked = false;
  if (isPaused.value || waiting.length === 0) return;
  rows.push(...waiting.splice(0));
  held.value = 0;
  if (rows.length > MAX_ROWS) rows.splice(0, rows.length - MAX_ROWS + DROPPED);
  version.value += 1;
}

function add(entries: readonly Entry[], isJoined = false): void {
  for (const entry of entries) waiting.push(rowOf(entry, (count += 1), isJoined));
  if (waiting.length > MAX_ROWS) waiting.splice(0, waiting.length - MAX_ROWS);
  if (isPaused.value) held.value = waiting.length;
  if (isAsked) return;
  isAsked = true;
  requestAnimationFrame(flush);
}

/** Shows rows as they come, or keeps them until it is called again. */
export function setPaused(value: boolean): void {
  isPaused.value = value;
  if (!value) flush();
}

/** Forgets all rows; the log of the server stays. */
export function clearRows(): void {
  rows.length = 0;
  waiting.length = 0;
  held.value = 0;
  skipped.value = 0;
  version.value += 1;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Why the log cannot be followed any more: the space that is shown is gone. */
export const ended = signal('');

/**
 * Follows the log: what there is, then what comes; it connects again by itself, until a token is needed or the space that is shown is gone.
 *
 * @param stop - ends it
 */
export async function follow(stop: AbortSignal): Promise<void> {
  let last: string | undefined;
  ended.value = '';
  while (!stop.aborted) {
    try {
      if (last === undefined) {
        let place: string | undefined;
        const onAfter = (given: string): void => void (place = given);
        const found = await api<Entry[]>(`/api/logs?limit=${FIRST}`, { signal: stop, onAfter });
        add(found);
        last = place ?? found.at(-1)?.id ?? '0';
      }
      link.value = 'live';
      await readEvents(
        `/api/logs/stream?rate=${RATE}&burst=${BURST}&after=${encodeURIComponent(last)}`,
        stop,
        (events) => {
          const entries: Entry[] = [];
          for (const { event, id, data } of events) {
            if (event === 'message') entries.push(JSON.parse(data) as Entry);
            else skipped.value += (JSON.parse(data) as { count: number }).count;
            last = id ?? last;
          }
          add(entries);
        },
      );
    } catch (thrown) {
      if (stop.aborted) return;
      if (isRefused(thrown)) {
        link.value = 'lost';
        return;
      }
      if (thrown instanceof ApiError && thrown.status === 404 && space.value !== '') {
        link.value = 'lost';
        ended.value = thrown.message;
        return;
      }
      // Ids begin anew with a new server.
      if (thrown instanceof ApiError && thrown.status === 400) last = undefined;
    }
    link.value = 'lost';
    await pause(1000);
  }
}

/** An id may come again with a new space of the same name. */
function keyOf(entry: Entry): string {
  return `${rowIdOf(entry, true)} ${entry.timestamp}`;
}

function isRefused(thrown: unknown): boolean {
  return thrown instanceof ApiError && thrown.status === 401;
}

/** As {@link follow}, of the main world and all spaces together: their ids say nothing of what was missed, so all is asked for again. */
export async function followAll(stop: AbortSignal): Promise<void> {
  ended.value = '';
  while (!stop.aborted) {
    try {
      const known = new Set<string>();
      await readEvents(
        `/api/logs/stream?space=&rate=${RATE}&burst=${BURST}`,
        stop,
        (events) => {
          const entries: Entry[] = [];
          for (const { event, data } of events) {
            if (event !== 'message') skipped.value += (JSON.parse(data) as { count: number }).count;
            else entries.push(JSON.parse(data) as Entry);
          }
          add(known.size === 0 ? entries : entries.filter((each) => !known.delete(keyOf(each))), true);
        },
        async () => {
          const found = await api<Entry[]>(`/api/logs?limit=${FIRST}&space=`, { signal: stop });
          clearRows();
          for (const each of found) known.add(keyOf(each));
          add(found, true);
          link.value = 'live';
        },
      );
    } catch (thrown) {
      if (stop.aborted) return;
      if (isRefused(thrown)) {
        link.value = 'lost';
        return;
      }
    }
    link.value = 'lost';
    await pause(1000);
  }
}
