import { fail, wrongArity } from '../wire/errors.js';
import { fromWire } from '../wire/text.js';
import { aclCommands } from './acl-commands.js';
import { BIT_FIELD_COMMANDS } from './bits/bit-fields.js';
import { BIT_OPERATION_COMMANDS } from './bits/bit-operations.js';
import { BIT_RANGE_COMMANDS } from './bits/bit-ranges.js';
import { BLOCKING_COMMANDS } from './blocking.js';
import { CLIENT_COMMANDS } from './client-commands.js';
import { at, keyless, type Args, type Command } from './command.js';
import { commandCommands } from './command-commands.js';
import { CLUSTER_COMMANDS } from './cluster/cluster-commands.js';
import { slotOf } from './cluster/key-slot.js';
import { SENTINEL_COMMANDS } from './cluster/sentinel-commands.js';
import { CONNECTION_COMMANDS } from './connection.js';
import { BIT_COMMANDS, COUNTER_COMMANDS } from './counters.js';
import { DUMP_COMMANDS } from './dumps.js';
import { EXPIRY_COMMANDS } from './expiry.js';
import { FUNCTION_COMMANDS } from './functions.js';
import { GEO_COMMANDS } from './geo/geo-commands.js';
import { HASH_EXPIRY_COMMANDS } from './hash-expiry.js';
import { HASH_FIELD_LIFE_COMMANDS } from './hash-field-life.js';
import { HASH_COMMANDS } from './hashes.js';
import { HYPER_LOG_LOG_COMMANDS } from './hyper-log-logs.js';
import { FactBook } from './facts/fact-book.js';
import { firstKeyPlace, keysOf } from './key-places.js';
import { IDLE_COMMANDS } from './idle-commands.js';
import { KEY_COMMANDS } from './keys.js';
import { LIST_COMMANDS } from './lists.js';
import { LONGEST_COMMON_COMMANDS } from './longest-common.js';
import { MEMORY_COMMANDS } from './memory.js';
import { PUB_SUB_COMMANDS } from './pub-sub.js';
import { SCAN_COMMANDS } from './scans.js';
import { SCRIPTING_COMMANDS } from './scripting.js';
import { answerContainer, SERVER_COMMANDS } from './server-commands.js';
import { SET_COMMANDS } from './sets.js';
import { SORTED_SET_ALGEBRA_COMMANDS } from './sorted-set-algebra.js';
import { SORTED_SET_POP_COMMANDS } from './sorted-set-pops.js';
import { SORTED_SET_RANGE_COMMANDS } from './sorted-set-ranges.js';
import { SORTED_SET_COMMANDS } from './sorted-sets.js';
import { SORT_COMMANDS } from './sort/sort.js';
import { STREAM_COMMAND_GROUPS } from './streams/index.js';
import { STRING_COMMANDS } from './strings.js';
import { TRACKING_COMMANDS } from './tracking-commands.js';
import { TRANSACTION_COMMANDS } from './transactions.js';

/** Every command by its name in lower case; subcommands as `container|name`. */
const COMMANDS: ReadonlyMap<string, Command> = new Map(
  [
    ...STRING_COMMANDS,
    ...COUNTER_COMMANDS,
    ...BIT_COMMANDS,
    ...BIT_RANGE_COMMANDS,
    ...BIT_OPERATION_COMMANDS,
    ...BIT_FIELD_COMMANDS,
    ...HYPER_LOG_LOG_COMMANDS,
    ...LONGEST_COMMON_COMMANDS,
    ...SORT_COMMANDS,
    ...HASH_COMMANDS,
    ...HASH_EXPIRY_COMMANDS,
    ...HASH_FIELD_LIFE_COMMANDS,
    ...LIST_COMMANDS,
    ...BLOCKING_COMMANDS,
    ...SET_COMMANDS,
    ...SORTED_SET_COMMANDS,
    ...SORTED_SET_RANGE_COMMANDS,
    ...SORTED_SET_ALGEBRA_COMMANDS,
    ...SORTED_SET_POP_COMMANDS,
    ...STREAM_COMMAND_GROUPS.flat(),
    ...KEY_COMMANDS,
    ...DUMP_COMMANDS,
    ...GEO_COMMANDS,
    ...MEMORY_COMMANDS,
    ...EXPIRY_COMMANDS,
    ...SCAN_COMMANDS,
    ...TRANSACTION_COMMANDS,
    ...PUB_SUB_COMMANDS,
    ...CONNECTION_COMMANDS,
    ...CLIENT_COMMANDS,
    ...TRACKING_COMMANDS,
    ...SERVER_COMMANDS,
    ...IDLE_COMMANDS,
    ...CLUSTER_COMMANDS,
    ...SENTINEL_COMMANDS,
    ...SCRIPTING_COMMANDS,
    ...FUNCTION_COMMANDS,
    ...aclCommands(() => TABLE),
    ...commandCommands(() => TABLE),
  ].map((command) => [command.name, command]),
);

/** The commands that have subcommands, and those. */
const CONTAINERS = new Map<string, readonly string[]>();
for (const name of COMMANDS.keys()) {
  const [container = '', subcommand] = name.split('|');
  if (subcommand !== undefined) CONTAINERS.set(container, [...(CONTAINERS.get(container) ?? []), name]);
}

