import { once } from 'node:events';
import tls from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { turns } from '@backlot/core/plugin';
import { closeAll, closeOf, connect, echo, keep, listen, readUntil, until } from './clients.js';

/** The header of a record of 512 bytes with the beginning of a handshake, and a whole one with an empty greeting. */
const HALF = Buffer.from([22, 3, 1, 2, 0, 1]);
const WHOLE = Buffer.from([22, 3, 1, 0, 4, 1, 0, 0, 0]);

/** For how many connections the server's half of TLS was begun. */
let begun: () => number;
beforeEach(() => {
  const emit = jest.spyOn(tls.Server.prototype, 'emit');
  begun = () => emit.mock.calls.filter(([name]) => String(name) === 'connection').length;
});
afterEach(async () => {
  await closeAll();
  jest.restoreAllMocks();
});

describe('TLS', () => {
  it('is not begun for clients that leave before their first record is there', async () => {
    const { port, server } = await listen({ tls: { self_signed: true }, onConnection: echo });
    const clients = await Promise.all(Array.from({ length: 8 }, () => connect(port)));
    await until(() => server.connections === clients.length);
    for (const [index, client] of clients.entries())
      if (index % 2 === 0) client.end(HALF);
      else client.destroy();
    await until(() => server.connections === 0);
    expect(begun()).toBe(0);
    const good = keep(tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false }));
    await once(good, 'secureConnect');
    good.write('hello');
    expect(await readUntil(good, 'hello')).toBe('hello');
    expect(begun()).toBe(1);
  });

  it('is begun in turns, and not for a client that has left before its turn', async () => {
    const { port, server } = await listen({ tls: { self_signed: true }, onConnection: echo });
    const waiting: (() => void)[] = [];
    jest.spyOn(turns, 'wait').mockImplementation((callback) => void waiting.push(callback));
    const [staying, leaving] = [await connect(port), await connect(port)];
    for (const client of [staying, leaving]) client.write(WHOLE);
    await until(() => waiting.length === 2);
    expect(begun()).toBe(0);
    leaving.resetAndDestroy();
    await until(() => server.connections === 1);
    const closed = closeOf(staying);
    for (const goOn of waiting) goOn();
    expect(begun()).toBe(1);
    // TLS refuses an empty greeting once it is begun.
    await closed;
  });
});
