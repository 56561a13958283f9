import { MIN_ID, type StreamId } from '../../data/by-id.js';
import type { Consumer, Pending, StreamGroup } from '../../data/stream-group.js';
import type { StreamEntry, StreamValue } from '../../data/stream-value.js';
import type { Session } from '../../session.js';
import { ERRORS, fail } from '../../wire/errors.js';
import { Pages, type Encoded } from '../../wire/long-reply.js';
import { bulk } from '../../wire/reply.js';
import { at, onKey, optionAt, toInteger, type Args, type Command } from '../command.js';
import { listHead, STEP } from '../work.js';
import { arrayOf, encodeEntry, ENTRIES } from './entries.js';
import { groupOf } from './groups.js';
import { bulkId, formatId, parseId, readId, readStart } from './ids.js';

/** XAUTOCLAIM looks at so many entries for each that it may give. */
const ATTEMPTS = 10;

/** The commands that give pending entries to other consumers (redis.io, command pages of XCLAIM and XAUTOCLAIM). */
export const CLAIM_COMMANDS: readonly Command[] = [
  onKey('xclaim', -6, 'w', claim),
  onKey('xautoclaim', -6, 'w', claimIdle),
];

interface Claim {
  /** Who gets it: one that is not there is made once it gets something. */
  readonly consumer: () => Consumer;
  readonly deliveredAt: number;
  /** How often it counts as delivered; `undefined`: once more than before. */
  readonly deliveries: number | undefined;
  /** Whether only ids are given, and nothing counts as delivered. */
  readonly isBare: boolean;
}

interface ClaimOptions {
  readonly deliveredAt: number;
  readonly deliveries: number | undefined;
  readonly isForced: boolean;
  readonly isBare: boolean;
  readonly lastId: StreamId;
}

function* claim(args: Args, { database }: Session): Generator<undefined, Encoded> {
  const { stream, group } = groupOf(database, at(args, 1), at(args, 2));
  const now = database.now();
  const idle = toInteger(args[4], 'ERR Invalid min-idle-time argument for XCLAIM');
  const ids: StreamId[] = [];
  for (let index = 5; index < args.length; index += 1) {
    const id = parseId(at(args, index));
    if (id === undefined) break;
    ids.push(id);
    if (index % STEP === 0) yield;
  }
  const options = readOptions(args, 5 + ids.length, now);
  if (options.lastId > group.lastId) group.lastId = options.lastId;
  const wanted = { ...options, consumer: () => group.see(at(args, 3), now) };
  const claimed = new Claimed(options.isBare);
  for (const [index, id] of ids.entries()) {
    if (index % STEP === STEP - 1) yield;
    const entry = stream.entries.get(id);
    if (entry === undefined) group.acknowledge(id);
    else if (mayClaim(group, entry, wanted, options.isForced, idle, now)) claimed.add(entry);
  }
  database.changed(at(args, 1));
  return claimed.reply();
}

function mayClaim(
  group: StreamGroup,
  { id }: StreamEntry,
  wanted: Claim,
  isForced: boolean,
  idle: number,
  now: number,
): boolean {
  const known = group.pending.get(id);
  if (known === undefined && !isForced) return false;
  if (known !== undefined && idle > 0 && now - known.deliveredAt < idle) return false;
  const pending = known ?? { id, consumer: wanted.consumer(), deliveredAt: now, deliveries: 1 };
  if (known === undefined) group.insert(pending);
  take(group, pending, wanted);
  return true;
}

function take(
  group: StreamGroup,
  pending: Pending,
  { consumer, deliveredAt, deliveries, isBare }: Claim,
): void {
  group.assign(pending, consumer());
  pending.deliveredAt = deliveredAt;
  if (deliveries !== undefined) pending.deliveries = deliveries;
  else if (!isBare) pending.deliveries += 1;
}

