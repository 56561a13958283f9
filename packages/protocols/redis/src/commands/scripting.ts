import type { Scripts } from '../scripting/contract.js';
import type { Session } from '../session.js';
import { ERRORS, fail } from '../wire/errors.js';
import { array, bulk, integer, OK } from '../wire/reply.js';
import { at, keyless, optionAt, toInteger, type Args, type Command } from './command.js';

/** The commands that run Lua, and those about scripts (redis.io, command pages of EVAL and SCRIPT LOAD). */
export const SCRIPTING_COMMANDS: readonly Command[] = [
  evaluating('eval', false, false),
  evaluating('evalsha', true, false),
  evaluating('eval_ro', false, true),
  evaluating('evalsha_ro', true, true),
  alone('script|load', 3, '', (args, session) => bulk(scriptsOf(session).load(at(args, 2)).sha)),
  keyless('script|exists', -3, '', (args, session) =>
    array(args.slice(2).map((sha) => integer(scriptsOf(session).has(sha) ? 1 : 0))),
  ),
  alone('script|flush', -2, '', (args, session) => {
    const option = optionAt(args, 2);
    if (args.length > 3 || (args.length === 3 && option !== 'SYNC' && option !== 'ASYNC'))
      fail('ERR SCRIPT FLUSH only support SYNC|ASYNC option');
    scriptsOf(session).flush();
    return OK;
  }),
  keyless('script|kill', 2, '', (_args, session) => {
    scriptsOf(session).kill(false);
    return OK;
  }),
  keyless('script|debug', 3, '', (args) =>
    optionAt(args, 2) === 'NO' ? OK : fail('ERR the debugger of scripts is not supported'),
  ),
];

function scriptsOf({ server }: Session): Scripts {
  return server.scripting ?? fail('ERR scripts are not available');
}

/** A command for which the data is kept from all others, as if it wrote. */
function alone(name: string, arity: number, flags: string, run: Command['run']): Command {
  return { ...keyless(name, arity, flags, run), access: 'write' };
}

function evaluating(name: string, isSha: boolean, isReadOnly: boolean): Command {
  return alone(name, -3, isReadOnly ? 'r' : '', (args, session) => {
    const scripting = scriptsOf(session);
    const keys = readKeys(args);
    const script = isSha ? scripting.find(at(args, 1)) : scripting.load(at(args, 1));
    return scripting.evaluate(script, keys, args, session, isReadOnly);
  });
}

/** The keys of EVAL and FCALL, whose number stands before them. @throws CommandError */
export function readKeys(args: Args, notInteger: string = ERRORS.notInteger): readonly string[] {
  const count = toInteger(args[2], notInteger);
  if (count > args.length - 3) fail("ERR Number of keys can't be greater than number of args");
  if (count < 0) fail("ERR Number of keys can't be negative");
  return args.slice(3, 3 + count);
}
