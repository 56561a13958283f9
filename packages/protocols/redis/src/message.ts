import type { Message } from '@backlot/core/plugin';
import { findCommand, isContainer, keyPlace, methodOfArgs } from './commands/table.js';
import type { Args, Command } from './commands/command.js';
import { fromWire, toWire } from './wire/text.js';

/** Bytes of a key or an argument that mocks, templates and the journal see. */
const MAX_SEEN = 16 * 1024 * 1024;
/** Bytes of several arguments together that they see. */
const MAX_JOINED = 1024 * 1024;
const NO_ARGS: Args = Object.freeze([]);

/** A request, as matchers, templates and the journal see it. What few look at is made when it is read. */
export class RedisMessage implements Message {
  /** The command in upper case, with its subcommand where it has one: `GET`, `CLIENT SETNAME`. */
  readonly method: string;
  /** The first key, or what stands in its place: the channel of PUBLISH, say; empty when there is none. */
  readonly path: string;
  readonly remote: string;
  /** The arguments behind the key, with a space between them; absent when there are none. */
  declare readonly body?: string;
  /** The number of the database that is selected. */
  readonly database: number;
  /** The whole request, when arguments stand behind the key. */
  readonly #args: Args;
  /** Where the arguments behind the key begin. */
  readonly #rest: number;

  constructor(args: Args, command: Command | undefined, remote: string, database: number) {
    this.method =
      command !== undefined && command.keys[0] === 1 ? command.method : methodOfArgs(command, args);
    const place = command?.keys[0] === 1 ? 1 : keyPlace(command, args);
    this.path = seenOf(args, place);
    this.remote = remote;
    this.database = database;
    this.#rest = place + 1;
    const count = args.length - this.#rest;
    // The journal keeps the newest messages: what is not needed is not held on to.
    this.#args = count > 0 ? args : NO_ARGS;
    if (count > 0) this.body = count === 1 ? seenOf(args, this.#rest) : joinArgs(args, this.#rest);
  }

  /** What the command does to keys. It is not kept: the journal holds the newest messages, and few ask. */
  get access(): 'none' | 'read' | 'write' {
    return accessOf(commandOf(this.method));
  }

  /** How many arguments stand behind the key. */
  get argCount(): number {
    return Math.max(0, this.#args.length - this.#rest);
  }

  /** An argument behind the key; `undefined` when there is none. */
  argAt(index: number): string | undefined {
    const place = this.#rest + index;
    return place < this.#args.length ? seenOf(this.#args, place) : undefined;
  }

  /** What templates see beyond the common fields. */
  get extras(): Readonly<Record<string, unknown>> {
    return {
      command: this.method,
      key: this.path,
      args: this.#args.slice(this.#rest).map((_, index) => seenOf(this.#args, this.#rest + index)),
      database: this.database,
    };
  }
}

/** The name of a command as messages have it: one and the same text where it is known, which is quick to compare. */
export function methodOf(name: string): string {
  const command = commandOf(name);
  return command?.method === name ? command.method : name;
}

/** The command of a name such as `GET` or `CLIENT LIST`. */
function commandOf(method: string): Command | undefined {
  return findCommand(method.split(' '));
}

/** What is seen of an argument. */
function seenOf(args: Args, index: number): string {
  const arg = args[index];
  // The quick way of nearly all of them.
  if (args.long === undefined && arg !== undefined && arg.length <= MAX_SEEN) return fromWire(arg);
  return fromWire(beginningAt(args, index, MAX_SEEN));
}

/** The first bytes of an argument; the rest of a long one need not be put together for them. */
function beginningAt(args: Args, index: number, most: number): string {
  const long = args.long?.get(index);
  if (long !== undefined) return [...long.parts(0, Math.min(most, long.size))].join('');
  const arg = args[index] ?? '';
  return arg.length > most ? arg.slice(0, most) : arg;
}

function joinArgs(args: Args, first: number): string {
  let bytes = 0;
  let end = first;
  for (; end < args.length && bytes <= MAX_JOINED; end += 1) bytes += (args[end] ?? '').length + 1;
  if (bytes <= MAX_JOINED) return fromWire(args.slice(first, end).join(' '));
  // A long argument is cut before it is put together with the others.
  const parts = args.slice(first, end).map((_, index) => beginningAt(args, first + index, MAX_JOINED));
  return fromWire(parts.join(' ').slice(0, MAX_JOINED));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Makes the message of a journal entry, or of one that somebody wrote: `{method, path, body}`, or `{command, key, args}`. */
export function explainEntry(entry: Readonly<Record<string, unknown>>): RedisMessage {
  const { method, command, path, key, body, args, remote, database } = entry;
  const words = textOf(command ?? method)
    .split(' ')
    .filter((word) => word !== '');
  const rest = Array.isArray(args)
    ? args.map(String)
    : typeof body === 'string' && body !== ''
      ? body.split(' ')
      : [];
  const target = textOf(path ?? key);
  const given = [...words, ...(target === '' ? [] : [target]), ...rest].map(toWire);
  const found = findCommand(given);
  return new RedisMessage(
    given,
    found,
    typeof remote === 'string' ? remote : '',
    typeof database === 'number' ? database : 0,
  );
}

/** The name of the command alone, for mocks that take all subcommands. */
export function rootOf(method: string): string | undefined {
  const space = method.indexOf(' ');
  return space > 0 && isContainer(method.slice(0, space).toLowerCase()) ? method.slice(0, space) : undefined;
}

/** Makes the command of a line as `redis-cli` takes it: words, those with spaces in quotes. */
export function readCommandLine(line: string): Readonly<Record<string, unknown>> {
  const words = Array.from(
    line.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g),
    ([, double, single, bare = '']) => double?.replaceAll(/\\(.)/g, '$1') ?? single ?? bare,
  );
  const [command = '', ...args] = words;
  return { command, args };
}

/** INFO and PUBLISH wait for their turn among the commands with data, and do nothing to keys themselves. */
function accessOf(command: Command | undefined): 'none' | 'read' | 'write' {
  if (command === undefined || command.access === 'none') return 'none';
  if (command.flags.includes('w')) return 'write';
  return command.access === 'read' && command.name !== 'info' ? 'read' : 'none';
}
