import { once } from 'node:events';
import net, { type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import tls from 'node:tls';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { turns } from '@backlot/core/plugin';
import { endInTurns } from '../src/end-in-turns.js';
import type { Connection } from '../src/index.js';
import { closeAll, closeOf, connect, echo, keep, listen, until } from './clients.js';

afterEach(async () => {
  jest.restoreAllMocks();
  await closeAll();
});

/** From now on the slice of each turn is used up, and what waits is kept. */
function useUpTurns(): { waiting: (() => void)[]; goOn: () => void } {
  const waiting: (() => void)[] = [];
  jest.spyOn(turns, 'areOver').mockReturnValue(true);
  jest.spyOn(turns, 'wait').mockImplementation((callback) => void waiting.push(callback));
  return {
    waiting,
    goOn: () => {
      for (const callback of waiting.splice(0)) callback();
    },
  };
}

/** A server and the connections that it has taken. */
async function serve(options: { tls?: { self_signed: true } } = {}) {
  const connections: Connection[] = [];
  const { port, server } = await listen({
    ...options,
    onConnection: (connection) => {
      connections.push(connection);
      echo(connection);
    },
  });
  return { port, server, connections };
}

/** A client, and the TCP socket that it can be reset by. */
async function open(port: number): Promise<{ client: Socket; raw: Socket }> {
  const raw = await connect(port);
  return { client: raw, raw };
}

async function openTls(port: number): Promise<{ client: Socket; raw: Socket }> {
  const raw = await connect(port);
  return { client: await secure(raw), raw };
}

async function secure(socket: Duplex, options: tls.ConnectionOptions = {}): Promise<tls.TLSSocket> {
  const client = keep(tls.connect({ socket, rejectUnauthorized: false, ...options }));
  await once(client, 'secureConnect');
  return client;
}

for (const [name, options, openOne] of [
  ['in the clear', {}, open],
  ['with TLS', { tls: { self_signed: true } as const }, openTls],
] as const)
  describe(`the ends of connections ${name}`, () => {
    it('wait for their turns when clients leave in a turn that is used up', async () => {
      const { port, server, connections } = await serve(options);
      const clients = await Promise.all(Array.from({ length: 5 }, () => openOne(port)));
      await until(() => connections.length === clients.length);
      const { waiting, goOn } = useUpTurns();
      const ended = jest.fn();
      for (const connection of connections) connection.onEnd(ended);
      for (const { client } of clients) client.end();
      await until(() => waiting.length === clients.length);
      expect(ended).not.toHaveBeenCalled();
      // That the client has left, then the end of this side, then the close: each in a turn of its own.
      await until(() => {
        goOn();
        return server.connections === 0;
      });
      expect(ended).toHaveBeenCalledTimes(clients.length);
      expect(connections.every(({ isClosed }) => isClosed)).toBe(true);
    });

    it('are closed in their turns when clients have reset them, and say why', async () => {
      const { port, server, connections } = await serve(options);
      const closed = jest.fn();
      const clients = await Promise.all(Array.from({ length: 5 }, () => openOne(port)));
      await until(() => connections.length === clients.length);
      for (const connection of connections) connection.onClose(closed);
      const { waiting, goOn } = useUpTurns();
      for (const { raw } of clients) raw.resetAndDestroy();
      await until(() => waiting.length === clients.length);
      expect(closed).not.toHaveBeenCalled();
      expect(server.connections).toBe(clients.length);
      // With TLS, each of its two sockets.
      await until(() => {
        goOn();
        return server.connections === 0;
      });
      expect(closed.mock.calls.map(([error]) => error)).toEqual(
        clients.map(() => expect.objectContaining({ code: 'ECONNRESET' })),
      );
    });

    it('are at once in a turn that is not used up', async () => {
      const { port, server, connections } = await serve(options);
      const clients = [await openOne(port), await openOne(port)];
      await until(() => connections.length === clients.length);
      jest.spyOn(turns, 'areOver').mockReturnValue(false);
      const wait = jest.spyOn(turns, 'wait');
      clients[0]?.client.end();
      clients[1]?.raw.resetAndDestroy();
      await until(() => server.connections === 0);
      expect(wait).not.toHaveBeenCalled();
    });

    it('are at once where it is the server that closes', async () => {
      const { port, connections } = await serve(options);
      const clients = [await openOne(port), await openOne(port)];
      await until(() => connections.length === clients.length);
      const ends = clients.map(({ client }) => closeOf(client));
      const { waiting } = useUpTurns();
      connections[0]?.destroy();
      connections[1]?.reset();
      await Promise.all(ends);
      await until(() => connections.every(({ isClosed }) => isClosed));
      expect(waiting).toEqual([]);
    });

    it('do not keep a server from its stop', async () => {
      const { port, server, connections } = await serve(options);
      const clients = await Promise.all(Array.from({ length: 5 }, () => openOne(port)));
      await until(() => connections.length === clients.length);
      const { waiting, goOn } = useUpTurns();
      for (const { client } of clients) client.end();
      await until(() => waiting.length === clients.length);
      await server.stop(0);
      expect(connections.every(({ isClosed }) => isClosed)).toBe(true);
      goOn();
    });
  });

describe('an end with TLS', () => {
  it('is told to the client when the socket is closed before its turn', async () => {
    const { port, connections } = await serve({ tls: { self_signed: true } });
    const raw = await connect(port);
    const records: Buffer[] = [];
    const beneath = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _encoding, done) => void raw.write(chunk, done),
    });
    raw.on('data', (chunk: Buffer) => {
      records.push(chunk);
      beneath.push(chunk);
    });
    // The type of its records can be read there, also that of an alert.
    await secure(beneath, { maxVersion: 'TLSv1.2' });
    await until(() => connections.length === 1);
    const closed = closeOf(raw);
    const { waiting } = useUpTurns();
    const [connection] = connections;
    connection?.end();
    expect(waiting).toHaveLength(1);
    records.length = 0;
    connection?.destroy();
    await closed;
    expect(records[0]?.[0]).toBe(21);
  });

  it('is left out when the connection is reset before its turn', async () => {
    const { port, connections } = await serve({ tls: { self_signed: true } });
    const { raw } = await openTls(port);
    await until(() => connections.length === 1);
    const closed = closeOf(raw);
    const { waiting } = useUpTurns();
    connections[0]?.end();
    expect(waiting).toHaveLength(1);
    const final = jest.spyOn(net.Socket.prototype, '_final');
    connections[0]?.reset();
    await closed;
    await until(() => connections[0]?.isClosed === true);
    expect(final.mock.contexts).not.toContain(connections[0]?.socket);
  });
});

it('leaves what is read to whoever has hooked it before', () => {
  const socket = new net.Socket();
  const push = (): boolean => false;
  socket.push = push;
  endInTurns(socket);
  expect(socket.push).toBe(push);
  expect(Object.hasOwn(socket, '_final')).toBe(true);
  socket.destroy();
});
