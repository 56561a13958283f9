import type {
  CompiledMock,
  CompileTools,
  FunctionName,
  Match,
  Pattern,
  PatternHints,
  TestResult,
  ValueOf,
} from '@backlot/core/plugin';
import { methodOf, rootOf, type RedisMessage } from './message.js';
import { compileResponse, type CompiledResponse } from './response.js';
import type { MockSchema } from './schemas.js';
import type { Resp } from './wire/reply.js';

/** What a command has to do to keys. */
type Wanted = 'read' | 'write' | 'data';

/** A compiled mock. */
export class CompiledRedis implements CompiledMock<RedisMessage> {
  // What every command reads comes first: with thousands of mocks each is cold, and these few share its cache lines.
  /** In upper case; `*` for any. */
  readonly command: string;
  /** The key where it is one text. */
  readonly exact: string | undefined;
  /** Whether nothing else is asked of the key. */
  readonly #isExact: boolean;
  /** How a key begins, where nothing else is asked of it. */
  readonly #prefix: string | undefined;
  readonly #args: readonly Pattern[] | undefined;
  readonly #access: Wanted | undefined;
  #resp3: string | undefined;
  #resp2: string | undefined;
  readonly #key: Pattern;
  readonly #response: CompiledResponse;

  constructor(
    command: string,
    key: Pattern,
    args: readonly Pattern[],
    response: CompiledResponse,
    access?: Wanted,
  ) {
    this.command = command;
    this.exact = key.exact;
    this.#isExact = key.isExact;
    this.#prefix = key.isPrefix ? key.prefix : undefined;
    this.#args = args.length === 0 ? undefined : args;
    this.#key = key;
    this.#response = response;
    this.#access = access;
  }

  /** What an index may know of the keys that the mock takes. */
  get keyHints(): PatternHints {
    return this.#key;
  }

  test(message: RedisMessage): TestResult {
    const { method, path } = message;
    const { command, exact } = this;
    const prefix = this.#prefix;
    if (method !== command && command !== '*' && rootOf(method) !== command) {
      return () => `command: got "${method}", want "${command}"`;
    }
    // A key that is not there is like one that is empty: commands without keys have none.
    const fits =
      exact !== undefined
        ? exact === path && (this.#isExact || this.#key.test(path, message))
        : prefix !== undefined
          ? path.startsWith(prefix)
          : this.#key.any || this.#key.test(path, message);
    if (!fits) return () => this.#key.reason('key', path, message);
    const wanted = this.#access;
    if (wanted !== undefined && wanted !== message.access && (wanted !== 'data' || message.access === 'none'))
      return () => `access: got "${message.access}", want "${wanted}"`;
    return this.#args === undefined ? true : testArgs(this.#args, message);
  }

  /** The encoded answer; one without a template is encoded once. */
  reply(match: Match, resp: Resp): string {
    const known = resp === 3 ? this.#resp3 : this.#resp2;
    if (known !== undefined) return known;
    const { make, isConstant } = this.#response;
    const made = make(match, resp);
    if (!isConstant) return made;
    // Through bytes: what was put together from pieces stays a tree of them.
    const flat = Buffer.from(made, 'latin1').toString('latin1');
    if (resp === 3) this.#resp3 = flat;
    else this.#resp2 = flat;
    return flat;
  }
}

/** Stands for an answer that a function will give. */
const NIL = { type: 'nil' } as const;

/** Compiles a mock. The index sees to its command, and to its key where that is one text. */
export function compileMock(
  mock: ValueOf<typeof MockSchema> & { readonly respond?: FunctionName },
  tools: CompileTools,
): CompiledRedis {
  const command = methodOf(mock.command.trim().split(/\s+/).join(' ').toUpperCase());
  if (command !== '*' && command.includes('*'))
    tools.problem(
      '/command',
      `"${mock.command}" has a * in it; write the whole name, or * alone for any command`,
    );
  if (command === '') tools.problem('/command', 'is white space; write the name of a command, such as GET');
  const key = tools.pattern(mock.key, '/key');
  const args = (mock.args ?? []).map((source, index) => tools.pattern(source, `/args/${index}`));
  if (mock.response === undefined && mock.respond === undefined)
    tools.problem('/response', 'is missing; without it there is no answer, as in {"type": "nil"}');
  return new CompiledRedis(command, key, args, compileResponse(mock.response ?? NIL, tools), mock.access);
}

function testArgs(args: readonly Pattern[], message: RedisMessage): TestResult {
  for (const [index, pattern] of args.entries()) {
    const arg = message.argAt(index);
    if (!pattern.any && !pattern.test(arg, message))
      return () => pattern.reason(`argument ${index + 1}`, arg, message);
  }
  return true;
}
