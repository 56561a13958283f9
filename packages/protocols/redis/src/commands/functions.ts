import { Glob } from '../data/glob.js';
import type { Library } from '../scripting/function-library.js';
import type { Scripts } from '../scripting/contract.js';
import type { Session } from '../session.js';
import { ERRORS, fail } from '../wire/errors.js';
import {
  array,
  bulk,
  bulkOrNil,
  bulks,
  integer,
  map,
  nil,
  OK,
  set,
  simple,
  type Resp,
} from '../wire/reply.js';
import { at, keyless, optionAt, type Command } from './command.js';
import { readGlob } from './globs.js';
import { readKeys } from './scripting.js';
import { gatherMatches, listHead, type ItemForm, type Work } from './work.js';

/** The commands about functions (redis.io, command pages of FUNCTION LOAD and FCALL). */
export const FUNCTION_COMMANDS: readonly Command[] = [
  calling('fcall', false),
  calling('fcall_ro', true),
  alone('function|load', -3, 'wm', function* (args, session): Work {
    const options = args.slice(2, -1);
    const wrong = options.find((_, index) => optionAt(options, index) !== 'REPLACE');
    if (wrong !== undefined) fail(`ERR Unknown option given: ${wrong}`);
    return bulk(yield* scriptsOf(session).functions.load(at(args, args.length - 1), options.length > 0));
  }),
  alone('function|delete', 3, 'w', (args, session) => {
    scriptsOf(session).functions.delete(at(args, 2));
    return OK;
  }),
  alone('function|flush', -2, 'w', (args, session) => {
    if (args.length > 3) failCount('FLUSH');
    const option = optionAt(args, 2);
    if (args.length === 3 && option !== 'SYNC' && option !== 'ASYNC')
      fail('ERR FUNCTION FLUSH only supports SYNC|ASYNC option');
    scriptsOf(session).functions.clear();
    return OK;
  }),
  keyless('function|list', -2, '', function* (args, session): Work {
    let pattern: Glob | undefined;
    let isWithCode = false;
    for (let index = 2; index < args.length; index += 1) {
      const option = optionAt(args, index);
      if (option === 'WITHCODE' && !isWithCode) isWithCode = true;
      else if (option === 'LIBRARYNAME' && pattern === undefined) {
        index += 1;
        pattern = readGlob(args[index] ?? fail('ERR library name argument was not given'));
      } else fail(`ERR Unknown argument ${at(args, index)}`);
    }
    const { libraries } = scriptsOf(session).functions;
    const form = libraryForm(isWithCode, session.resp);
    return yield* gatherMatches(listHead, libraries, pattern ?? new Glob('*'), ({ name }) => name, form);
  }),
  keyless('function|stats', 2, '', (_args, session) => {
    const { running, functions } = scriptsOf(session);
    const { resp, server } = session;
    if (running !== undefined && running.functionName === undefined) fail(ERRORS.busyScript);
    const script =
      running?.functionName === undefined
        ? nil(resp)
        : map(
            [
              ...[bulk('name'), bulk(running.functionName), bulk('command'), bulks(running.command)],
              ...[bulk('duration_ms'), integer(Math.floor(server.clock.now() - running.startedAt))],
            ],
            resp,
          );
    const { libraries } = functions;
    const count = libraries.reduce((sum, library) => sum + library.functions.length, 0);
    const counts = [
      ...[bulk('libraries_count'), integer(libraries.length)],
      ...[bulk('functions_count'), integer(count)],
    ];
    const engines = map([bulk('LUA'), map(counts, resp)], resp);
    return map([bulk('running_script'), script, bulk('engines'), engines], resp);
  }),
  keyless('function|kill', 2, '', (_args, session) => {
    scriptsOf(session).kill(true);
    return OK;
  }),
  keyless('function|dump', 2, '', () =>
    fail('ERR FUNCTION DUMP is not supported; FUNCTION LIST WITHCODE gives the code of the libraries'),
  ),
  keyless('function|restore', -3, '', (args) => {
    if (args.length > 4) failCount('RESTORE');
    if (args.length === 4 && !['FLUSH', 'APPEND', 'REPLACE'].includes(optionAt(args, 3)))
      fail('ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.');
    return fail('ERR DUMP payload version or checksum are wrong');
  }),
];

function failCount(subcommand: string): never {
  return fail(`ERR unknown subcommand or wrong number of arguments for '${subcommand}'. Try FUNCTION HELP.`);
}

function scriptsOf({ server }: Session): Scripts {
  return server.scripting ?? fail('ERR functions are not available');
}

/** A command for which the data is kept from all others. */
function alone(name: string, arity: number, flags: string, run: Command['run']): Command {
  return { ...keyless(name, arity, flags, run), access: 'write' };
}

function calling(name: string, isReadOnly: boolean): Command {
  return alone(name, -3, isReadOnly ? 'r' : '', function* (args, session): Work {
    const scripts = scriptsOf(session);
    const called = yield* scripts.functions.find(at(args, 1));
    const keys = readKeys(args, 'ERR Bad number of keys provided');
    return yield* scripts.callFunction(called, keys, args, session, isReadOnly);
  });
}

function libraryForm(isWithCode: boolean, resp: Resp): ItemForm<Library> {
  return {
    encode({ name, code, functions }) {
      const described = functions.map((one) =>
        map(
          [
            ...[bulk('name'), bulk(one.name), bulk('description'), bulkOrNil(one.description, resp)],
            ...[bulk('flags'), set(Array.from(one.flags, simple), resp)],
          ],
          resp,
        ),
      );
      const head = [bulk('library_name'), bulk(name), bulk('engine'), bulk('LUA')];
      const rest = isWithCode ? [bulk('library_code'), bulk(code)] : [];
      return map([...head, bulk('functions'), array(described), ...rest], resp);
    },
    weigh: ({ code, functions }) => 256 + 128 * functions.length + (isWithCode ? code.length : 0),
  };
}
