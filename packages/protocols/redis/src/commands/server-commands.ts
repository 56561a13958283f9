import { fail, unknownSubcommand, wrongArity } from '../wire/errors.js';
import { array, bulk, bulks, integer, map, OK, simple, verbatim } from '../wire/reply.js';
import { at, keyless, optionAt, type Args, type Command } from './command.js';
import type { FactBook } from './facts/fact-book.js';
import { readGlob } from './globs.js';
import { configOf, infoSections } from './server-facts.js';

/** The commands about the server itself, COMMAND apart. */
export const SERVER_COMMANDS: readonly Command[] = [
  keyless('info', -1, 'l', function* (args, { server, resp }) {
    yield* server.store.sweep();
    const sections = infoSections(server);
    const wanted = args.slice(1).map((name) => name.toLowerCase());
    const isAll =
      wanted.length === 0 || wanted.some((name) => ['all', 'default', 'everything'].includes(name));
    const shown = [...sections].filter(([name]) => isAll || wanted.includes(name));
    return verbatim(shown.map(([, lines]) => `${lines.join('\r\n')}\r\n`).join('\r\n'), resp);
  }),
  keyless('config|get', -3, 'a', (args, { server, resp }) => {
    const globs = args.slice(2).map((pattern) => readGlob(pattern.toLowerCase()));
    const found = [...configOf(server)].filter(([name]) => globs.some((glob) => glob.test(name)));
    return map(
      found.flatMap(([name, value]) => [bulk(name), bulk(value)]),
      resp,
    );
  }),
  keyless('config|set', -4, 'a', (args, { server }) => {
    if (args.length % 2 !== 0) fail("ERR wrong number of arguments for 'config|set' command");
    for (let index = 2; index < args.length; index += 2) {
      const name = at(args, index).toLowerCase();
      if (!configOf(server).has(name))
        fail(`ERR Unknown option or number of arguments for CONFIG SET - '${at(args, index)}'`);
      if (name === 'notify-keyspace-events') {
        if (!server.keyEvents.configure(at(args, index + 1)))
          fail(
            `ERR CONFIG SET failed (possibly related to argument '${name}') - Invalid event class character. Use 'Ag$lshzxeKEtmdn'.`,
          );
      } else if (name === 'requirepass') server.users.password = at(args, index + 1);
      else if (configOf(server).get(name) !== args[index + 1])
        fail(`ERR CONFIG SET failed (possibly related to argument '${name}') - can't set immutable config`);
    }
    return OK;
  }),
  keyless('config|resetstat', 2, 'a', () => OK),
  keyless('time', 1, '', (_args, { server }) => {
    const now = server.clock.now();
    return bulks([String(Math.floor(now / 1000)), String(Math.floor((now % 1000) * 1000))]);
  }),
  keyless('lastsave', 1, '', (_args, { server }) => integer(Math.floor(server.startedAt / 1000))),
  keyless('save', 1, 'a', () => OK),
  keyless('bgsave', -1, 'a', () => simple('Background saving started')),
  keyless('bgrewriteaof', 1, 'a', () => simple('Background append only file rewriting started')),
  keyless('role', 1, '', () => array([bulk('master'), integer(0), '*0\r\n'])),
  keyless('wait', 3, '', () => integer(0)),
  keyless('lolwut', -1, '', (_args, { resp }) => verbatim('Backlot, in the manner of Redis\n', resp)),
  keyless('debug|sleep', 3, 'a', () =>
    fail('ERR DEBUG SLEEP is not supported: a delay of a mock or a fault holds up an answer'),
  ),
  keyless('fcall', -3, '', () => fail('ERR Function not found')),
  keyless('fcall_ro', -3, '', () => fail('ERR Function not found')),
  keyless('monitor', 1, 'an', (_args, session) =>
    session.server.monitors.add(session) ? OK : fail('ERR too many clients monitor already'),
  ),
  keyless('sync', 1, 'a', () => fail('ERR replication is not supported')),
  keyless('psync', -3, 'a', () => fail('ERR replication is not supported')),
  keyless('replicaof', 3, 'a', () => fail('ERR replication is not supported')),
  keyless('slaveof', 3, 'a', () => fail('ERR replication is not supported')),
  keyless('failover', -1, 'a', () => fail('ERR replication is not supported')),
  keyless('shutdown', -1, 'a', () => fail('ERR Errors trying to SHUTDOWN. Check logs.')),
];

/** The HELP of a container, or the error of a subcommand that is not there. */
export function answerContainer(
  container: string,
  args: Args,
  names: readonly string[],
  facts: Pick<FactBook, 'helpOf'>,
): string {
  if (optionAt(args, 1) !== 'HELP') return fail(unknownSubcommand(container, at(args, 1)));
  if (args.length > 2) fail(wrongArity(`${container}|help`));
  const lines = [
    `${container.toUpperCase()} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:`,
    ...(facts.helpOf(container) ?? names.map((name) => name.slice(container.length + 1).toUpperCase())),
    'HELP',
    '    Prints this help.',
  ];
  return array(lines.map(simple));
}
