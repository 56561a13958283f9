import type { CompiledMock, CompileTools, TestResult, ValueOf } from '@backlot/core/plugin';
import { methodOf, rootOf, type RedisMessage } from './redis-message.js';
import { compileResponse, type MakeReply } from './response.js';
import type { MockSchema } from './schemas.js';

/** A compiled mock. */
export interface CompiledRedis extends CompiledMock<RedisMessage> {
  /** In upper case; `*` for any. */
  readonly command: string;
  /** How the index finds it by its key: the only one, or how it begins. */
  readonly keyHint: { readonly exact: string } | { readonly prefix: string };
  readonly reply: MakeReply;
}

/** Compiles a mock. The index sees to its command, and to its key where that is one text. */
export function compileMock(mock: ValueOf<typeof MockSchema>, tools: CompileTools): CompiledRedis {
  const command = methodOf(mock.command.trim().split(/\s+/).join(' ').toUpperCase());
  const isCommand = command !== '*';
  if (command !== '*' && command.includes('*'))
    tools.problem(
      '/command',
      `"${mock.command}" has a * in it; write the whole name, or * alone for any command`,
    );
  if (command === '') tools.problem('/command', 'is white space; write the name of a command, such as GET');
  const key = tools.pattern(mock.key, '/key');
  const args = (mock.args ?? []).map((source, index) => tools.pattern(source, `/args/${index}`));
  const reply = compileResponse(mock.response, tools);
  const keyHint = key.exact === undefined ? { prefix: key.prefix ?? '' } : { exact: key.exact };
  const { exact } = key;
  const testArgs = (message: RedisMessage): TestResult => {
    for (const [index, pattern] of args.entries()) {
      const arg = message.argAt(index);
      if (!pattern.any && !pattern.test(arg)) return () => pattern.reason(`argument ${index + 1}`, arg);
    }
    return true;
  };
  const test = (message: RedisMessage): TestResult => {
    const { method, path } = message;
    if (isCommand && method !== command && rootOf(method) !== command) {
      return () => `command: got "${method}", want "${command}"`;
    }
    // A key that is not there is like one that is empty: commands without keys have none.
    const fits = exact === undefined ? key.any || key.test(path) : exact === path;
    if (!fits) return () => key.reason('key', path);
    return args.length === 0 ? true : testArgs(message);
  };
  return { command, keyHint, test, reply };
}
