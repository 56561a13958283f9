import { describe, expect } from '@jest/globals';
import { itWithTool, runTool, type RunningServer } from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { Redis } from 'ioredis';
import { startReal } from './reference-server.js';
import { afterThis, RawClient, startHost, type Running } from './support.js';

const recorder = (
  port: number,
  mode: string,
  mocks: readonly Json[] = [],
  more: Json = {},
): Promise<Running> => startHost({ upstream: { url: `redis://127.0.0.1:${port}`, mode }, ...more }, mocks);

const replay = (recording: Running): Promise<Running> =>
  startHost({ upstream: { mode: 'replay' } }, structuredClone(recording.kind.mocks.list()));

function connect(port: number, more: object = {}): Redis {
  const client = new Redis({ port, host: '127.0.0.1', retryStrategy: () => null, ...more });
  client.on('error', () => undefined);
  afterThis(() => client.disconnect());
  return client;
}

/** What an application does, and what it is answered. */
async function work(port: number): Promise<unknown[]> {
  const client = connect(port, { username: 'default', password: 'hunter2', db: 3 });
  const told = async (coming: Promise<unknown>): Promise<unknown> =>
    coming.catch((error: Error) => `error: ${error.message}`);
  const answers = [
    await client.ping(),
    await client.set('greeting', 'hello {{name}}'),
    await client.get('greeting'),
    await client.get('missing'),
    await client.incr('visits'),
    await client.incr('visits'),
    await client.get('visits'),
    await client.hset('user:1', { name: 'Ann', age: '7' }),
    await client.hgetall('user:1'),
    await client.hmget('user:1', 'age', 'none', 'name'),
    await client.rpush('list', 'a', 'b', 'c'),
    await client.lrange('list', 0, -1),
    await client.call('BLPOP', 'list', '1'),
    await client.zadd('scores', 1.5, 'x', 2, 'y'),
    await client.zrange('scores', '0', '-1', 'WITHSCORES'),
    await client.mget('greeting', 'missing', 'visits'),
    await told(client.lpush('greeting', 'x')),
    await client.call('EVAL', 'return {1, "two", {KEYS[1]}}', '1', 'k'),
    await client.call('SET', 'lock', '1', 'EX', '10', 'NX'),
    await client.call('SET', 'lock', '1', 'EX', '10', 'NX'),
    await client.pipeline().set('p1', '1').get('p1').del('p1').exec(),
    await client.set('empty', ''),
    await client.get('empty'),
  ];
  await client.quit();
  return answers;
}

