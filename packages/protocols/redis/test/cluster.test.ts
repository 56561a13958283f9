import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { freePort, itWithTool } from '@backlot/conformance';
import { Cluster, Redis } from 'ioredis';
import { createCluster, createSentinel } from 'redis';
import { startReference } from './reference-server.js';
import { afterThis, RawClient, startHost } from './support.js';

const CLUSTER = { mode: 'stateful', cluster: true };

describe('a cluster of one node', () => {
  it('ioredis connects and keeps data', async () => {
    const { port } = await startHost(CLUSTER);
    const client = new Cluster([{ host: '127.0.0.1', port }]);
    afterThis(() => client.disconnect());
    expect(await client.set('a', '1')).toBe('OK');
    expect(await client.get('a')).toBe('1');
    expect(client.nodes('master')).toHaveLength(1);
  });

  it('node-redis connects and keeps data', async () => {
    const { port } = await startHost(CLUSTER);
    const client = createCluster({ rootNodes: [{ url: `redis://127.0.0.1:${port}` }] });
    await client.connect();
    afterThis(() => client.destroy());
    expect(await client.set('a', '1')).toBe('OK');
    expect(await client.get('a')).toBe('1');
  });

  itWithTool('python3', 'redis-py connects and keeps data', async () => {
    const { port } = await startHost(CLUSTER);
    const script = [
      'from redis.cluster import RedisCluster',
      `c = RedisCluster(host="127.0.0.1", port=${port})`,
      'c.set("a", "1")',
      'print(c.get("a"), c.cluster_keyslot("a"))',
    ].join('\n');
    const { stdout } = await promisify(execFile)('/usr/bin/python3', ['-c', script]);
    expect(stdout).toBe("b'1' 15495\n");
  });

  itWithTool('redis-server', 'answers as redis-server does with all slots', async () => {
    const { port } = await startHost(CLUSTER);
    const folder = await mkdtemp(join(tmpdir(), 'backlot-redis-'));
    afterThis(() => rm(folder, { recursive: true, force: true }));
    const reference = await startReference(
      ...['--cluster-enabled', 'yes', '--dir', folder, '--cluster-announce-ip', '127.0.0.1'],
      // By itself it adds 10000 to its port, which may be beyond the last.
      ...['--cluster-port', String(await freePort())],
    );
    const ours = new RawClient(port);
    const theirs = new RawClient(reference);
    await theirs.ask('CLUSTER ADDSLOTSRANGE 0 16383');
    await theirs.ask('CLUSTER SET-CONFIG-EPOCH 1');
    while (!(await theirs.ask('CLUSTER INFO')).includes('cluster_state:ok'));
    for (const line of [
      'SET a 1',
      'MSET a 1 b 2',
      'MSET {t}a 1 {t}b 2',
      'DEL a b',
      'SELECT 1',
      'SELECT 0',
      'CLUSTER KEYSLOT foo{bar}baz',
      'CLUSTER KEYSLOT {}x',
      'CLUSTER KEYSLOT foo{{bar}}zap',
      'CLUSTER COUNTKEYSINSLOT 15891',
      'CLUSTER COUNTKEYSINSLOT 99999',
      'ZUNION 2 a b',
      'XREAD STREAMS a b 0 0',
      'READONLY',
      'READWRITE',
      'ASKING',
    ])
      expect([line, await ours.ask(line)]).toEqual([line, await theirs.ask(line)]);
    // The id and the ports are each server's own.
    const hide = (reply: string, own: number): string =>
      reply
        .replace(/[0-9a-f]{40}/g, '<id>')
        .replace(/@\d{5}/g, '@<bus>')
        .replaceAll(String(own), '<port>');
    for (const version of [2, 3]) {
      for (const client of [ours, theirs]) await client.ask(`HELLO ${version}`);
      for (const line of ['CLUSTER SLOTS', 'CLUSTER SHARDS', 'CLUSTER NODES'])
        expect([version, line, hide(await ours.ask(line), port)]).toEqual([
          version,
          line,
          hide(await theirs.ask(line), reference),
        ]);
    }
  });

  it('is off unless it is asked for', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const client = new RawClient(port);
    expect(await client.ask('CLUSTER SLOTS')).toBe('-ERR This instance has cluster support disabled\r\n');
    expect(await client.ask('MSET a 1 b 2')).toBe('+OK\r\n');
    expect(await client.ask('SENTINEL masters')).toMatch(/^-ERR unknown command/);
  });
});

describe('a sentinel with one master', () => {
  const SENTINEL = { mode: 'stateful', sentinel: { master: 'mymaster' } };

  it('ioredis finds the master', async () => {
    const { port } = await startHost(SENTINEL);
    const client = new Redis({ sentinels: [{ host: '127.0.0.1', port }], name: 'mymaster' });
    afterThis(() => client.disconnect());
    expect(await client.set('a', '1')).toBe('OK');
  });

  it('node-redis finds the master', async () => {
    const { port } = await startHost(SENTINEL);
    const client = createSentinel({ name: 'mymaster', sentinelRootNodes: [{ host: '127.0.0.1', port }] });
    await client.connect();
    afterThis(() => client.destroy());
    expect(await client.set('a', '1')).toBe('OK');
  });

  itWithTool('python3', 'redis-py finds the master', async () => {
    const { port } = await startHost(SENTINEL);
    const script = [
      'from redis.sentinel import Sentinel',
      `m = Sentinel([("127.0.0.1", ${port})]).master_for("mymaster")`,
      'print(m.set("a", "1"), m.role()[0])',
    ].join('\n');
    const { stdout } = await promisify(execFile)('/usr/bin/python3', ['-c', script]);
    expect(stdout).toBe("True b'master'\n");
  });

  it('knows no other name', async () => {
    const { port } = await startHost(SENTINEL);
    const client = new RawClient(port);
    expect(await client.ask('SENTINEL get-master-addr-by-name other')).toBe('*-1\r\n');
    expect(await client.ask('SENTINEL master other')).toBe('-ERR No such master with that name\r\n');
  });
});
