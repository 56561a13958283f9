import {
  compileContent,
  type CompiledMock,
  type CompileTools,
  type Pattern,
  type PatternHints,
  type Template,
  type TestResult,
  type ValueOf,
} from '@backlot/core/plugin';
import { COMMANDS, STATUSES, type Status } from './commands.js';
import type { MemcachedMessage } from './message.js';
import type { MockSchema } from './schemas.js';
import { ERROR_TYPES, type ErrorType, type ProtocolError } from './wire/error-text.js';
import { toWire } from './wire/latin.js';
import { MAX_KEY } from './dialects/text-commands.js';

type Mock = ValueOf<typeof MockSchema>;

/** What a mock answers. */
export interface CompiledResponse {
  readonly value: Template;
  /** The value where it is always the same, one character per byte. */
  readonly constant: string | undefined;
  readonly flags: number;
  /** How the command ends; absent: well. */
  readonly status: Status | undefined;
  readonly error: ProtocolError | undefined;
}

/** A compiled mock: one class with one test, so that many mocks cost no more than one. */
export class CompiledMemcached implements CompiledMock<MemcachedMessage> {
  // What every command reads comes first: with thousands of mocks each is cold, and these few share its cache lines.
  /** The only command or key that fits, where there is only one. */
  readonly #onlyCommand: string | undefined;
  readonly #onlyKey: string | undefined;
  /** The value where all that is answered is one that never changes. */
  readonly constant: string | undefined;
  readonly flags: number;
  readonly response: CompiledResponse;
  readonly #command: Pattern;
  readonly #key: Pattern;

  constructor(command: Pattern, key: Pattern, response: CompiledResponse) {
    const { status, error, constant, flags } = response;
    this.#onlyCommand = command.isExact ? command.exact : undefined;
    this.#onlyKey = key.isExact ? key.exact : undefined;
    this.constant = status === undefined && error === undefined ? constant : undefined;
    this.flags = flags;
    this.#command = command;
    this.#key = key;
    this.response = response;
  }

  /** What an index may know of the keys that the mock takes. */
  get keyHints(): PatternHints {
    return this.#key;
  }

  test(message: MemcachedMessage): TestResult {
    const { method, path } = message;
    if (method !== this.#onlyCommand && !this.#command.test(method, message))
      return () => this.#command.reason('command', method, message);
    if (path !== this.#onlyKey && !this.#key.test(path, message))
      return () => this.#key.reason('key', path, message);
    return true;
  }
}

/** Compiles a mock. Mocks for one exact key are found by it, so that their number does not matter. */
export function compileMock(mock: Mock, tools: CompileTools): CompiledMemcached {
  const command = tools.pattern(lowerName(mock.command), '/command');
  const key = tools.pattern(mock.key, '/key');
  const named = command.exact;
  if (named !== undefined && !COMMANDS.has(named)) {
    tools.problem(
      '/command',
      `command ${JSON.stringify(command.exact)} is none that a mock can answer; those are ${[...COMMANDS.keys()].join(', ')}`,
    );
  }
  checkKey(key, tools);
  return new CompiledMemcached(command, key, compileResponse(mock.response ?? {}, named, tools));
}

/** People write commands in capitals; memcached knows small letters only. */
function lowerName(command: Mock['command']): Mock['command'] {
  return typeof command === 'string' && !command.startsWith('re:') ? command.toLowerCase() : command;
}

function checkKey({ exact }: Pattern, tools: CompileTools): void {
  if (exact !== undefined && toWire(exact).length > MAX_KEY) {
    tools.problem('/key', `a key has at most ${MAX_KEY} bytes; this one has ${toWire(exact).length}`);
  }
}

function compileResponse(
  response: NonNullable<Mock['response']>,
  command: string | undefined,
  tools: CompileTools,
): CompiledResponse {
  const { value: text, json, value_base64: base64 } = response;
  const value = compileContent({ text, json, base64 }, { text: 'value' }, tools, '/response');
  const ending = parseStatus(response.status, command, tools);
  if (value.constant && isCount(command) && !/^\d{0,20}$/.test(value.source)) {
    tools.problem(
      '/response/value',
      `${String(command)} answers with a number without a sign; got ${JSON.stringify(value.source)}`,
    );
  }
  return {
    value,
    constant: value.bytes?.toString('latin1') ?? (value.constant ? toWire(value.source) : undefined),
    flags: response.flags ?? 0,
    ...ending,
  };
}

function isCount(command: string | undefined): boolean {
  return command !== undefined && COMMANDS.get(command)?.operation === 'count';
}

/** Reads `status`: one of the words, or a class of errors with a text. */
function parseStatus(
  status: string | undefined,
  command: string | undefined,
  tools: CompileTools,
): Pick<CompiledResponse, 'status' | 'error'> {
  if (status === undefined) return { status: undefined, error: undefined };
  const [type = '', ...words] = status.split(' ');
  if (isErrorType(type)) {
    const text = words.join(' ');
    if (/[^ -~]/.test(text)) {
      tools.problem('/response/status', `an error is one line of ASCII; got ${JSON.stringify(status)}`);
    }
    return { status: undefined, error: { type, text } };
  }
  const suits = command === undefined ? STATUSES : (COMMANDS.get(command)?.statuses ?? STATUSES);
  const found = suits.find((word) => word === status);
  if (found === undefined) {
    const whose = command === undefined ? 'status' : `the status of ${command}`;
    tools.problem(
      '/response/status',
      `${whose} is one of ${suits.join(', ')}, or ${ERROR_TYPES.join(', ')} with a text; got ${JSON.stringify(status)}`,
    );
  }
  return { status: found, error: undefined };
}

function isErrorType(word: string): word is ErrorType {
  return (ERROR_TYPES as readonly string[]).includes(word);
}
