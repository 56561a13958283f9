import { once } from 'node:events';
import { createGzip } from 'node:zlib';
import type { Host, Kind } from '@backlot/core';
import { nextTurn, Slice } from '@backlot/core/plugin';
import { configurationLines } from './configuration.js';
import { FORMAT, LONGEST, MOST_DATA, VERSION, type FlightHeader, type FlightLine } from './format.js';
import { redactedLine } from './redact.js';

/** A line that is known to be longer than what is written, and what it would be. */
interface TooLong {
  readonly too_long: string;
}

/** How a recording is made. */
export interface SaveOptions {
  /** Why it is made, for who opens it. */
  readonly reason: string;
  /** Whether secrets stay in it. */
  readonly withSecrets?: boolean;
}

/**
 * Makes a recording of a host: what runs, what was done to it, the time, the seed and the log, as gzip of lines of JSON. It is
 * made as it is read, in slices, and never held whole.
 */
export async function* saveFlight(
  host: Host,
  { reason, withSecrets = false }: SaveOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const gzip = createGzip();
  const writing = writeLines(host, reason, withSecrets, gzip);
  writing.catch((error: unknown) => gzip.destroy(error as Error));
  try {
    for await (const chunk of gzip) yield chunk as Uint8Array;
    await writing;
  } finally {
    gzip.destroy();
  }
}

async function writeLines(
  host: Host,
  reason: string,
  withSecrets: boolean,
  gzip: ReturnType<typeof createGzip>,
): Promise<void> {
  const slice = new Slice();
  const pause = async (): Promise<void> => {
    if (!slice.isOver) return;
    await nextTurn();
    slice.restart();
  };
  let count = 0;
  const leftOut = new Map<string, number>();
  const leaveOut = (what: string): void => {
    const left = `${what} of more than ${LONGEST} characters`;
    leftOut.set(left, (leftOut.get(left) ?? 0) + 1);
  };
  const write = async (line: object): Promise<void> => {
    let text: string;
    if (withSecrets) text = JSON.stringify(line);
    else {
      const steps = redactedLine(line);
      let step = steps.next();
      for (; step.done !== true; step = steps.next()) await pause();
      text = step.value;
    }
    if (text.length > LONGEST) {
      leaveOut(Object.keys(line)[0] ?? 'line');
      return;
    }
    count += 1;
    if (!gzip.write(`${text}\n`)) await once(gzip, 'drain');
    await pause();
  };
  await write(headerOf(host, reason, withSecrets));
  for (const line of flightLines(host)) {
    if (line === undefined) await pause();
    else if ('too_long' in line) leaveOut(line.too_long);
    else await write(line);
  }
  for (const [what, times] of leftOut) await write({ left_out: `${times} ${what}` });
  gzip.end(`${JSON.stringify({ end: count })}\n`);
}

function headerOf(host: Host, reason: string, hasSecrets: boolean): FlightHeader {
  const { now, frozen } = host.clock.view();
  return {
    format: FORMAT,
    version: VERSION,
    backlot: host.version,
    reason,
    seed: host.seed,
    clock: { now, frozen },
    has_secrets: hasSecrets,
    kinds: host.kinds.flatMap(({ kind, enabled, protocol, url }) =>
      enabled ? [{ kind, title: protocol.meta.title, ...(url === undefined ? {} : { url }) }] : [],
    ),
  };
}

/** All lines behind the header but for the last; nothing where others may be let in. */
function* flightLines(host: Host): Generator<FlightLine | TooLong | undefined, void, undefined> {
  yield* configurationLines(host.configuration());
  for (const [kind, fault] of Object.entries(host.faults.all())) yield { fault: kind, value: fault };
  yield* incidentLines(host);
  for (const kind of host.kinds) if (kind.enabled) yield* kindLines(kind);
  // Each is rendered when it is written: an entry that is dropped meanwhile is held by this list.
  for (const item of host.journal.items()) yield { entry: item.render() };
}

function* incidentLines({ incidents, clock }: Host): Generator<FlightLine, void, undefined> {
  const now = Date.parse(clock.view().now);
  for (const { name, running } of incidents.list()) {
    if (running === undefined) continue;
    const began = Date.parse(running.began_at);
    const whole = Date.parse(running.ends_at) - began;
    const elapsed = Math.min(Math.max(now - began, 0), whole - 1);
    yield { incident: name, value: { ...running.fields, for: `${whole}ms` }, elapsed };
  }
}

function* kindLines(kind: Kind): Generator<FlightLine | TooLong | undefined, void, undefined> {
  for (const [mock, count] of kind.calls.counts()) yield { calls: [kind.kind, mock], count };
  for (const item of kind.captures?.items() ?? []) {
    // One that would be left out is not made for it.
    const { texts } = item.readPieces();
    const length = Object.values(texts).reduce((sum, text) => sum + text.length, 0);
    yield length > LONGEST ? { too_long: 'captured' } : { captured: kind.kind, value: item.read() };
  }
  if (kind.service === undefined) return;
  for (const section of kind.data.sections) {
    if (kind.protocol.data?.[section]?.put === undefined) {
      const size = kind.data.size(section);
      if (size > 0) yield { left_out: `${kind.kind} ${section} (${size}): only clients make them` };
      continue;
    }
    let count = 0;
    for (const entry of kind.data.entries(section)) {
      if (count >= MOST_DATA) {
        yield { left_out: `${kind.kind} ${section} beyond the first ${MOST_DATA}` };
        break;
      }
      count += 1;
      const value = entry.read();
      yield value === undefined ? undefined : { data: [kind.kind, section], value };
    }
  }
}
