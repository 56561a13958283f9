import { expect } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { startReference } from './reference-server.js';
import { RawClient, startHost } from './support.js';

/** Lines that make a key `k` of each type, small and large. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  number: ['SET k 12345'],
  text: [`SET k ${'x'.repeat(100)}`],
  'long text': [`SET k ${'x'.repeat(20_000)}`],
  'short list': ['RPUSH k a b c'],
  list: [`RPUSH k ${Array.from({ length: 500 }, (_, n) => `item${n}`).join(' ')}`],
  'set of numbers': ['SADD k 1 2 3'],
  set: [`SADD k ${Array.from({ length: 600 }, (_, n) => `member${n}`).join(' ')}`],
  'short hash': ['HSET k a 1 b 2'],
  hash: [`HSET k ${Array.from({ length: 600 }, (_, n) => `field${n} value${n}`).join(' ')}`],
  'sorted set': [`ZADD k ${Array.from({ length: 600 }, (_, n) => `${n} member${n}`).join(' ')}`],
  stream: Array.from({ length: 50 }, (_, n) => `XADD k ${n + 1}-0 field value${n}`),
};

itWithTool('redis-server', 'MEMORY USAGE is of the same order', async () => {
  const { port } = await startHost({ mode: 'stateful' });
  const clients = [new RawClient(port), new RawClient(await startReference())];
  const usage = async (client: RawClient, lines: readonly string[]): Promise<number> => {
    for (const line of ['DEL k', ...lines]) await client.ask(line);
    return Number((await client.ask('MEMORY USAGE k')).slice(1));
  };
  const far: unknown[] = [];
  for (const [name, lines] of Object.entries(KEYS)) {
    const [own = 0, real = 0] = await Promise.all(clients.map((client) => usage(client, lines)));
    if (!(own > real / 10 && own < real * 10)) far.push({ name, own, real });
  }
  expect(far).toEqual([]);
});
