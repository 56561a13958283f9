import { HashValue, MAX_TIMED } from '../data/hash-value.js';
import type { DumpBounds } from './dump-bounds.js';
import { badFormat, type DumpReader } from './dump-reader.js';
import { ListpackReader } from './listpack.js';

/** Fields between which others may be let in, and the memory is asked for. */
const STEP = 64;
/** The latest moment, in milliseconds since 1970. */
const MAX_MOMENT = 2 ** 46 - 1;

/** A hash of which fields expire: each comes behind how much later than the first it does, counted from 1; 0: never. */
export function* readTimedHash(reader: DumpReader, bounds: DumpBounds): Generator<undefined, HashValue> {
  const first = Number(reader.integer(8));
  const hash = new HashValue();
  for (let left = reader.count(); left > 0; left -= 1) {
    const later = Number(reader.number());
    const field = yield* reader.text();
    add(hash, field, yield* reader.text(), later === 0 ? 0 : first + later - 1);
    if (left % STEP === 0) {
      bounds.check(hash.bytes);
      yield;
    }
  }
  return finish(hash, bounds);
}

/** The same, packed: a field, its value, and the moment at which it expires; 0: never. */
export function* readTimedListpack(bytes: string, bounds: DumpBounds): Generator<undefined, HashValue> {
  const pack = new ListpackReader(bytes, badFormat);
  const hash = new HashValue();
  while (!pack.isAtEnd) {
    const field = pack.next();
    const value = pack.isAtEnd ? badFormat() : pack.next();
    const moment = pack.isAtEnd ? badFormat() : pack.next();
    add(hash, field, value, /^\d{1,15}$/.test(moment) ? Number(moment) : badFormat());
    if (hash.size % STEP === 0) {
      bounds.check(hash.bytes);
      yield;
    }
  }
  return finish(hash, bounds);
}

function add(hash: HashValue, field: string, value: string, moment: number): void {
  if (!hash.set(field, value) || moment > MAX_MOMENT || hash.timed >= MAX_TIMED) badFormat();
  if (moment > 0) hash.expireField(field, moment);
}

function finish(hash: HashValue, bounds: DumpBounds): HashValue {
  bounds.check(hash.bytes);
  return hash.size === 0 ? badFormat() : hash;
}
