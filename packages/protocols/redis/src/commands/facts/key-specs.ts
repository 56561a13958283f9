import { optionAt, type Args } from '../args.js';
import type { CommandFacts, KeySpec } from './command-facts.js';
import { parseInteger } from '../../wire/numbers.js';

/** A key among arguments. */
export interface KeyPlace {
  readonly place: number;
  /** What the command does to it, in the words of key specifications. */
  readonly flags: readonly string[];
}

const READ = ['RO', 'access'] as const;
const WRITTEN = ['OW', 'update'] as const;
const CHANGED = ['RW', 'access', 'update'] as const;

/** Whether a command may have keys. */
export function mayHaveKeys({ name, keySpecs }: CommandFacts): boolean {
  return OWN_WAYS.has(name) || keySpecs.some(({ flags }) => !flags.includes('not_key'));
}

/** The keys that a command names, as its key specifications tell, in the order of COMMAND GETKEYS. */
export function keyPlaces({ name, keySpecs }: CommandFacts, args: Args): readonly KeyPlace[] {
  const isReliable = keySpecs.some(isKey) && !keySpecs.some(({ flags }) => flags.includes('variable_flags'));
  const found = isReliable ? bySpecs(keySpecs, args) : undefined;
  return found ?? OWN_WAYS.get(name)?.(args) ?? [];
}

function isKey({ flags }: KeySpec): boolean {
  return !flags.includes('not_key');
}

/** `undefined`: the specifications do not tell. */
function bySpecs(specs: readonly KeySpec[], args: Args): readonly KeyPlace[] | undefined {
  const found: KeyPlace[] = [];
  for (const spec of specs) {
    if (!isKey(spec)) continue;
    if (spec.begin_search.type === 'unknown') return undefined;
    const begin = beginOf(spec, args);
    if (begin === undefined) continue;
    const range = rangeOf(spec, begin, args);
    if (range === undefined) return undefined;
    const { first, last, step } = range;
    if (last >= args.length || last < first || first >= args.length) return undefined;
    const { flags } = spec;
    for (let place = first; place <= last; place += step) found.push({ place, flags });
    if (flags.includes('incomplete')) return undefined;
  }
  return found;
}

function beginOf({ begin_search: { type, spec } }: KeySpec, args: Args): number | undefined {
  if (type === 'index') return spec.index;
  if (type === 'unknown') return undefined;
  const { keyword, startfrom } = spec;
  const isForward = startfrom > 0;
  const start = isForward ? startfrom : args.length + startfrom;
  const end = isForward ? args.length - 1 : 1;
  const step = start <= end ? 1 : -1;
  for (let place = start; place !== end && place >= 1 && place < args.length; place += step)
    if (optionAt(args, place) === keyword) return place + 1;
  return undefined;
}

function rangeOf(
  { find_keys: { type, spec } }: KeySpec,
  begin: number,
  args: Args,
): { readonly first: number; readonly last: number; readonly step: number } | undefined {
  if (type === 'range') {
    const { lastkey, keystep, limit } = spec;
    let last = begin + lastkey;
    if (lastkey < 0)
      last =
        limit === 0 ? args.length + lastkey : begin + Math.floor((args.length - begin) / limit) + lastkey;
    return { first: begin, last, step: keystep };
  }
  if (type === 'unknown') return undefined;
  const count = parseInteger(args[begin + spec.keynumidx] ?? '');
  if (count === undefined || count < 0) return undefined;
  const first = begin + spec.firstkey;
  return { first, last: first + count - 1, step: spec.keystep };
}

