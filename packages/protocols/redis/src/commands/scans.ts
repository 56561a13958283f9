import { Glob } from '../data/glob.js';
import type { Places } from '../data/places.js';
import type { SortedSetValue } from '../data/sorted-set-value.js';
import { typeOf } from '../data/value.js';
import { ERRORS, fail } from '../wire/errors.js';
import { joinReplies, type Encoded } from '../wire/long-reply.js';
import { encodingOf } from '../data/encoding.js';
import { formatScore } from '../wire/numbers.js';
import { bulk } from '../wire/reply.js';
import { at, keyless, onKey, optionAt, toInteger, type Args, type Command } from './command.js';
import { readGlob } from './globs.js';
import { BULKS, FIELDS, gatherMatches, listHead, STEP } from './work.js';

const DEFAULT_COUNT = 10;
/** A collection of so many members is given in one step, as Redis gives its compact ones. */
const MAX_AT_ONCE = 512;
const ALL = new Glob('*');

/** The commands that go through keys and elements in steps (redis.io, command page of SCAN). */
export const SCAN_COMMANDS: readonly Command[] = [
  keyless('scan', -2, 'r', function* (args, { database }) {
    const cursor = readCursor(args[1]);
    const { glob, type, count } = readOptions(args, 2, true);
    const seen: string[] = [];
    const next = yield* database.scan(cursor, count, (key, value) => {
      if (type === undefined || typeOf(value) === type) seen.push(key);
    });
    return showStep(next, yield* gatherMatches(listHead, seen, glob, (key) => key, BULKS));
  }),
  onKey('hscan', -3, 'r', function* (args, { database }) {
    const cursor = readCursor(args[2]);
    const options = readOptions(args, 3, false);
    const hash = database.hash(at(args, 1));
    if (hash === undefined) return NOTHING;
    const { names, next } = yield* stepThrough(hash, hash.fields.keys(), cursor, options);
    const fields = pairsOf(names, (field) => hash.fields.get(field) ?? '');
    return showStep(next, yield* gatherMatches(pairHead, fields, options.glob, ([field]) => field, FIELDS));
  }),
  onKey('sscan', -3, 'r', function* (args, { database }) {
    const cursor = readCursor(args[2]);
    const options = readOptions(args, 3, false);
    const set = database.set(at(args, 1));
    if (set === undefined) return NOTHING;
    const { names, next } = yield* stepThrough(set, set.members, cursor, options);
    return showStep(next, yield* gatherMatches(listHead, names, options.glob, (member) => member, BULKS));
  }),
  onKey('zscan', -3, 'r', function* (args, { database }) {
    const cursor = readCursor(args[2]);
    const options = readOptions(args, 3, false);
    const set = database.sortedSet(at(args, 1));
    if (set === undefined) return NOTHING;
    const { names, next } = yield* stepThrough(set, membersOf(set), cursor, options);
    // A small one keeps integers as such.
    const show = encodingOf(set) === 'listpack' ? formatPacked : formatScore;
    const entries = pairsOf(names, (member) => show(set.score(member) ?? 0));
    return showStep(
      next,
      yield* gatherMatches(pairHead, entries, options.glob, ([member]) => member, FIELDS),
    );
  }),
];

const NOTHING = '*2\r\n$1\r\n0\r\n*0\r\n';

interface ScanOptions {
  readonly glob: Glob;
  readonly count: number;
  readonly type: string | undefined;
}

function readCursor(text: string | undefined): number {
  return text !== undefined && /^\d{1,20}$/.test(text) ? Number(text) : fail(ERRORS.cursor);
}

function readOptions(args: Args, first: number, mayNameType: boolean): ScanOptions {
  let glob = ALL;
  let type: string | undefined;
  let count = DEFAULT_COUNT;
  for (let index = first; index < args.length; index += 2) {
    const option = optionAt(args, index);
    if (index + 1 >= args.length) fail(ERRORS.syntax);
    if (option === 'MATCH') glob = readGlob(at(args, index + 1));
    else if (option === 'COUNT') {
      count = toInteger(args[index + 1]);
      if (count < 1) fail(ERRORS.syntax);
    } else if (option === 'TYPE' && mayNameType) type = optionAt(args, index + 1).toLowerCase();
    else fail(ERRORS.syntax);
  }
  return { glob, count, type };
}

interface ScanStep {
  readonly names: Iterable<string>;
  /** The cursor of the next step; 0 after the last. */
  readonly next: number;
}

/** One step through the members of a collection; see {@link Places}. */
function* stepThrough(
  { size, places }: { readonly size: number; readonly places: Places },
  all: Iterable<string>,
  cursor: number,
  { count }: ScanOptions,
): Generator<undefined, ScanStep> {
  if (cursor === 0 && size <= MAX_AT_ONCE) return { names: all, next: 0 };
  yield* places.lay();
  const names: string[] = [];
  let place = cursor === 0 ? size : Math.min(cursor, size);
  for (let left = count; left > 0 && place > 0; left -= 1) {
    place -= 1;
    names.push(places.at(place) ?? '');
    if (place % STEP === 0) yield;
  }
  return { names, next: place };
}

function showStep(next: number, found: Encoded): Encoded {
  return joinReplies(`*2\r\n${bulk(String(next))}`, [found]);
}

function pairHead(count: number): string {
  return listHead(2 * count);
}

function* pairsOf(
  names: Iterable<string>,
  valueOf: (name: string) => string,
): Generator<readonly [name: string, value: string], void> {
  for (const name of names) yield [name, valueOf(name)];
}

function* membersOf(set: SortedSetValue): Generator<string, void> {
  for (const { member } of set.range(0, set.size)) yield member;
}

function formatPacked(score: number): string {
  return Number.isInteger(score) && Math.abs(score) < 2 ** 63 ? String(BigInt(score)) : formatScore(score);
}
