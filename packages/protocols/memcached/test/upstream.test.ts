import { describe, expect } from '@jest/globals';
import { itWithTool, PYTHON, runTool, startServer, type RunningServer } from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { afterThis, connectMemjs, converse, RawClient, request, startHost, type Running } from './support.js';

async function startReal(...more: string[]): Promise<RunningServer> {
  const real = await startServer(
    'memcached',
    (port) => ['-u', 'nobody', '-l', '127.0.0.1', '-U', '0', '-vv', '-p', String(port), ...more],
    'server listening',
  );
  afterThis(() => real.stop());
  return real;
}

const recorder = (port: number, mode: string, mocks: readonly Json[] = []): Promise<Running> =>
  startHost({ upstream: { url: `memcached://127.0.0.1:${port}`, mode } }, mocks);

const replay = (recording: Running): Promise<Running> =>
  startHost({ upstream: { mode: 'replay' } }, structuredClone(recording.kind.mocks.list()));

const stored = ({ host, kind }: Running): string => JSON.stringify([host.journal.list(), kind.mocks.list()]);

const SCRIPT = `
import sys
from pymemcache.client.base import PooledClient
from pymemcache.exceptions import MemcacheClientError
c = PooledClient(('127.0.0.1', int(sys.argv[1])), default_noreply=False)
print(c.set('k', 'v {{x}}'), c.get('k'), c.add('k', 1), c.replace('none', 1), c.get('none'))
print(c.set_many({'x': 'z', 'y': b'\\xff\\x00'}), sorted(c.get_many(['x', 'y', 'z']).items()))
value, token = c.gets('x')
print(c.cas('x', 'new', token), c.cas('x', 'old', token), c.get('x'))
print(c.set('n', '41'), c.incr('n', 1), c.incr('n', 1), c.decr('n', 50), c.incr('none', 1))
print(c.append('k', b'c'), c.touch('k', 100), c.touch('none'), c.delete('k'), c.delete('k'))
try:
    c.incr('x', 1)
except MemcacheClientError as error:
    print(error)
c.set('quiet', 'q', noreply=True, flags=7)
print(c.get('quiet'), c.set('api_token', 's3cr3t-1'), c.flush_all(), c.get('quiet'))
`;

