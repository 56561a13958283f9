import type { Args, Command } from './command.js';

/** Where the number of keys stands of commands that name it: the keys follow, and may have a destination before it. */
const COUNTED: ReadonlyMap<string, { readonly count: number; readonly destination?: number }> = new Map(
  Object.entries({
    lmpop: { count: 1 },
    zmpop: { count: 1 },
    zunion: { count: 1 },
    zinter: { count: 1 },
    zdiff: { count: 1 },
    zintercard: { count: 1 },
    sintercard: { count: 1 },
    blmpop: { count: 2 },
    bzmpop: { count: 2 },
    eval: { count: 2 },
    evalsha: { count: 2 },
    eval_ro: { count: 2 },
    evalsha_ro: { count: 2 },
    fcall: { count: 2 },
    fcall_ro: { count: 2 },
    zunionstore: { count: 2, destination: 1 },
    zinterstore: { count: 2, destination: 1 },
    zdiffstore: { count: 2, destination: 1 },
  }),
);

/** Commands whose keys stand behind the word STREAMS, followed by as many ids. */
const BEHIND_STREAMS = new Set(['xread', 'xreadgroup']);
/** Commands that may name a key behind STORE (and STOREDIST). */
const STORING = new Set(['sort', 'georadius', 'georadiusbymember']);

/** Where the first key of a command stands, or what is there in its place; `undefined` where nothing is known. */
export function firstKeyPlace(name: string, args: Args): number | undefined {
  const counted = COUNTED.get(name);
  if (counted !== undefined) return counted.destination ?? counted.count + 1;
  if (BEHIND_STREAMS.has(name)) return streamsPlace(name, args);
  // What is to be migrated may stand behind KEYS.
  if (name === 'migrate') return args[3] === '' ? wordPlace(args, 6, 'KEYS') : 3;
  return undefined;
}

/** The keys that a command names, in the order of COMMAND GETKEYS. */
export function keysOf({ name, keys: [first, last, step] }: Command, args: Args): readonly string[] {
  const counted = COUNTED.get(name);
  if (counted !== undefined) {
    const { count, destination } = counted;
    const named = args.slice(count + 1, count + 1 + Math.max(Number(args[count]) || 0, 0));
    return destination === undefined ? named : [args[destination] ?? '', ...named];
  }
  if (BEHIND_STREAMS.has(name)) {
    const begin = streamsPlace(name, args);
    return begin === undefined ? [] : args.slice(begin, begin + Math.floor((args.length - begin) / 2));
  }
  if (name === 'migrate' && args[3] === '') {
    const begin = wordPlace(args, 6, 'KEYS');
    return begin === undefined ? [] : args.slice(begin);
  }
  if (first === 0) return [];
  const end = last < 0 ? args.length + last : last;
  const found: string[] = [];
  for (let index = first; index <= end && index < args.length; index += step) found.push(args[index] ?? '');
  if (STORING.has(name)) {
    const stored = storedPlace(name, args);
    if (stored !== undefined) found.push(args[stored] ?? '');
  }
  return found;
}

/** The place behind the word STREAMS, which may also be the name of a group. */
function streamsPlace(name: string, args: Args): number | undefined {
  return wordPlace(args, name === 'xread' ? 1 : 4, 'STREAMS');
}

function wordPlace(args: Args, from: number, word: string): number | undefined {
  for (let index = from; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    if (arg.length === word.length && arg.toUpperCase() === word) return index + 1;
  }
  return undefined;
}

/** The place behind the last STORE, which wins. */
function storedPlace(name: string, args: Args): number | undefined {
  let place: number | undefined;
  for (let index = 2; index < args.length - 1; index += 1) {
    const word = (args[index] ?? '').slice(0, 10).toUpperCase();
    if (word === 'STORE' || (name !== 'sort' && word === 'STOREDIST')) place = index + 1;
    if (name === 'sort' && word === 'LIMIT') index += 2;
    else if (name === 'sort' && (word === 'GET' || word === 'BY')) index += 1;
  }
  return place;
}
