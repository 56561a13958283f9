import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { collectCleanups, startKind, startServer } from '@backlot/conformance';
import { importFile, readImport } from '@backlot/core';
import { runAtOnce } from '@backlot/core/plugin';
import { describe, expect, it } from '@jest/globals';
import { Client } from 'memjs';
import { importers } from '../src/imports/importers.js';
import { memcached } from '../src/index.js';

const afterThis = collectCleanups();
const TOOL = '/usr/share/memcached/scripts/memcached-tool';

function connect(port: number): Client {
  const client = Client.create(`127.0.0.1:${port}`);
  afterThis(() => client.close());
  return client;
}

describe('memcached-tool dump', () => {
  it('brings the items of a real server', async () => {
    const real = await startServer(
      'memcached',
      (port) => ['-p', String(port), '-l', '127.0.0.1', '-u', 'nobody', '-vv'],
      'server listening',
    );
    afterThis(() => real.stop());
    const from = connect(real.port);
    const values = {
      greeting: 'h\u00e9llo\r\nadd x 0 0 1',
      empty: '',
      bytes: Buffer.from([0xff, 0, 13, 10]),
    };
    for (const [key, value] of Object.entries(values)) await from.set(key, value, {});
    await from.set('lasting', 'x', { expires: 3600 });
    const { stdout: content } = await promisify(execFile)('perl', [TOOL, `127.0.0.1:${real.port}`, 'dump'], {
      encoding: 'buffer',
    });
    const { imported, report } = runAtOnce(
      readImport(importFile({ name: 'dump.txt', content }), importers, { seed: 1 }),
    );
    expect(report).toMatchObject({ format: 'memcached', taken: { 'memcached items': 4 }, refused: [] });
    expect(report.approximated[0]?.message).toContain('items that go away stay');
    const { port, host } = await startKind(memcached, afterThis, imported.protocols?.['memcached']);
    const to = connect(port);
    for (const [key, value] of Object.entries(values)) {
      expect((await to.get(key)).value).toEqual(Buffer.from(value as never));
      await to.delete(key);
    }
    host.reset();
    expect(String((await to.get('greeting')).value)).toBe(values.greeting);
  });

  it('refuses items of a configuration that cannot be stored', async () => {
    const start = (settings: object): Promise<unknown> => startKind(memcached, afterThis, { ...settings });
    await expect(start({ items: [{ key: 'a b', value: 'x' }] })).rejects.toThrow('no spaces');
    await expect(start({ mode: 'mock', items: [] })).rejects.toThrow('mode "mock" stores none');
  });
});
