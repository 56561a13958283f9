import { describe, expect, it } from '@jest/globals';
import type { Candidates, Clock, IndexedMock } from '@backlot/core/plugin';
import { answerAdmin } from '../src/dialects/admin.js';
import { readKeysLine } from '../src/dialects/keys-line.js';
import type { ServerState } from '../src/server-state.js';
import type { CompiledMemcached } from '../src/matcher.js';
import { MemcachedMessage } from '../src/message.js';
import { KeyMocks } from '../src/mock-index.js';
import { makeStats } from '../src/stats/stats.js';
import { Store } from '../src/store/store.js';
import { converse, RawClient, startHost } from './support.js';

const MEBIBYTE = 1024 * 1024;

/** A store of so many items. */
function fillStore(items: number): Store {
  const clock = { now: () => 1_000_000_000_000 } as Clock;
  const store = new Store(clock, { maxMemory: 64 * MEBIBYTE, maxItem: MEBIBYTE, evicts: true });
  for (let n = 0; n < items; n += 1) store.put(`key${n}`, 'v', 0, 0);
  return store;
}

describe('a long command', () => {
  it('get of 200,000 keys lets others in', async () => {
    const { port } = await startHost();
    const [client, other] = [new RawClient(port), new RawClient(port)];
    expect(await other.ask('set last 0 0 1\r\nx\r\n')).toBe('STORED\r\n');
    const answer = client.ask(`get ${'k '.repeat(200_000)}last\r\n`);
    let isOver = false;
    void answer.then(() => (isOver = true));
    let served = 0;
    while (!isOver) {
      await other.ask('');
      served += 1;
    }
    expect(await answer).toBe('VALUE last 0 1\r\nx\r\nEND\r\n');
    expect(served).toBeGreaterThan(3);
  });

  it('is answered to its end when the client has ended its side', async () => {
    const { port } = await startHost();
    const answer = await converse(port, `${`get ${'k '.repeat(50_000)}\r\n`.repeat(4)}mn\r\n`);
    expect(answer).toBe('END\r\nEND\r\nEND\r\nEND\r\nMN\r\n');
  });

  it.each([
    ['get  a   b ', 'get', ['a', 'b']],
    ['  gats 10 a b', 'gats', ['a', 'b']],
    ['bget x', 'bget', ['x']],
  ])('%j is read key by key', (line, command, keys) => {
    const read = readKeysLine(line.padEnd(600));
    if (read === undefined || 'type' in read) throw new Error('it is a line of keys');
    const found = [...read.keys];
    for (let key = read.others.next(); key !== undefined; key = read.others.next()) found.push(key);
    expect([read.command, found]).toEqual([command, keys]);
  });

  it.each([
    [`get ${'a'.repeat(251)} b`, 'bad command line format'],
    ['gat x a', 'invalid exptime argument'],
    ['get  ', undefined],
  ])('%.20j is refused', (line, text) => {
    expect(readKeysLine(line.padEnd(600))).toMatchObject(text === undefined ? { type: 'ERROR' } : { text });
  });

  it('a list of all items comes in parts, whatever changes meanwhile', () => {
    const store = fillStore(10_000);
    const parts = answerAdmin(['lru_crawler', 'metadump', 'all'], { store } as ServerState)?.parts;
    const seen: string[] = [];
    let count = 0;
    for (let part = parts?.next(); part !== undefined && part.done !== true; part = parts?.next()) {
      seen.push(...part.value.split('\n'));
      count += 1;
      // What is stored anew has been seen, or is new.
      store.put(`key${count}`, 'changed', 0, 0);
      store.put(`more${count}`, 'new', 0, 0);
    }
    expect(count).toBeGreaterThan(10_000 / 300);
    expect(seen.slice(-2)).toEqual(['END\r', '']);
    expect(new Set(seen).size).toBe(10_002);
  });

  it('stats cachedump lists 2 MiB at most, as memcached does', () => {
    const { word = '' } = makeStats({ store: fillStore(100_000) } as ServerState, 'cachedump 1 0');
    expect(word.length).toBeGreaterThan(2 * MEBIBYTE);
    expect(word.length).toBeLessThan(2 * MEBIBYTE + 100);
  });
});

describe('mocks with stars in their keys', () => {
  it('are found by what their keys begin or end with', () => {
    const index = new KeyMocks();
    const mocks = Array.from({ length: 1_000 }, (_, n) => ({
      compiled: { keyHints: n % 2 === 0 ? { prefix: `user:${n}:` } : { suffix: `:${n}` } },
      priority: 0,
      position: n,
    })) as unknown as IndexedMock<CompiledMemcached>[];
    for (const mock of mocks) index.add(mock);
    const find = (key: string): Candidates<CompiledMemcached>[] => {
      const found: Candidates<CompiledMemcached>[] = [];
      index.find(new MemcachedMessage('get', key, ''), found);
      return found;
    };
    expect(find('user:500:x:7')).toEqual([mocks[500], mocks[7]]);
    expect(find('user:1000:x')).toEqual([]);
    for (const mock of mocks) index.remove(mock);
    expect(find('user:500:x:7')).toEqual([]);
  });
});
