import { describe, expect, it } from '@jest/globals';
import { itWithTool, runTool, type RunningServer } from '@backlot/conformance';
import { Cluster } from 'ioredis';
import { rewriteAddresses } from '../src/upstream/cluster.js';
import { startReal } from './reference-server.js';
import { afterThis, startHost, type Running } from './support.js';

async function say({ port }: { readonly port: number }, ...words: readonly string[]): Promise<string> {
  const { code, out, err } = await runTool('redis-cli', ['-p', String(port), ...words]);
  if (code !== 0) throw new Error(`redis-cli ${words.join(' ')}: ${err}`);
  return out.trim();
}

/** Two servers of the Redis project as one cluster: the first has the lower half of the slots. */
async function startCluster(): Promise<readonly [RunningServer, RunningServer]> {
  const start = (): Promise<RunningServer> => startReal('--cluster-enabled', 'yes', '--cluster-port', '0');
  const nodes = [await start(), await start()] as const;
  const [first, second] = nodes;
  await say(first, 'cluster', 'addslotsrange', '0', '8191');
  await say(second, 'cluster', 'addslotsrange', '8192', '16383');
  await say(first, 'cluster', 'meet', '127.0.0.1', String(second.port));
  for (const node of nodes) {
    let state = '';
    while (!state.includes('cluster_state:ok')) state = await say(node, 'cluster', 'info');
  }
  return nodes;
}

describe('a cluster of Redis behind an upstream', () => {
  itWithTool('redis-server', 'is reached through Backlot alone, by ioredis and redis-cli -c', async () => {
    const [first, second] = await startCluster();
    const near: Running = await startHost({
      upstream: { url: `redis://127.0.0.1:${first.port}`, mode: 'passthrough' },
    });
    const real = new RegExp(`:?\\b(?:${first.port}|${second.port})\\b`);
    for (const command of ['slots', 'shards', 'nodes']) {
      const answer = await say(near, 'cluster', command);
      expect(answer).toContain(String(near.port));
      expect(answer.replaceAll(/@\d+/g, '')).not.toMatch(real);
    }
    // The key foo is in slot 12182, of the second node.
    const moved = await say(near, 'set', 'foo', '1');
    expect(moved).toMatch(/^MOVED 12182 127\.0\.0\.1:\d+$/);
    expect(moved).not.toMatch(real);
    expect(await say(near, '-c', 'set', 'foo', 'by cli')).toBe('OK');
    const client = new Cluster([{ host: '127.0.0.1', port: near.port }]);
    afterThis(() => client.disconnect());
    expect(await client.get('foo')).toBe('by cli');
    const keys = Array.from({ length: 20 }, (_, index) => `key:${index}`);
    for (const key of keys) await client.set(key, key);
    for (const key of keys) expect(await client.get(key)).toBe(key);
    expect(await say(second, 'get', 'foo')).toBe('by cli');
    // Whoever came to a node of the cluster came by Backlot, whose log has it.
    const sets = near.host.journal.list({ limit: 500 }).filter(({ method }) => method === 'SET');
    expect(new Set(sets.map(({ path }) => path))).toEqual(new Set(['foo', ...keys]));
    expect(near.kind.service?.status?.().beside).toMatchObject([{ name: 'redis-node-1' }]);
    expect(near.kind.service?.openConnections?.().some(({ id }) => id.startsWith('redis-node-1-'))).toBe(
      true,
    );
  });

  itWithTool(
    'redis-server',
    'is recorded with ioredis, and replayed to it with the cluster ended',
    async () => {
      const nodes = await startCluster();
      const near = await startHost({
        upstream: { url: `redis://127.0.0.1:${nodes[0].port}`, mode: 'record_new' },
      });
      const work = async ({ port }: Running): Promise<unknown[]> => {
        const client = new Cluster([{ host: '127.0.0.1', port }]);
        client.on('error', () => undefined);
        const answers: unknown[] = [];
        // Of the keys foo is at the second node and bar at the first.
        for (const key of ['foo', 'bar'])
          answers.push(
            await client.set(key, `of ${key}`),
            await client.get(key),
            await client.get(`no ${key}`),
          );
        client.disconnect();
        return answers;
      };
      const answers = await work(near);
      expect(answers).toEqual(['OK', 'of foo', null, 'OK', 'of bar', null]);
      const mocks = near.kind.mocks.list();
      expect(mocks.filter(({ command }) => /cluster/i.test(String(command)))).toEqual([]);
      const settings = near.kind.service?.recordedSettings?.();
      expect(settings).toEqual({ cluster: true });
      await Promise.all(nodes.map((node) => node.stop()));
      const replaying = await startHost({ ...settings, upstream: { mode: 'replay' } }, mocks);
      expect(await work(replaying)).toEqual(answers);
      expect(replaying.host.journal.list({ unmatched: true })).toEqual([]);
      expect(await say(replaying, 'get', 'other')).toMatch(/ERR/);
      expect(replaying.host.journal.list({ unmatched: true })).toMatchObject([
        { method: 'GET', path: 'other' },
      ]);
    },
  );

  it('names nodes without their host names, and follows redirections to the one that was asked', async () => {
    const place = (host: string, port: number) => Promise.resolve({ host: `own-${host}`, port: port + 1 });
    const rewrite = async (command: string, answer: string, resp: 2 | 3): Promise<string> =>
      (await rewriteAddresses(command, Buffer.from(answer), resp, place)).toString();
    expect(
      await rewrite(
        'cluster|slots',
        '*1\r\n*3\r\n:0\r\n:16383\r\n*4\r\n$-1\r\n:7000\r\n$2\r\nid\r\n*2\r\n$8\r\nhostname\r\n$4\r\nreal\r\n',
        2,
      ),
    ).toBe('*1\r\n*3\r\n:0\r\n:16383\r\n*4\r\n$4\r\nown-\r\n:7001\r\n$2\r\nid\r\n*0\r\n');
    const line = 'txt:a1 10.0.0.1:7000@17000,real.example myself,master - 0 0 1';
    expect(await rewrite('cluster|nodes', `=${line.length}\r\n${line}\r\n`, 3)).toContain(
      'a1 own-10.0.0.1:7001@17000 myself,master - 0 0 1',
    );
    expect(await rewrite('get', '-ASK 5 :7000\r\n', 2)).toBe('-ASK 5 own-:7001\r\n');
    expect(await rewrite('get', '-ERR no such thing\r\n', 2)).toBe('-ERR no such thing\r\n');
  });
});