/** Where specifications do not tell: what redis-server reads from the arguments. */
const OWN_WAYS: ReadonlyMap<string, (args: Args) => readonly KeyPlace[]> = new Map(
  Object.entries({
    set: (args) => [{ place: 1, flags: hasWord(args, 3, 'GET') ? CHANGED : WRITTEN }],
    bitfield: (args) => [{ place: 1, flags: onlyGets(args) ? READ : CHANGED }],
    sort_ro: () => [{ place: 1, flags: READ }],
    sort: sortPlaces,
    migrate: migratePlaces,
    georadius: radiusPlaces,
    georadiusbymember: radiusPlaces,
    ...behindCount(1, 'lmpop', 'zmpop', 'zunion', 'zinter', 'zdiff', 'zintercard', 'sintercard'),
    ...behindCount(2, 'blmpop', 'bzmpop', 'eval', 'evalsha', 'eval_ro', 'evalsha_ro', 'fcall', 'fcall_ro'),
    zunionstore: storingPlaces,
    zinterstore: storingPlaces,
    zdiffstore: storingPlaces,
    xread: streamPlaces,
    xreadgroup: streamPlaces,
  } satisfies Record<string, (args: Args) => readonly KeyPlace[]>),
);

function hasWord(args: Args, from: number, word: string): boolean {
  return args.some((_, index) => index >= from && optionAt(args, index) === word);
}

function onlyGets(args: Args): boolean {
  for (let index = 2; index < args.length; index += 1) {
    const word = optionAt(args, index);
    const left = args.length - index - 1;
    if (word === 'GET' && left >= 2) index += 2;
    else if (word === 'OVERFLOW' && left >= 1) index += 1;
    else return false;
  }
  return true;
}

function sortPlaces(args: Args): readonly KeyPlace[] {
  let stored: number | undefined;
  for (let index = 2; index < args.length; index += 1) {
    const word = optionAt(args, index);
    if (word === 'LIMIT') index += 2;
    else if (word === 'GET' || word === 'BY') index += 1;
    // The last one wins.
    else if (word === 'STORE' && index + 1 < args.length) stored = index + 1;
  }
  const sorted: KeyPlace = { place: 1, flags: READ };
  return stored === undefined ? [sorted] : [sorted, { place: stored, flags: WRITTEN }];
}

function migratePlaces(args: Args): readonly KeyPlace[] {
  const flags = ['RW', 'access', 'delete'];
  for (let index = 6; index < args.length; index += 1) {
    const word = optionAt(args, index);
    if (word === 'KEYS')
      return args[3] === '' ? args.slice(index + 1).map((_, at) => ({ place: index + 1 + at, flags })) : [];
    if (word === 'AUTH') index += 1;
    else if (word === 'AUTH2') index += 2;
  }
  return [{ place: 3, flags }];
}

function radiusPlaces(args: Args): readonly KeyPlace[] {
  let stored: number | undefined;
  for (let index = 5; index + 1 < args.length; index += 1) {
    const word = optionAt(args, index);
    if (word !== 'STORE' && word !== 'STOREDIST') continue;
    stored = index + 1;
    index += 1;
  }
  const places = stored === undefined ? [1] : [1, stored];
  return places.map((place) => ({ place, flags: [] }));
}

function behindCount(
  at: number,
  ...names: readonly string[]
): Readonly<Record<string, (args: Args) => readonly KeyPlace[]>> {
  return Object.fromEntries(names.map((name) => [name, (args: Args) => counted(args, at)]));
}

function counted(args: Args, at: number): readonly KeyPlace[] {
  const count = parseInt(args[at] ?? '', 10) || 0;
  if (count < 1 || count > args.length - at - 1) return [];
  return Array.from({ length: count }, (_, index) => ({ place: at + 1 + index, flags: [] }));
}

function storingPlaces(args: Args): readonly KeyPlace[] {
  const sources = counted(args, 2);
  return sources.length === 0 ? [] : [...sources, { place: 1, flags: [] }];
}

function streamPlaces(args: Args): readonly KeyPlace[] {
  for (let index = 1; index < args.length; index += 1) {
    const word = optionAt(args, index);
    if (word === 'BLOCK' || word === 'COUNT') index += 1;
    else if (word === 'GROUP') index += 2;
    else if (word === 'STREAMS') {
      const count = args.length - index - 1;
      if (count % 2 !== 0) return [];
      return Array.from({ length: count / 2 }, (_, at) => ({ place: index + 1 + at, flags: [] }));
    } else if (word !== 'NOACK') return [];
  }
  return [];
}