/** By name as clients write it, in lower or upper case: what spares changing its case. */
const BY_NAME = new Map<string, Command>();
for (const [name, command] of COMMANDS) {
  if (name.includes('|')) continue;
  BY_NAME.set(name, command);
  BY_NAME.set(name.toUpperCase(), command);
}

/** Commands with subcommands that are not known here: mocks may be for these. */
const OTHER_CONTAINERS = new Set(['acl', 'debug', 'function', 'latency', 'module', 'sentinel', 'slowlog']);

/** Commands that stand for a container whose subcommand is not known. */
const HELPERS = new Map(
  Array.from(CONTAINERS, ([container, names]) => [
    container,
    keyless(container, -2, '', (args) => answerContainer(container, args, names, factBook())),
  ]),
);

let facts: FactBook | undefined;

/** What Redis tells of its commands. */
export function factBook(): FactBook {
  facts ??= new FactBook({
    get: (name) => COMMANDS.get(name),
    isContainer: (name) => CONTAINERS.has(name),
  });
  return facts;
}

const TABLE = {
  get facts() {
    return factBook();
  },
  find: findCommand,
  hasRightCount,
};

/** Whether a command has subcommands. */
export function isContainer(name: string): boolean {
  return CONTAINERS.has(name) || OTHER_CONTAINERS.has(name);
}

/** Most arguments of commands that are not about data. */
const MAX_ARGS = 1024;
/** No name of a command is longer. */
const MAX_NAME_LENGTH = 64;

/** How many names are known by their place; a power of two. */
const PLACES = 64;
/** Names that were found, and their commands beside them: the same few come again and again, and a map of hundreds takes longer. */
const FOUND_NAMES = new Array<string>(PLACES).fill('');
const FOUND_COMMANDS = new Array<Command | undefined>(PLACES).fill(undefined);

/** The command that is meant, or `undefined` when there is none. */
export function findCommand(args: Args): Command | undefined {
  const name = at(args, 0);
  const { length } = name;
  if (length === 0) return undefined;
  const place = (length * 7 + name.charCodeAt(0) * 3 + name.charCodeAt(length - 1)) & (PLACES - 1);
  if (FOUND_NAMES[place] === name) return FOUND_COMMANDS[place];
  const quick = BY_NAME.get(name);
  if (quick !== undefined && quick.name !== 'command') {
    FOUND_NAMES[place] = name;
    FOUND_COMMANDS[place] = quick;
    return quick;
  }
  const lower = name.slice(0, MAX_NAME_LENGTH).toLowerCase();
  if (args.length > 1 && CONTAINERS.has(lower)) {
    const subcommand = at(args, 1).slice(0, MAX_NAME_LENGTH).toLowerCase();
    return COMMANDS.get(`${lower}|${subcommand}`) ?? HELPERS.get(lower);
  }
  return COMMANDS.get(lower) ?? HELPERS.get(lower);
}

/** Whether a command has as many arguments as it takes. */
export function hasRightCount({ arity }: Command, args: Args): boolean {
  return arity >= 0 ? args.length === arity : args.length >= -arity;
}

/** @throws CommandError when a command has too few or too many arguments */
export function checkCount(command: Command, args: Args): void {
  if (!hasRightCount(command, args)) fail(wrongArity(command.name));
  if (args.length > MAX_ARGS && command.access === 'none' && command.arity < 0)
    fail(`ERR '${command.name.replace('|', ' ')}' takes ${MAX_ARGS} arguments at most`);
}

/** Where the first key stands; the first argument where there is no key. */
export function keyPlace(command: Command | undefined, args: Args): number {
  const [first = 0] = command?.keys ?? [];
  if (first > 0) return first;
  const name = command?.name ?? at(args, 0).slice(0, MAX_NAME_LENGTH).toLowerCase();
  return firstKeyPlace(name, args) ?? (name.includes('|') || namesSubcommand(command, args) ? 2 : 1);
}

/** The command that is meant as messages have it: in upper case, with its subcommand, known or not. */
export function methodOfArgs(command: Command | undefined, args: Args): string {
  if (namesSubcommand(command, args))
    return fromWire(`${at(args, 0)} ${at(args, 1).slice(0, MAX_NAME_LENGTH)}`).toUpperCase();
  return command?.method ?? fromWire(at(args, 0).slice(0, 2 * MAX_NAME_LENGTH)).toUpperCase();
}

/** Whether there is a subcommand that is not known itself, of a command that has some. */
function namesSubcommand(command: Command | undefined, args: Args): boolean {
  if (args.length < 2) return false;
  if (command !== undefined) return HELPERS.get(command.name) === command;
  return OTHER_CONTAINERS.has(at(args, 0).slice(0, MAX_NAME_LENGTH).toLowerCase());
}

/** @throws CommandError CROSSSLOT when the keys of a command are in different slots of a cluster */
export function* checkSlots(command: Command, args: Args): Generator<undefined, void> {
  const keys = keysOf(command, args);
  let slot: number | undefined;
  for (const [index, key] of keys.entries()) {
    const own = slotOf(key);
    if (slot !== undefined && slot !== own) fail("CROSSSLOT Keys in request don't hash to the same slot");
    slot = own;
    if (index % 64 === 63) yield;
  }
}
