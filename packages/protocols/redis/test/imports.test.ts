import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importFile, readImport, type Imported, type ImportReport, type Json } from '@backlot/core';
import { runAtOnce } from '@backlot/core/plugin';
import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { importers } from '../src/imports/importers.js';
import { startReference } from './reference-server.js';
import { afterThis, startHost } from './support.js';

const SAMPLES = fileURLToPath(new URL('samples', import.meta.url));

function convert(name: string, content: string | Uint8Array): { imported: Imported; report: ImportReport } {
  return runAtOnce(readImport(importFile({ name, content }), importers, { seed: 1 }));
}

function connect(port: number, db = 0): Redis {
  const client = new Redis({ host: '127.0.0.1', port, db });
  afterThis(() => client.disconnect());
  return client;
}

/** All that two databases have, key by key. */
async function readAll(port: number): Promise<Json> {
  const all: Record<string, unknown> = {};
  for (const database of [0, 2]) {
    const client = connect(port, database);
    for (const key of (await client.keys('*')).toSorted()) {
      const type = await client.type(key);
      all[`${database}:${key}`] =
        type === 'string'
          ? (await client.getBuffer(key))?.toString('base64')
          : type === 'list'
            ? await client.lrange(key, 0, -1)
            : type === 'set'
              ? (await client.smembers(key)).toSorted()
              : type === 'zset'
                ? await client.call('ZRANGE', key, '0', '-1', 'WITHSCORES')
                : type === 'hash'
                  ? await client.hgetall(key)
                  : await client.xrange(key, '-', '+');
    }
  }
  return all;
}

/** What a server of ours has that was started with an import. */
async function serve(imported: Imported): Promise<number> {
  const { port } = await startHost({ ...imported.protocols?.['redis'] });
  return port;
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'backlot-rdb-'));
  afterThis(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

describe('RDB files', () => {
  it.each(readdirSync(SAMPLES).filter((name) => name.endsWith('.rdb') && !/module|expiry/.test(name)))(
    'has the keys of %s that redis-server reads of it',
    async (name) => {
      const dir = folder();
      copyFileSync(join(SAMPLES, name), join(dir, 'dump.rdb'));
      const reference = await startReference('--dir', dir);
      const { imported, report } = convert(name, readFileSync(join(SAMPLES, name)));
      expect(report.format).toBe('rdb');
      const wanted = await readAll(reference);
      expect(Object.keys(wanted).length).toBeGreaterThan(0);
      expect(await readAll(await serve(imported))).toEqual(wanted);
    },
  );

  it('has the keys of a server of today, bytes that are no text among them', async () => {
    const dir = folder();
    const reference = await startReference('--dir', dir);
    const client = connect(reference);
    await client.set('text', 'h\u00e9llo "you"\r\n');
    await client.set('bytes', Buffer.from([0xff, 0, 0x80]));
    await client.set('counter', 41);
    await client.set('long', 'abc'.repeat(1000));
    await client.rpush('list', 'a', '-7', '70000', Buffer.from([0xff]));
    await client.rpush('big', ...Array.from({ length: 600 }, (_, index) => `item ${index}`));
    await client.sadd('ints', 1, 2, 300_000);
    await client.sadd('set', 'x', 'y');
    await client.zadd('zset', 1.5, 'ada', '-inf', 'bob');
    await client.hset('hash', { name: 'Ann', bio: 'x'.repeat(100) });
    await client.xadd('stream', '1-1', 'type', 'mail');
    await client.xadd('stream', '2-1', 'type', 'call', 'n', '7');
    await client.select(2);
    await client.set('other', 'two');
    await client.call('SAVE');
    const wanted = await readAll(reference);
    const { imported } = convert('dump.rdb', readFileSync(join(dir, 'dump.rdb')));
    expect(await readAll(await serve(imported))).toEqual(wanted);
  });

  it('says what it cannot take', () => {
    const read = (name: string): ImportReport => convert(name, readFileSync(join(SAMPLES, name))).report;
    expect(read('keys_with_expiry.rdb').approximated[0]?.message).toContain('keys that go away stay');
    expect(() => read('redis_40_with_module.rdb')).not.toThrow();
    expect(read('redis_40_with_module.rdb').refused.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('known to the module alone'),
    );
    expect(() => convert('a.rdb', 'REDIS0009\u0000\u0001k')).toThrow('the file is damaged');
  });
});

describe('files of commands', () => {
  const LINES = String.raw`# seeds
SET greeting "hello \"you\"" EX 60
HSET user:1 name 'Ann B' age 31
RPUSH queue a b
LPUSH queue first
ZADD scores 1 ada 2.5 bob
XADD events 1-1 type mail
INCRBY visits 5
SELECT 2
SADD colours red blue
EVAL "return 1" 0
`;

  it('leads to what redis-server has after them', async () => {
    const reference = await startReference();
    const client = connect(reference);
    for (const line of LINES.split('\n').filter((one) => /^[A-Z]/.test(one) && !one.startsWith('SELECT'))) {
      if (line.startsWith('SADD')) await client.select(2);
      const [name = '', ...args] = [...line.matchAll(/"((?:\\.|[^"])*)"|'([^']*)'|(\S+)/g)].map(
        ([, double, single, bare]) => double?.replaceAll('\\"', '"') ?? single ?? bare ?? '',
      );
      await client.call(name, ...args);
    }
    const { imported, report } = convert('seeds.redis', LINES);
    expect(report.format).toBe('redis-commands');
    expect(report.refused.map(({ message }) => message)).toEqual(['the command EVAL is not carried out']);
    const port = await serve(imported);
    expect(await readAll(port)).toEqual(await readAll(reference));
    expect(await connect(port).ttl('greeting')).toBeGreaterThan(50);
  });

  it('reads an append-only file', async () => {
    const dir = folder();
    const options = [
      '--dir',
      dir,
      '--appendonly',
      'yes',
      '--appendfsync',
      'always',
      '--aof-use-rdb-preamble',
      'no',
    ];
    const reference = await startReference(...options);
    const client = connect(reference);
    await client.hset('user', { name: 'Ann' });
    await client.set('bytes', Buffer.from([0xff, 13, 10]));
    await client.lpush('list', 'b', 'a');
    const [file = ''] = readdirSync(join(dir, 'appendonlydir')).filter((name) => name.endsWith('incr.aof'));
    const { imported, report } = convert(file, readFileSync(join(dir, 'appendonlydir', file)));
    expect(report.format).toBe('redis-commands');
    expect(await readAll(await serve(imported))).toEqual(await readAll(reference));
  });
});
