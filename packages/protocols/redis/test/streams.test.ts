import { describe, expect, it } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { startReference } from './reference-server.js';
import { afterThis, command, RawClient, startHost } from './support.js';

/** Asks until so many clients wait. */
async function untilBlocked(client: RawClient, count: number): Promise<void> {
  for (let tries = 0; tries < 2_000; tries += 1)
    if ((await client.ask('INFO clients')).includes(`blocked_clients:${count}`)) return;
  throw new Error(`there were never ${count} clients that wait`);
}

/** What clients see that wait for entries while others write: who waits, what another says, and all answers. */
const SCENES: readonly {
  readonly before: readonly string[];
  readonly waits: readonly string[];
  readonly after: readonly string[];
}[] = [
  {
    before: ['XADD s 1-0 a 1'],
    waits: ['XREAD BLOCK 0 STREAMS s $', 'XREAD BLOCK 0 STREAMS other s 0 $', 'XREAD BLOCK 0 STREAMS s 5-0'],
    after: ['XADD s 2-0 b 2', 'XADD s 6-0 c 3'],
  },
  {
    before: ['XGROUP CREATE s g $ MKSTREAM'],
    waits: ['XREADGROUP GROUP g a BLOCK 0 STREAMS s >', 'XREADGROUP GROUP g b BLOCK 0 COUNT 1 STREAMS s >'],
    after: ['XADD s 2-0 b 2', 'XADD s 3-0 c 3', 'XPENDING s g - + 10 a', 'XINFO GROUPS s'],
  },
  {
    before: ['XGROUP CREATE s g $ MKSTREAM'],
    waits: ['XREADGROUP GROUP g a BLOCK 0 STREAMS s >', 'XREADGROUP GROUP g b BLOCK 0 STREAMS s >'],
    after: ['DEL s'],
  },
  {
    before: ['XGROUP CREATE s g $ MKSTREAM'],
    waits: ['XREADGROUP GROUP g a BLOCK 0 STREAMS s >'],
    after: ['XGROUP DESTROY s g'],
  },
  {
    before: ['XGROUP CREATE s g $ MKSTREAM'],
    waits: ['XREADGROUP GROUP g a BLOCK 0 STREAMS s >'],
    after: ['SET s x'],
  },
  {
    before: ['XGROUP CREATE s g $ MKSTREAM'],
    waits: ['XREADGROUP GROUP g a BLOCK 0 STREAMS s >'],
    after: ['FLUSHALL'],
  },
  {
    before: ['XADD t 1-0 a 1'],
    waits: ['XREAD BLOCK 0 STREAMS s 0', 'BLPOP s 0'],
    after: ['LPUSH s x', 'RENAME t s'],
  },
  {
    before: ['XGROUP CREATE s g $ MKSTREAM'],
    waits: ['XREAD BLOCK 0 STREAMS s $'],
    after: ['MULTI', 'XADD s 1-0 a 1', 'XADD s 2-0 b 2', 'EXEC'],
  },
];

async function play(port: number, scene: (typeof SCENES)[number], resp: number): Promise<string[]> {
  const writer = new RawClient(port);
  await writer.ask('FLUSHALL');
  for (const line of scene.before) await writer.ask(line);
  const waiting: RawClient[] = [];
  for (const line of scene.waits) {
    const client = new RawClient(port);
    await client.ask(`HELLO ${resp}`);
    client.send(command(line));
    waiting.push(client);
    await untilBlocked(writer, waiting.length);
  }
  const seen: string[] = [];
  for (const line of scene.after)
    seen.push((await writer.ask(line)).replace(/:\d+\r\n:1\r\n$/, ':-\r\n:1\r\n'));
  for (const client of waiting) {
    client.send(command('PING'));
    seen.push(await client.reply());
  }
  return seen;
}

describe.each([2, 3])('clients that wait for entries, RESP%i', (resp) => {
  itWithTool('redis-server', 'see what they see at redis-server', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const reference = await startReference();
    for (const scene of SCENES)
      expect(await play(port, scene, resp)).toEqual(await play(reference, scene, resp));
  });
});