describe('an upstream of Memcached', () => {
  itWithTool(
    'memcached python3:pymemcache.client.base',
    'is recorded in text, and replayed without it',
    async () => {
      const real = await startReal();
      const run = async (port: number): Promise<string> => {
        const { out, err } = await runTool(PYTHON, ['-c', SCRIPT, String(port)]);
        expect(err).toBe('');
        return out;
      };
      const direct = await run(real.port);
      const recording = await recorder(real.port, 'record_new');
      expect(await run(recording.port)).toBe(direct);
      expect(direct).toContain("[('x', b'z'), ('y', b'\\xff\\x00')]");
      expect(stored(recording)).not.toContain('s3cr3t');
      expect(recording.host.journal.list().filter(({ upstream }) => upstream?.answered !== true)).toEqual([]);
      expect(recording.kind.mocks.list().filter(({ key }) => key === 'n')).toMatchObject([
        { id: 'recorded:set-n', command: 'set', response: { status: 'STORED' } },
        { id: 'recorded:incr-n', command: 'incr', times: 1, response: { value: '42' } },
        { id: 'recorded:incr-n-2', command: 'incr', response: { value: '43' } },
        { id: 'recorded:decr-n', command: 'decr', response: { value: '0' } },
      ]);
      await real.stop();
      const replayed = await replay(recording);
      expect(await run(replayed.port)).toBe(direct);
      expect(replayed.host.journal.list({ unmatched: true })).toEqual([]);
      expect(await converse(replayed.port, 'get other\r\n')).toBe('END\r\n');
      expect(replayed.host.journal.list({ unmatched: true })).toHaveLength(1);
    },
  );

  itWithTool(
    'memcached memccapable',
    'passes what the tools of libmemcached try, in text and binary',
    async () => {
      const real = await startReal();
      for (const flag of ['-a', '-b']) {
        const { port, log } = await recorder(real.port, 'record_all');
        const { out, code } = await runTool('memccapable', [
          ...['-h', '127.0.0.1', '-p', String(port), flag, '-t', '5'],
        ]);
        expect([code, out]).toEqual([0, expect.stringMatching(/All tests passed\n$/)]);
        expect(log.filter((line) => !line.includes('is not recorded'))).toEqual([]);
      }
    },
  );

  itWithTool('memcached', 'is recorded with memjs in binary and with meta commands', async () => {
    const real = await startReal();
    const recording = await recorder(real.port, 'record_new');
    const work = async (port: number): Promise<unknown[]> => {
      const client = connectMemjs(port, {}, 'user:hunter2@');
      const text = async (value: Promise<{ value: Buffer | null }>): Promise<string> =>
        String((await value).value);
      const raw = new RawClient(port);
      return [
        await client.set('greeting', 'hello', { expires: 100 }),
        await text(client.get('greeting')),
        await text(client.get('missing')),
        await client.increment('visits', 1, { initial: 5 }),
        await client.increment('visits', 1, { initial: 5 }),
        await client.add('greeting', 'x', {}),
        await client.delete('greeting'),
        await text(client.get('greeting')),
        await raw.ask('ms meta 3 T0 F5\r\nabc\r\nmg meta v f k O7\r\nmg none v\r\nmg none v q\r\n'),
        await raw.ask('ma meta\r\nms count 1\r\n7\r\nma count v\r\nmd count q\r\nmd count\r\n'),
        await raw.ask('ms YmFzZQ== 3 b\r\nabc\r\nmg YmFzZQ== b v k\r\n'),
      ];
    };
    const answers = await work(recording.port);
    expect(answers.slice(1, 5)).toEqual([
      'hello',
      'null',
      { success: true, value: 5 },
      { success: true, value: 6 },
    ]);
    expect(answers.slice(8)).toEqual([
      'HD\r\nVA 3 f5 kmeta O7\r\nabc\r\nEN\r\n',
      'CLIENT_ERROR cannot increment or decrement non-numeric value\r\nHD\r\nVA 1\r\n8\r\nNF\r\n',
      'HD\r\nVA 3 kYmFzZQ== b\r\nabc\r\n',
    ]);
    expect(stored(recording)).not.toContain('hunter2');
    await real.stop();
    const replayed = await replay(recording);
    expect(await work(replayed.port)).toEqual(answers);
    expect(replayed.host.journal.list({ unmatched: true })).toEqual([]);
  });

  itWithTool('memcached', 'is asked for what no mock answers, and compared with mocks', async () => {
    const real = await startReal('-I', '8m');
    const user = { command: 'get', key: 'user', response: { json: { name: 'Ann', token: 'REDACTED' } } };
    const spy = await recorder(real.port, 'spy', [user]);
    const [stored1, stored2] = ['{"name":"Bob","token":"x"}', '1'];
    expect(
      await converse(
        spy.port,
        `set user 0 0 ${stored1.length}\r\n${stored1}\r\nset other 3 0 1\r\n${stored2}\r\nget user other none\r\nversion\r\nfrobnicate\r\n`,
      ),
    ).toMatch(
      /^STORED\r\nSTORED\r\nVALUE user 0 33\r\n\{"name":"Ann","token":"REDACTED"\}\r\nVALUE other 3 1\r\n1\r\nEND\r\nVERSION 1\S+\r\nERROR\r\n$/,
    );
    const diff = await recorder(real.port, 'diff', [
      user,
      { command: 'get', key: 'other', response: { value: '1', flags: 3 } },
    ]);
    await converse(diff.port, 'get user other\r\n');
    expect(diff.host.journal.list().map(({ upstream }) => upstream?.differences)).toEqual([
      ['answer /value/name: the mock has "Ann", the upstream "Bob"'],
      [],
    ]);
    const huge = 'x'.repeat(3_000_000);
    await converse(real.port, `set huge 0 0 ${huge.length}\r\n${huge}\r\n`);
    expect(await converse(spy.port, 'get huge\r\n').catch((error: Error) => error.message)).toMatch(
      /^$|RESET/,
    );
    expect(spy.host.journal.list().at(-1)?.response?.status).toContain('longer than 2 MiB');
    const quiet = request(0x09, { key: 'none' });
    expect(await converse(spy.port, Buffer.concat([quiet, request(0x0a)]))).toHaveLength(24);
    await real.stop();
    await converse(spy.port, 'get other\r\n').catch(() => undefined);
    expect(spy.host.journal.list().at(-1)?.response?.status).toContain('the upstream gave no answer');
  });
});
