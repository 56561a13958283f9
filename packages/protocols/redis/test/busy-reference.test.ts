import { describe, expect } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { startReference } from './reference-server.js';
import { RawClient, startHost } from './support.js';

const FOREVER = 'while true do end';
const LIBRARY = `#!lua name=l
redis.register_function{function_name='forever', callback=function() ${FOREVER} end, flags={'no-writes'}}
redis.register_function('writes', function() redis.call('set', 'a', '9') ${FOREVER} end)`;

/** A server with a script that does not end. */
interface Server {
  readonly port: number;
  /** Lets its time pass, where that is not done by itself. */
  readonly pass: () => Promise<void>;
}

/** Resolves when a server turns clients away. */
async function untilBusy(client: RawClient, server: Server): Promise<void> {
  while (!(await client.ask('PING')).startsWith('-BUSY')) await server.pass();
}

/** An answer without what differs by run: lines, names of scripts, durations. */
function bare(answer: string): string {
  return answer
    .replaceAll(/user_script:\d+|user_function:\d+|\bl:\d+|[0-9a-f]{40}/g, '<place>')
    .replace(/duration_ms\r\n:\d+/, 'duration_ms');
}

/** What clients are told while `forever` runs, and whom it answers when it is ended by `kill`. */
async function whileItRuns(server: Server, forever: string, kill: string): Promise<readonly unknown[]> {
  const [runner, other, third] = [
    new RawClient(server.port),
    new RawClient(server.port),
    new RawClient(server.port),
  ];
  const told: unknown[] = [];
  const tell = async (client: RawClient, ...lines: readonly string[]): Promise<void> => {
    for (const line of lines) told.push([line, bare(await client.ask(line))]);
  };
  runner.send(`*3\r\n$8\r\nFUNCTION\r\n$4\r\nLOAD\r\n$${LIBRARY.length}\r\n${LIBRARY}\r\n`);
  told.push(await runner.reply());
  await tell(other, 'SCRIPT KILL', 'FUNCTION KILL', 'SET a 1', 'FUNCTION STATS');
  const ended = runner.ask(forever);
  await untilBusy(other, server);
  await tell(
    other,
    'GET a',
    'SET a 2',
    'EVAL "return 1" 0',
    'FCALL forever 0',
    'SUBSCRIBE x',
    'FUNCTION LIST',
  );
  await tell(other, 'SCRIPT EXISTS x', 'INFO', 'CLIENT ID', 'COMMAND', 'SHUTDOWN SAVE', 'NONE', 'GET');
  await tell(other, 'FUNCTION STATS', 'HELLO 9', 'AUTH default y', 'WATCH a', 'UNWATCH', 'RESET');
  await tell(third, 'MULTI', 'GET a', 'SCRIPT KILL', 'EXEC', 'DISCARD', 'GET a');
  const wrong = kill === 'SCRIPT KILL' ? 'FUNCTION KILL' : 'SCRIPT KILL';
  await tell(other, wrong, kill);
  told.push(bare(await ended));
  await tell(other, 'GET a', kill);
  await tell(third, 'GET a');
  return told;
}

/** What clients are told of a script that has written and does not end. */
async function whenItHasWritten(server: Server, writer: string, kill: string): Promise<readonly unknown[]> {
  const [runner, other] = [new RawClient(server.port), new RawClient(server.port)];
  runner.send(`*3\r\n$8\r\nFUNCTION\r\n$4\r\nLOAD\r\n$${LIBRARY.length}\r\n${LIBRARY}\r\n`);
  await runner.reply();
  void runner.ask(writer);
  await untilBusy(other, server);
  const told: unknown[] = [];
  for (const line of [kill, 'SET a 3', 'GET a', kill]) told.push([line, await other.ask(line)]);
  return told;
}

/** Has the same conversation with both servers. */
async function compare(talk: (server: Server) => Promise<readonly unknown[]>): Promise<void> {
  const { host, port } = await startHost({ mode: 'stateful', max_script_instructions: 1e12 });
  const own = await talk({ port, pass: () => host.clock.advance(1000) });
  const reference = await startReference('--lua-time-limit', '1');
  const theirs = await talk({ port: reference, pass: () => Promise.resolve() });
  // Nothing else ends a server whose script has written.
  const last = new RawClient(reference);
  last.send('SHUTDOWN NOSAVE\r\n');
  await last.untilClosed();
  expect(own).toEqual(theirs);
}

describe('beside redis-server, while a script does not end,', () => {
  const read = `EVAL "redis.call('get', 'a') ${FOREVER}" 0`;
  const write = `EVAL "redis.call('set', 'a', '9') ${FOREVER}" 0`;

  itWithTool('redis-server', 'others are told BUSY until SCRIPT KILL', () =>
    compare((server) => whileItRuns(server, read, 'SCRIPT KILL')),
  );
  itWithTool('redis-server', 'others are told BUSY until FUNCTION KILL', () =>
    compare((server) => whileItRuns(server, 'FCALL forever 0', 'FUNCTION KILL')),
  );
  itWithTool('redis-server', 'a script that has written is not killed', () =>
    compare((server) => whenItHasWritten(server, write, 'SCRIPT KILL')),
  );
  itWithTool('redis-server', 'a function that has written is not killed', () =>
    compare((server) => whenItHasWritten(server, 'FCALL writes 0', 'FUNCTION KILL')),
  );
});
