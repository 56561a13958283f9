import { describe, expect } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { startReference } from './reference-server.js';
import { encode, RawClient, startHost } from './support.js';

function wordsOf(reply: string): string[] {
  return [...reply.matchAll(/\$\d+\r\n([^\r]*)\r\n/g)].map(([, word = '']) => word);
}

/** Commands whose keys stand in unusual places, and some that have none. */
const LINES = [
  'GET k1',
  'MSET k1 a k2 b',
  'XREAD COUNT 2 STREAMS k1 k2 0 0',
  'XREADGROUP GROUP STREAMS c COUNT 1 STREAMS k1 >',
  'EVAL "return 1" 2 k1 k2 a',
  'EVALSHA 0000000000000000000000000000000000000000 1 k1 a',
  'EVAL_RO x 1 k1',
  'FCALL f 1 k1',
  'MEMORY USAGE k1',
  'OBJECT ENCODING k1',
  'OBJECT FREQ k1',
  'XGROUP CREATE k1 g 0',
  'XGROUP SETID k1 g 0',
  'XINFO STREAM k1',
  'LMPOP 2 k1 k2 LEFT',
  'BLMPOP 0 2 k1 k2 LEFT',
  'ZMPOP 1 k1 MIN',
  'BZMPOP 0 1 k1 MIN',
  'ZUNION 2 k1 k2',
  'ZUNIONSTORE k1 2 k2 k3 WEIGHTS 1 2',
  'ZINTERSTORE k1 1 k2',
  'ZDIFFSTORE k1 1 k2',
  'ZINTERCARD 2 k1 k2',
  'SINTERCARD 2 k1 k2',
  'BITOP AND k1 k2 k3',
  'BLPOP k1 k2 0',
  'SORT k1 BY w* GET STORE STORE k2',
  'SORT k1',
  'SORT_RO k1',
  'GEORADIUS k1 0 0 1 m STORE k2',
  'GEORADIUSBYMEMBER k1 m 1 m STOREDIST k2',
  'GEOSEARCHSTORE k1 k2 FROMMEMBER m BYRADIUS 1 m',
  'RENAME k1 k2',
  'COPY k1 k2',
  'LMOVE k1 k2 LEFT RIGHT',
  'SMOVE k1 k2 m',
  'ZRANGESTORE k1 k2 0 1',
  'PFCOUNT k1 k2',
  'PFMERGE k1 k2',
  'WATCH k1 k2',
  'LCS k1 k2',
  'TOUCH k1',
];

describe('mocks', () => {
  itWithTool(
    'redis-server',
    'are for every command that redis-server has',
    async () => {
      const client = new RawClient(await startReference());
      const names = wordsOf(await client.ask('COMMAND LIST')).filter((name) => name !== 'reset');
      expect(names.length).toBeGreaterThan(350);
      const mocks = names.map((name) => ({
        command: name.replace('|', ' '),
        // A mock for a command is for all its subcommands.
        priority: name.includes('|') ? 1 : 0,
        response: { type: 'bulk', value: `mock of ${name}` },
      }));
      for (const mode of ['mock', 'stateful']) {
        const { port } = await startHost({ mode }, mocks);
        const asking = new RawClient(port);
        for (const name of names) {
          asking.send(encode(...name.split('|'), ...(name.includes('|') ? ['k'] : [])));
          expect([mode, name, await asking.reply()]).toEqual([
            mode,
            name,
            `$${name.length + 8}\r\nmock of ${name}\r\n`,
          ]);
        }
      }
    },
    30_000,
  );

  itWithTool('redis-server', 'see the first key, wherever it stands', async () => {
    const theirs = new RawClient(await startReference());
    const plain = new RawClient((await startHost()).port);
    const mocks = [{ command: '*', key: 'k1', response: { type: 'bulk', value: 'found' } }];
    const mocked = new RawClient((await startHost({}, mocks)).port);
    for (const line of LINES) {
      const keys = await theirs.ask(`COMMAND GETKEYS ${line}`);
      if (!/FCALL/.test(line))
        expect([line, await plain.ask(`COMMAND GETKEYS ${line}`)]).toEqual([line, keys]);
      expect([line, wordsOf(keys)[0]]).toEqual([line, 'k1']);
      expect([line, await mocked.ask(line)]).toEqual([line, '$5\r\nfound\r\n']);
    }
  });
});