function readOptions(args: Args, first: number, now: number): ClaimOptions {
  let deliveredAt: number | undefined;
  let deliveries: number | undefined;
  let isForced = false;
  let isBare = false;
  let lastId: StreamId = MIN_ID;
  for (let index = first; index < args.length; index += 1) {
    const option = optionAt(args, index);
    const isLast = index + 1 >= args.length;
    if (option === 'FORCE') isForced = true;
    else if (option === 'JUSTID') isBare = true;
    else if (isLast || !['IDLE', 'TIME', 'RETRYCOUNT', 'LASTID'].includes(option))
      fail(`ERR Unrecognized XCLAIM option '${at(args, index)}'`);
    else {
      index += 1;
      if (option === 'LASTID') {
        lastId = readId(at(args, index));
        continue;
      }
      const value = toInteger(args[index], `ERR Invalid ${option} option argument for XCLAIM`);
      if (option === 'IDLE') deliveredAt = now - value;
      else if (option === 'TIME') deliveredAt = value;
      else deliveries = value < 0 ? undefined : value;
    }
  }
  const isSane = deliveredAt !== undefined && deliveredAt >= 0 && deliveredAt <= now;
  return { deliveredAt: isSane ? (deliveredAt ?? now) : now, deliveries, isForced, isBare, lastId };
}

function* claimIdle(args: Args, { database }: Session): Generator<undefined, Encoded> {
  const idle = toInteger(args[4], 'ERR Invalid min-idle-time argument for XAUTOCLAIM');
  const start = readStart(at(args, 5));
  const { count, isBare } = readIdleOptions(args);
  const { stream, group } = groupOf(database, at(args, 1), at(args, 2));
  const now = database.now();
  const consumer = (): Consumer => group.see(at(args, 3), now);
  const wanted = { consumer, deliveredAt: now, deliveries: undefined, isBare };
  const claimed = new Claimed(isBare);
  const { deleted, next } = yield* goThrough(stream, group, wanted, { start, count, idle, now }, claimed);
  database.changed(at(args, 1));
  return arrayOf([bulk(formatId(next)), claimed.reply(), deleted.reply()]);
}

interface Search {
  readonly start: StreamId;
  readonly count: number;
  readonly idle: number;
  readonly now: number;
}

function* goThrough(
  stream: StreamValue,
  group: StreamGroup,
  wanted: Claim,
  { start, count, idle, now }: Search,
  claimed: Claimed,
): Generator<undefined, { readonly deleted: Claimed; readonly next: StreamId }> {
  const deleted = new Claimed(true);
  const { pending: list } = group;
  let place = list.placeOf(start);
  for (let attempts = count * ATTEMPTS, left = count; attempts > 0 && left > 0; attempts -= 1) {
    const pending = list.at(place);
    if (pending === undefined) break;
    if (attempts % STEP === 0) yield;
    const entry = stream.entries.get(pending.id);
    if (entry === undefined) {
      group.acknowledge(pending.id);
      deleted.add(pending);
      left -= 1;
      continue;
    }
    place += 1;
    if (idle > 0 && now - pending.deliveredAt < idle) continue;
    take(group, pending, wanted);
    claimed.add(entry);
    left -= 1;
  }
  return { deleted, next: list.at(place)?.id ?? MIN_ID };
}

function readIdleOptions(args: Args): { readonly count: number; readonly isBare: boolean } {
  let count = 100;
  let isBare = false;
  for (let index = 6; index < args.length; index += 1) {
    const option = optionAt(args, index);
    if (option === 'COUNT' && index + 1 < args.length) {
      index += 1;
      count = toInteger(args[index], 'ERR COUNT must be > 0');
      if (count < 1 || count > Number.MAX_SAFE_INTEGER / ATTEMPTS) fail('ERR COUNT must be > 0');
    } else if (option === 'JUSTID') isBare = true;
    else fail(ERRORS.syntax);
  }
  return { count, isBare };
}

/** What was claimed, as an answer. */
class Claimed {
  readonly #isBare: boolean;
  readonly #pages: Pages<{ readonly id: StreamId } | StreamEntry>;

  constructor(isBare: boolean) {
    this.#isBare = isBare;
    this.#pages = new Pages((item) => (!isBare && 'fields' in item ? ENTRIES.weigh(item) : 64));
  }

  add(item: { readonly id: StreamId } | StreamEntry): void {
    this.#pages.add(item);
  }

  reply(): Encoded {
    return this.#pages.reply(listHead(this.#pages.count), (item) =>
      !this.#isBare && 'fields' in item ? encodeEntry(item) : bulkId(item.id),
    );
  }
}