describe('an upstream of Redis', () => {
  itWithTool('redis-server', 'is recorded with ioredis, and replayed with the server ended', async () => {
    const real = await startReal('--requirepass', 'hunter2');
    const recording = await recorder(real.port, 'record_new');
    const answers = await work(recording.port);
    const expected = await workDirectly(real);
    expect(answers.slice(0, 7)).toEqual(['PONG', 'OK', 'hello {{name}}', null, 1, 2, '2']);
    expect(answers).toEqual(expected);
    const entries = recording.host.journal.list();
    expect(entries[0]).toMatchObject({ method: 'HELLO', body: 'AUTH default REDACTED' });
    expect(entries.filter(({ upstream }) => upstream?.answered !== true)).toEqual([]);
    expect(JSON.stringify([entries, recording.kind.mocks.list()])).not.toContain('hunter2');
    expect(recording.kind.mocks.list().filter(({ key }) => key === 'visits')).toMatchObject([
      { id: 'recorded:incr-visits', command: 'INCR', times: 1, response: { type: 'integer', value: '1' } },
      { id: 'recorded:incr-visits-2', command: 'INCR', response: { type: 'integer', value: '2' } },
      { id: 'recorded:get-visits', command: 'GET', response: { type: 'bulk', value: '2' } },
    ]);
    await real.stop();
    const replayed = await replay(recording);
    expect(await work(replayed.port)).toEqual(answers);
    expect(replayed.host.journal.list({ unmatched: true })).toEqual([]);
    await expect(connect(replayed.port).set('greeting', 'other')).rejects.toThrow('no mock matched');
    await expect(connect(replayed.port).set('lock', '1', 'EX', 10)).rejects.toThrow('no mock matched');

    async function workDirectly({ port }: RunningServer): Promise<unknown[]> {
      const flush = connect(port, { password: 'hunter2' });
      await flush.flushall();
      return work(port);
    }
  });

  itWithTool('redis-server', 'keeps no secrets, and passes what it cannot record', async () => {
    const real = await startReal();
    const recording = await recorder(real.port, 'record_all', [
      { id: 'mine', command: 'GET', key: 'mine', response: { type: 'bulk', value: 'a mock' } },
    ]);
    const client = new RawClient(recording.port);
    const say = (line: string): Promise<string> => client.ask(line);
    expect(await say('AUTH s3cr3t-1')).toContain('without any password configured');
    await say('CONFIG SET masterauth s3cr3t-2');
    await say('ACL SETUSER ann on >s3cr3t-3 ~*');
    await say('SET api_token s3cr3t-4');
    expect(await say('GET api_token')).toContain('s3cr3t-4');
    await say('HSET user password s3cr3t-5 name Ann');
    expect(await say('HGETALL user')).toContain('s3cr3t-5');
    expect(await say('HMGET user name password')).toContain('s3cr3t-5');
    await say('SET doc {"secret":"s3cr3t-6","n":1}');
    expect(await say('GET doc')).toContain('s3cr3t-6');
    expect(await say('MGET a_token doc')).toContain('s3cr3t-6');
    expect(await say('GET mine')).toBe('$-1\r\n');
    // What becomes bytes that no mock gives, and what is too long.
    await say('SETBIT bits 0 1');
    expect(await say('GET bits')).toBe('$1\r\n\x80\r\n');
    await say(`SETRANGE long 3000000 x`);
    expect(await say('GET long')).toHaveLength('$3000001\r\n'.length + 3_000_003);
    expect(await say('MULTI')).toBe('+OK\r\n');
    expect(await say('INCR visits')).toBe('+QUEUED\r\n');
    expect(await say('EXEC')).toBe('*1\r\n:1\r\n');
    await say('SUBSCRIBE news');
    const publisher = connect(recording.port);
    expect(await publisher.publish('news', 'hi')).toBe(1);
    expect(await client.reply()).toBe('*3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$2\r\nhi\r\n');
    const mocks = recording.kind.mocks.list();
    const stored = JSON.stringify([recording.host.journal.list(), mocks]);
    expect(stored.match(/s3cr3t-\d/g)).toBeNull();
    expect(mocks.find(({ id }) => id === 'recorded:get-doc')).toMatchObject({
      response: { value: '{"secret":"REDACTED","n":1}' },
    });
    expect(mocks.find(({ id }) => id === 'recorded:hset-user')).toMatchObject({
      args: ['password', { present: true }, 'name', 'Ann', { absent: true }],
    });
    expect(
      mocks.map(({ id }) => id).filter((id) => /multi|exec|visits|news|bits-2|get-bits|get-long/.test(id)),
    ).toEqual(['recorded:publish-news']);
    for (const reason of ['not UTF-8', 'longer than 2 MiB', 'belongs to a transaction', 'as it comes'])
      expect(recording.log).toContainEqual(expect.stringContaining(reason));
    expect(recording.host.journal.list().map(({ method }) => method)).toContain('SUBSCRIBE');
  });

  itWithTool('redis-server', 'is asked for what no mock answers, and compared with mocks', async () => {
    const real = await startReal();
    const hello = { id: 'hello', command: 'GET', key: 'hello', response: { type: 'bulk', value: 'a mock' } };
    const spying = connect((await recorder(real.port, 'spy', [hello])).port);
    expect([await spying.set('other', '1'), await spying.get('other'), await spying.get('hello')]).toEqual([
      'OK',
      '1',
      'a mock',
    ]);
    const comparing = await recorder(real.port, 'diff', [
      hello,
      { command: 'SET', response: { type: 'string', value: 'OK' } },
      { command: 'GET', key: 'other', response: { type: 'bulk', value: '1' } },
      { command: 'HGETALL', response: { type: 'map', value: { name: 'Ann', token: 'REDACTED' } } },
    ]);
    const client = connect(comparing.port);
    await client.set('hello', 'real');
    await client.hset('h', { name: 'Bob', token: 'x' });
    expect([await client.get('hello'), await client.get('other'), await client.hgetall('h')]).toEqual([
      'a mock',
      '1',
      { name: 'Ann', token: 'REDACTED' },
    ]);
    const noted = comparing.host.journal
      .list()
      .flatMap(({ upstream }) => (upstream?.differences ? [upstream.differences] : []));
    expect(noted).toEqual([
      [],
      ['answer /: the mock has "a mock", the upstream "real"'],
      [],
      ['answer /name: the mock has "Ann", the upstream "Bob"'],
    ]);
  });

  itWithTool('redis-server redis-cli', 'is reached by RESP2, by pipelines, and gone at once', async () => {
    const real = await startReal();
    const passing = await recorder(real.port, 'passthrough');
    const commands = Array.from({ length: 500 }, (_, index) => `SET k${index} ${index}`).join('\n');
    const { out } = await runTool('redis-cli', ['-p', String(passing.port)], {
      input: `${commands}\nGET k499\n`,
    });
    expect(out.split('\n').slice(-2)).toEqual(['499', '']);
    expect(passing.host.journal.list().at(-1)).toMatchObject({
      method: 'GET',
      path: 'k499',
      response: { body: '499' },
    });
    await real.stop();
    const gone = await runTool('redis-cli', ['-p', String(passing.port), 'GET', 'k1']);
    expect(gone.err + gone.out).toMatch(/reset|closed/);
    expect(passing.log).toEqual([expect.stringContaining('cannot be reached')]);
  });

  itWithTool('redis-server', 'is replayed with the null arrays of RESP2 that it has given', async () => {
    const real = await startReal();
    const recording = await recorder(real.port, 'record_new');
    const ask = async ({ port }: { readonly port: number }): Promise<string[]> => {
      const client = new RawClient(port);
      const answers: string[] = [];
      for (const command of ['BLPOP none 0.01', 'GET none', 'GEOPOS none place'])
        answers.push(await client.ask(command));
      return answers;
    };
    const expected = ['*-1\r\n', '$-1\r\n', '*1\r\n*-1\r\n'];
    expect(await ask(recording)).toEqual(expected);
    await real.stop();
    expect(await ask(await replay(recording))).toEqual(expected);
  });
});
