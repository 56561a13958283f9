import type { Command } from '../command.js';
import type { CommandDocs, CommandFacts, KeySpec } from './command-facts.js';

/** What is told of a command that redis-server 7.0 does not have, beside what its entry in the table says. */
interface Added {
  readonly summary: string;
  readonly since: string;
  readonly group: string;
  /** The category of its group, where that is one. */
  readonly category?: string;
  readonly isFast?: boolean;
  /** What it does to its keys. */
  readonly keyFlags?: readonly string[];
}

const CLIENT = { group: 'connection', category: '@connection' } as const;
const SENTINEL = { group: 'sentinel', since: '2.8.4' } as const;

const FIELDS = { group: 'hash', category: '@hash', since: '7.4.0', isFast: true } as const;
const TELLS = { ...FIELDS, keyFlags: ['RO', 'access'] } as const;
const SETS = { ...FIELDS, keyFlags: ['RW', 'update'] } as const;
const LIVES = { ...SETS, since: '8.0.0' } as const;

const ADDED = new Map<string, Added>(
  Object.entries({
    'client|setinfo': { ...CLIENT, since: '7.2.0', summary: 'Sets the name or the version of the library' },
    'client|no-touch': { ...CLIENT, since: '7.2.0', summary: 'Taken, and changes nothing here' },
    'client|maint_notifications': { ...CLIENT, since: '8.0.0', summary: 'Taken, and changes nothing here' },
    hexpire: { ...SETS, summary: 'Sets how many seconds fields live' },
    hpexpire: { ...SETS, summary: 'Sets how many milliseconds fields live' },
    hexpireat: { ...SETS, summary: 'Sets the second at which fields expire' },
    hpexpireat: { ...SETS, summary: 'Sets the millisecond at which fields expire' },
    httl: { ...TELLS, summary: 'Tells how many seconds fields live' },
    hpttl: { ...TELLS, summary: 'Tells how many milliseconds fields live' },
    hexpiretime: { ...TELLS, summary: 'Tells the second at which fields expire' },
    hpexpiretime: { ...TELLS, summary: 'Tells the millisecond at which fields expire' },
    hpersist: { ...SETS, summary: 'Makes fields live on' },
    hgetdel: {
      ...LIVES,
      keyFlags: ['RW', 'access', 'delete'],
      summary: 'Gives the values of fields and removes them',
    },
    hgetex: { ...LIVES, summary: 'Gives the values of fields and sets how long they live' },
    hsetex: { ...LIVES, summary: 'Sets fields and how long they live' },
    sentinel: { ...SENTINEL, summary: 'A container for Redis Sentinel commands' },
    'sentinel|get-master-addr-by-name': { ...SENTINEL, summary: 'Tells the address of the master' },
    'sentinel|masters': { ...SENTINEL, summary: 'Lists the one master' },
    'sentinel|master': { ...SENTINEL, summary: 'Describes the master' },
    'sentinel|sentinels': { ...SENTINEL, summary: 'Lists the other sentinels, of which there are none' },
    'sentinel|replicas': { ...SENTINEL, summary: 'Lists the replicas, of which there are none' },
    'sentinel|slaves': { ...SENTINEL, summary: 'Lists the replicas, of which there are none' },
    'sentinel|ckquorum': { ...SENTINEL, summary: 'Tells whether the sentinels are enough' },
    'sentinel|myid': { ...SENTINEL, summary: 'Tells the id of the sentinel' },
  }),
);

/** The names of these commands. */
export const ADDED_NAMES: readonly string[] = [...ADDED.keys()];

const FLAG_WORDS: readonly (readonly [letter: string, word: string])[] = [
  ['w', 'write'],
  ['r', 'readonly'],
  ['m', 'denyoom'],
  ['a', 'admin'],
  ['p', 'pubsub'],
  ['b', 'blocking'],
  ['l', 'loading'],
  ['n', 'no_multi'],
  ['u', 'no_auth'],
];

/** Categories that follow from flags, as in redis-server. */
const CATEGORIES: readonly (readonly [letter: string, categories: readonly string[]])[] = [
  ['w', ['@write']],
  ['r', ['@read']],
  ['a', ['@admin', '@dangerous']],
  ['p', ['@pubsub']],
  ['b', ['@blocking']],
];

/** What COMMAND tells of a command that redis-server 7.0 does not have. */
export function addedFacts(
  { name, arity, flags, keys }: Pick<Command, 'name' | 'arity' | 'flags' | 'keys'>,
  subcommands: readonly CommandFacts[],
): CommandFacts {
  const added = ADDED.get(name);
  const words = FLAG_WORDS.filter(([letter]) => flags.includes(letter)).map(([, word]) => word);
  const follow = CATEGORIES.filter(([letter]) => flags.includes(letter)).flatMap(([, some]) => some);
  const own = added?.category === undefined ? [] : [added.category];
  return {
    name,
    arity,
    flags: added?.isFast === true ? [...words, 'fast'] : words,
    keys,
    categories: [...follow, ...own, added?.isFast === true ? '@fast' : '@slow'],
    tips: [],
    keySpecs: keys[0] === 0 ? [] : [specOf(keys, added?.keyFlags ?? [])],
    subcommands,
  };
}

/** What COMMAND DOCS tells of a command that redis-server 7.0 does not have. */
export function addedDocs(name: string): CommandDocs | undefined {
  const added = ADDED.get(name);
  if (added === undefined) return undefined;
  const { summary, since, group } = added;
  return { summary, since, group };
}

function specOf([index, last, keystep]: Command['keys'], flags: readonly string[]): KeySpec {
  const lastkey = last < 0 ? last : last - index;
  return {
    flags,
    begin_search: { type: 'index', spec: { index } },
    find_keys: { type: 'range', spec: { lastkey, keystep, limit: 0 } },
  };
}
