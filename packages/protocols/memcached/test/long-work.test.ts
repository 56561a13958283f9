import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { Inbox } from '../src/wire/inbox.js';
import { converse, RawClient, startHost } from './support.js';

const sets = (count: number, value = 'x'): string =>
  Array.from({ length: count }, (_, n) => `set k${n} 0 0 ${value.length} noreply\r\n${value}\r\n`).join('');

describe('long answers', () => {
  it('are complete and in their place, whatever is behind them', async () => {
    const { port } = await startHost();
    const answer = await converse(
      port,
      `${sets(5000)}mn\r\nlru_crawler metadump all\r\nget k1\r\nlru_crawler metadump all\r\nversion\r\nquit\r\n`,
    );
    const [start, first, between, second, rest] = answer.split(/((?:key=.*\n)+END\r\n)/);
    expect(start).toBe('MN\r\n');
    expect(first?.match(/^key=/gm)).toHaveLength(5000);
    expect(between).toBe('VALUE k1 0 1\r\nx\r\nEND\r\n');
    expect(second?.match(/^key=/gm)).toHaveLength(5000);
    expect(rest).toMatch(/^VERSION /);
  });

  it('wait for a client that does not read, and are given up when it leaves', async () => {
    const { port, kind } = await startHost();
    const client = new RawClient(port);
    await client.ask(sets(5000));
    client.socket.pause();
    client.send('lru_crawler metadump all\r\n'.repeat(50));
    expect(await converse(port, 'get k1\r\nquit\r\n')).toBe('VALUE k1 0 1\r\nx\r\nEND\r\n');
    client.socket.resetAndDestroy();
    await eventually(() => kind.status()['connections'] === 0);
  });

  it('of stats cachedump end at two megabytes', async () => {
    const { port } = await startHost();
    const key = 'k'.repeat(240);
    const items = Array.from({ length: 12_000 }, (_, n) => `set ${key}${n} 0 0 1 noreply\r\nx\r\n`).join('');
    const answer = await converse(port, `${items}stats cachedump 1 0\r\nquit\r\n`);
    expect(answer.length).toBeGreaterThan(2_000_000);
    expect(answer.length).toBeLessThan(2_200_000);
    expect(answer.endsWith('END\r\n')).toBe(true);
  });
});

describe('a line of many keys', () => {
  it('is answered key by key', async () => {
    const { port } = await startHost();
    const keys = Array.from({ length: 10_000 }, (_, n) => (n % 2 === 0 ? 'k1' : 'none')).join('  ');
    for (const command of ['get', 'gets', 'gat 100', ' gats  100']) {
      const answer = await converse(port, `${sets(2)}${command} ${keys}\r\nquit\r\n`);
      expect(answer.match(/^VALUE k1 /gm)).toHaveLength(5000);
      expect(answer.endsWith('END\r\n')).toBe(true);
    }
    const long = `${'k '.repeat(2000)}${'x'.repeat(251)}`;
    expect(await converse(port, `get ${long}\r\nquit\r\n`)).toBe('CLIENT_ERROR bad command line format\r\n');
    expect(await converse(port, `gat soon ${'k '.repeat(2000)}\r\nquit\r\n`)).toMatch(
      /^CLIENT_ERROR invalid exptime/,
    );
  });
});

describe('what comes byte by byte', () => {
  it('is kept in little more than its bytes', () => {
    const inbox = new Inbox();
    inbox.push(Buffer.from('x'));
    inbox.need(100_000);
    const bytes = Buffer.from('y');
    let makesSense = 0;
    for (let n = 1; n < 100_000; n += 1) if (inbox.push(bytes)) makesSense += 1;
    expect(makesSense).toBe(1);
    inbox.gather();
    expect(inbox.length).toBe(100_000);
    expect(inbox.bytes.toString('latin1', inbox.start, inbox.start + 3)).toBe('xyy');
  });
});
