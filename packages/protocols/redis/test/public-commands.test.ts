import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { itWithTool, runTool } from '@backlot/conformance';
import { importFile, readImport } from '@backlot/core';
import { runAtOnce } from '@backlot/core/plugin';
import { describe, expect } from '@jest/globals';
import { Redis } from 'ioredis';
import { importers } from '../src/imports/importers.js';
import { startReference } from './reference-server.js';
import { afterThis, startHost } from './support.js';

const MOMENTS = 'keys that go away at a moment stay: the file does not say how long they do';

/** The blocks of the README with commands: what was entered, and what the tool has written of it. */
function readBlocks(): readonly string[] {
  const text = readFileSync(new URL('samples/redis-dump.md', import.meta.url), 'utf8');
  return [...text.matchAll(/^```.*\n(?:\$ redis-dump -f 'mydb:\*'\n)?((?:(?:DEL|RPUSH) [^]*?))^```/gm)].map(
    ([, lines = '']) => lines,
  );
}

/** What a server has, key by key. */
async function readAll(port: number): Promise<object> {
  const client = new Redis({ host: '127.0.0.1', port });
  afterThis(() => client.disconnect());
  const volatile = await client.ttl('mydb:volatile');
  return {
    keys: (await client.keys('*')).toSorted(),
    list: await client.lrange('mydb:numberlist', 0, -1),
    set: (await client.smembers('mydb:numberset')).toSorted(),
    sorted: await client.zrange('mydb:sortednumberset', '0', '-1', 'WITHSCORES'),
    hash: await client.hgetall('mydb:article:4'),
    strings: await client.mget('mydb:numvisits', 'mydb:volatile'),
    isVolatile: volatile > 3000 && volatile <= 3600,
  };
}

/** What a server of ours has that was started with a file, of whose import that is told. */
async function serve(name: string, content: string | Uint8Array, told: string[] = []): Promise<unknown> {
  const { imported, report } = runAtOnce(readImport(importFile({ name, content }), importers, { seed: 1 }));
  expect(report).toMatchObject({ format: 'redis-commands', refused: [] });
  expect(report.approximated.map(({ message }) => message)).toEqual(told);
  const { port } = await startHost({ ...imported.protocols?.['redis'] });
  return readAll(port);
}

describe('the commands of redis-dump', () => {
  itWithTool(
    'redis-cli redis-server',
    'lead to what redis-server has after them, as does what it appends to its file',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'backlot-aof-'));
      afterThis(() => rmSync(folder, { recursive: true, force: true }));
      const options = ['--dir', folder, '--appendonly', 'yes', '--appendfsync', 'always'];
      const reference = await startReference(...options, '--aof-use-rdb-preamble', 'no');
      const blocks = readBlocks();
      expect(blocks).toHaveLength(2);
      for (const commands of blocks) {
        const { out } = await runTool('redis-cli', ['-p', String(reference)], { input: commands });
        expect(out).not.toContain('ERR');
        const expected = await readAll(reference);
        expect(expected).toMatchObject({ list: ['one', 'two', 'three'], isVolatile: true });
        expect(await serve('seeds.redis', commands)).toEqual(expected);
      }
      const appended = join(folder, 'appendonlydir');
      const [file = ''] = readdirSync(appended).filter((name) => name.endsWith('incr.aof'));
      // The moments of such a file are those of the day when it was written.
      const expected = { ...(await readAll(reference)), isVolatile: false };
      expect(await serve(file, readFileSync(join(appended, file)), [MOMENTS])).toEqual(expected);
    },
  );
});