describe('streams', () => {
  it('ids and idle times follow the clock of the host', async () => {
    const { port, host } = await startHost({ mode: 'stateful' });
    const client = new RawClient(port);
    const first = await client.ask('XADD s * a 1');
    await host.clock.advance(3_600_000);
    const second = await client.ask('XADD s * a 1');
    const [one, two] = [first, second].map((reply) => Number(/(\d+)-0/.exec(reply)?.[1]));
    expect((two ?? 0) - (one ?? 0)).toBeGreaterThanOrEqual(3_600_000);
    await client.ask('XGROUP CREATE s g 0');
    await client.ask('XREADGROUP GROUP g c COUNT 1 STREAMS s >');
    expect(await client.ask('XPENDING s g IDLE 60000 - + 5')).toBe('*0\r\n');
    await host.clock.advance(60_000);
    expect(await client.ask('XPENDING s g IDLE 60000 - + 5')).toMatch(/^\*1\r\n\*4\r\n/);
    expect(await client.ask('XAUTOCLAIM s g d 60000 0 JUSTID')).toContain(String(one));
    expect(await client.ask('XAUTOCLAIM s g d 60000 0 JUSTID')).toBe('*3\r\n$3\r\n0-0\r\n*0\r\n*0\r\n');
    client.send(command('XREAD BLOCK 5000 STREAMS s $') + command('PING'));
    await untilBlocked(new RawClient(port), 1);
    await host.clock.advance(5_000);
    expect(await client.reply()).toBe('*-1\r\n');
    expect(await client.reply()).toBe('+PONG\r\n');
  });

  it('snapshots keep entries, groups and what is pending, and a reset deletes them', async () => {
    const { port, host } = await startHost({ mode: 'stateful' });
    const client = new RawClient(port);
    for (let id = 1; id <= 300; id += 1) await client.ask(`XADD s ${id}-0 f v`);
    await client.ask('XGROUP CREATE s g 0');
    await client.ask('XREADGROUP GROUP g c COUNT 150 STREAMS s >');
    await client.ask('XDEL s 5-0');
    const shown = await client.ask('XINFO STREAM s FULL COUNT 0');
    const used = await client.ask('MEMORY USAGE s');
    const { id } = host.snapshots.create();
    await client.ask('XTRIM s MAXLEN 0');
    await client.ask('XGROUP DESTROY s g');
    host.snapshots.restore(id);
    expect(await client.ask('XINFO STREAM s FULL COUNT 0')).toBe(shown);
    expect(await client.ask('MEMORY USAGE s')).toBe(used);
    host.reset();
    expect(await client.ask('EXISTS s')).toBe(':0\r\n');
  });

  it('memory is counted: it grows with entries and pending ones, and what goes gives it back', async () => {
    const { port } = await startHost({ mode: 'stateful', max_memory: 60_000 });
    const client = new RawClient(port);
    const usage = async (): Promise<number> => Number((await client.ask('MEMORY USAGE s')).slice(1));
    await client.ask('XGROUP CREATE s g 0 MKSTREAM');
    const empty = await usage();
    let count = 0;
    while ((await client.ask('XADD s * field value')).startsWith('$')) count += 1;
    expect(count).toBeGreaterThan(100);
    expect(count).toBeLessThan(400);
    expect(await client.ask('XADD s * field value')).toMatch(/^-OOM/);
    const full = await usage();
    await client.ask('XREADGROUP GROUP g c STREAMS s >');
    expect(await usage()).toBeGreaterThan(full + 100 * count);
    expect(await client.ask('XGROUP DELCONSUMER s g c')).toBe(`:${count}\r\n`);
    expect(await client.ask('XTRIM s MAXLEN 0')).toBe(`:${count}\r\n`);
    expect(await usage()).toBe(empty);
  });
});

describe('bounds of streams', () => {
  it('a stream has 10,000 groups at most, and a group 10,000 consumers', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const client = new RawClient(port);
    const lines = Array.from({ length: 10_000 }, (_, n) => `XGROUP CREATE s g${n} 0 MKSTREAM`);
    const consumers = Array.from({ length: 10_000 }, (_, n) => `XGROUP CREATECONSUMER s g1 c${n}`);
    client.send([...lines, ...consumers].map(command).join(''));
    for (let left = 20_000; left > 0; left -= 1) expect(await client.reply()).toMatch(/^[+:]/);
    expect(await client.ask('XGROUP CREATE s more 0')).toBe('-ERR a stream has 10000 groups at most\r\n');
    client.send(command('XREADGROUP GROUP g1 more BLOCK 0 STREAMS s >'));
    const writer = new RawClient(port);
    await untilBlocked(writer, 1);
    await writer.ask('XADD s 1-0 a b');
    expect(await client.reply()).toBe('-ERR a group has 10000 consumers at most\r\n');
  });
});

describe('clients of streams', () => {
  it('ioredis: a consumer group from reading to claiming', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const client = new Redis({ port, host: '127.0.0.1' });
    const reader = client.duplicate();
    afterThis(() => {
      client.disconnect();
      reader.disconnect();
    });
    await client.xgroup('CREATE', 'jobs', 'workers', '$', 'MKSTREAM');
    const read = reader.xreadgroup('GROUP', 'workers', 'one', 'BLOCK', 0, 'STREAMS', 'jobs', '>');
    const id = await client.xadd('jobs', 'MAXLEN', '~', 1000, '*', 'name', 'mail');
    expect(await read).toEqual([['jobs', [[id, ['name', 'mail']]]]]);
    expect(await client.xpending('jobs', 'workers')).toEqual([1, id, id, [['one', '1']]]);
    expect(await client.xautoclaim('jobs', 'workers', 'two', 0, '0')).toEqual([
      '0-0',
      [[id, ['name', 'mail']]],
      [],
    ]);
    expect(await client.xack('jobs', 'workers', id ?? '')).toBe(1);
  });

  it('node-redis: what it makes of streams in RESP3', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const client = createClient({ url: `redis://127.0.0.1:${port}`, RESP: 3 });
    await client.connect();
    afterThis(() => client.destroy());
    await client.xAdd('s', '1-1', { a: '1' });
    await client.xGroupCreate('s', 'g', '0');
    const read = await client.xReadGroup('g', 'c', { key: 's', id: '>' }, { COUNT: 5 });
    expect(JSON.stringify(read)).toContain('"1-1"');
    expect((await client.xInfoGroups('s'))[0]).toMatchObject({ name: 'g', consumers: 1, pending: 1, lag: 0 });
    expect((await client.xInfoStream('s')).length).toBe(1);
    expect(await client.xRange('s', '-', '+')).toEqual([{ id: '1-1', message: { a: '1' } }]);
  });
});
