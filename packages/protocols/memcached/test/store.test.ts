import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import { describe, expect, it } from '@jest/globals';
import { afterThis, connectMemjs, converse, RawClient, startHost } from './support.js';

const DAY = 24 * 60 * 60;

describe('expiry', () => {
  it('follows the clock of the host', async () => {
    const { port, host } = await startHost();
    const client = new RawClient(port);
    const date = Math.floor(Date.now() / 1000) + 40 * DAY;
    await client.ask(
      `set short 0 100 1\r\nx\r\nset month 0 ${30 * DAY} 1\r\nx\r\nset date 0 ${date} 1\r\nx\r\nset ever 0 0 1\r\nx\r\n`,
    );
    expect(await client.ask('set never 0 -1 1\r\nx\r\nget never\r\n')).toBe('STORED\r\nEND\r\n');
    await host.clock.advance(99_000);
    expect(await client.ask('mg short t\r\n')).toBe('HD t1\r\n');
    await host.clock.advance(1_000);
    expect(await client.ask('mg short t\r\n')).toBe('EN\r\n');
    await host.clock.advance(30 * DAY * 1000);
    expect(await client.ask('get month date ever\r\n')).toBe(
      'VALUE date 0 1\r\nx\r\nVALUE ever 0 1\r\nx\r\nEND\r\n',
    );
    await host.clock.advance(11 * DAY * 1000);
    expect(await client.ask('get date ever\r\n')).toBe('VALUE ever 0 1\r\nx\r\nEND\r\n');
  });

  it('of everything comes after the delay of flush_all', async () => {
    const { port, host } = await startHost();
    const client = new RawClient(port);
    expect(await client.ask('set a 0 0 1\r\nx\r\nflush_all 10\r\nget a\r\n')).toBe(
      'STORED\r\nOK\r\nVALUE a 0 1\r\nx\r\nEND\r\n',
    );
    await host.clock.advance(10_000);
    expect(await client.ask('get a\r\nset a 0 0 1\r\ny\r\nget a\r\n')).toBe(
      'END\r\nSTORED\r\nVALUE a 0 1\r\ny\r\nEND\r\n',
    );
  });
});

describe('memory', () => {
  it('makes room by dropping what was used longest ago', async () => {
    const { port } = await startHost({ max_memory: 1024 * 1024 });
    const client = new RawClient(port);
    const value = 'x'.repeat(200_000);
    const set = (key: string): string => `set ${key} 0 0 ${value.length}\r\n${value}\r\n`;
    await client.ask(set('a') + set('b') + set('c') + set('d') + set('e'));
    await client.ask('get a\r\n');
    expect(await client.ask(`${set('f')}mg a s\r\nmg b s\r\nmg c s\r\nmg f s\r\n`)).toBe(
      'STORED\r\nHD s200000\r\nEN\r\nHD s200000\r\nHD s200000\r\n',
    );
    expect(await client.ask('stats\r\n')).toMatch(/STAT evictions 1\r\n/);
  });

  it('is an error when nothing may be dropped', async () => {
    const { port } = await startHost({ max_memory: 1024 * 1024, evictions: false });
    const value = 'x'.repeat(600_000);
    const set = (key: string): string => `set ${key} 0 0 ${value.length}\r\n${value}\r\n`;
    expect(await converse(port, `${set('a')}${set('b')}${set('a')}mg a s\r\nmg b s\r\n`)).toBe(
      'STORED\r\nSERVER_ERROR out of memory storing object\r\nSTORED\r\nHD s600000\r\nEN\r\n',
    );
  });

  it('bounds one item', async () => {
    const { port } = await startHost({ max_item_bytes: 2_000 });
    const value = 'x'.repeat(2_000);
    expect(await converse(port, `set a 0 0 1\r\n1\r\nset a 0 0 2000\r\n${value}\r\nget a\r\n`)).toBe(
      'STORED\r\nSERVER_ERROR object too large for cache\r\nEND\r\n',
    );
  });
});

describe('reset and snapshots', () => {
  it('empty and restore the store while clients stay', async () => {
    const { port, host } = await startHost();
    const client = connectMemjs(port);
    await client.set('a', 'kept', { expires: 100 });
    const snapshot = host.snapshots.create('before');
    await client.set('a', 'changed', {});
    await client.set('b', 'new', {});
    host.snapshots.restore(snapshot.id);
    expect((await client.get('a')).value?.toString()).toBe('kept');
    expect((await client.get('b')).value).toBeNull();
    host.reset();
    expect((await client.get('a')).value).toBeNull();
    expect(await client.set('a', 'again', {})).toBe(true);
  });
});

describe('memjs', () => {
  it('does all it can, and logs in when it has a name', async () => {
    const { port, host } = await startHost();
    const client = connectMemjs(port, {}, 'user:secret@');
    expect(await client.set('a', Buffer.from([0, 255, 128]), { expires: 60 })).toBe(true);
    expect([...((await client.get('a')).value ?? [])]).toEqual([0, 255, 128]);
    expect(await client.add('a', 'x', {})).toBe(false);
    expect(await client.replace('a', 'mid', {})).toBe(true);
    expect(await client.replace('none', 'x', {})).toBe(false);
    expect(await client.append('a', '>')).toBe(true);
    expect((await client.get('a')).value?.toString()).toBe('mid>');
    expect(await client.touch('a', 10)).toBe(true);
    expect((await client.increment('n', 1, { initial: 5 })).value).toBe(5);
    expect((await client.increment('n', 2, {})).value).toBe(7);
    expect((await client.decrement('n', 10, {})).value).toBe(0);
    expect(await client.delete('a')).toBe(true);
    expect(await client.delete('a')).toBe(false);
    await client.flush();
    expect((await client.get('n')).value).toBeNull();
    expect(host.journal.list().some(({ method }) => method === 'sasl_auth')).toBe(true);
  });
});

describe('configuration', () => {
  it('takes TLS', async () => {
    const { port } = await startHost({ tls: { self_signed: true } });
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
    afterThis(() => socket.destroy());
    socket.write('set a 0 0 1\r\nx\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toBe('STORED\r\n');
  });

  it.each([
    [{ mode: 'mock', max_memory: 2_000_000 }, /max_memory/],
    [{ mode: 'mock', evictions: false }, /evictions/],
    [{ mode: 'real' }, /mode/],
    [{ max_memory: 10 }, /max_memory/],
    [{ max_items: 10 }, /max_items/],
  ])('%j is refused', async (settings, reason) => {
    await expect(startHost(settings)).rejects.toThrow(reason);
  });
});
