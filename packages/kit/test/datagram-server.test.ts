import dgram from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { SLICE, turns } from '@backlot/core/plugin';
import { LateDatagrams } from '../src/late-datagrams.js';
import {
  createDatagramServer,
  timers,
  type DatagramServer,
  type DatagramServerOptions,
} from '../src/index.js';
import { deferred, hasIPv6Loopback, until } from './clients.js';

const onBoth = (await hasIPv6Loopback()) ? it : it.skip;
const servers: DatagramServer[] = [];
const clients: dgram.Socket[] = [];

afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(clients.splice(0).map((socket) => new Promise<void>((resolve) => socket.close(resolve))));
  await Promise.all(servers.splice(0).map((server) => server.stop(0)));
});

async function listen(options: Partial<DatagramServerOptions> & Pick<DatagramServerOptions, 'onMessage'>) {
  const server = createDatagramServer({ host: '127.0.0.1', port: 0, ...options });
  servers.push(server);
  const { port } = await server.start();
  return { server, port };
}

function client(type: 'udp4' | 'udp6' = 'udp4'): dgram.Socket {
  const socket = dgram.createSocket(type);
  clients.push(socket);
  return socket;
}

async function ask(socket: dgram.Socket, port: number, address: string, text: string): Promise<string> {
  socket.send(text, port, address);
  const [data] = (await once(socket, 'message')) as [Buffer];
  return data.toString();
}

describe('a datagram server', () => {
  onBoth('answers on both loopback addresses, from the address that was asked', async () => {
    const { port, server } = await listen({
      host: 'localhost',
      onMessage: (data, { family, address }, reply) =>
        reply(Buffer.from(`${family} ${address} ${data.toString()}`)),
    });
    expect(server.place).toEqual({ host: 'localhost', port });
    expect(await ask(client(), port, '127.0.0.1', 'a')).toBe('IPv4 127.0.0.1 a');
    expect(await ask(client('udp6'), port, '::1', 'b')).toBe('IPv6 ::1 b');
  });

  it('lets others in between datagrams that are much work, keeps their order, and loses what is too much', async () => {
    let now = performance.now() + SLICE;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    const seen: number[] = [];
    let inTurn = 0;
    let most = 0;
    const meter = (): void => {
      most = Math.max(most, inTurn);
      inTurn = 0;
      if (seen.length < 40) setImmediate(meter);
    };
    const { port } = await listen({
      onMessage: (data) => {
        seen.push(data[0] ?? 0);
        // What a datagram costs.
        now += SLICE;
        inTurn += 1;
      },
    });
    const socket = client();
    // All are there before the first is read.
    const last = new Promise((resolve) => {
      for (let index = 0; index < 40; index += 1) {
        socket.send(Buffer.from([index]), port, '127.0.0.1', index === 39 ? resolve : undefined);
      }
    });
    meter();
    await last;
    await until(() => seen.length === 40);
    clock.mockRestore();
    expect(seen).toEqual(Array.from({ length: 40 }, (_, index) => index));
    expect(most).toBeLessThanOrEqual(5);
  });

  it('bounds what waits', () => {
    const handled: number[] = [];
    const late = new LateDatagrams<{ data: Uint8Array; index: number }>(({ index }) => handled.push(index));
    const waited = jest.spyOn(turns, 'wait').mockImplementation(() => undefined);
    for (let index = 0; index < 300; index += 1) late.add({ data: Buffer.alloc(60_000), index });
    expect(waited).toHaveBeenCalledTimes(1);
    const goOn = waited.mock.calls[0]?.[0];
    for (let turn = 0; turn < 300; turn += 1) goOn?.();
    expect(handled).toEqual(Array.from({ length: 139 }, (_, index) => index));
    expect(late.isFull(-Infinity)).toBe(false);
  });

  onBoth('shows IPv4 senders as such when it listens on every address', async () => {
    const { port, server } = await listen({
      host: '::',
      onMessage: (_data, { family, address }, reply) => reply(Buffer.from(`${family} ${address}`)),
    });
    const four = client();
    expect(await ask(four, port, '127.0.0.1', 'a')).toBe('IPv4 127.0.0.1');
    const received = once(four, 'message');
    expect(server.send(Buffer.from('unasked'), four.address().port, '127.0.0.1')).toBe(true);
    expect(String((await received)[0])).toBe('unasked');
  });

  it('goes on after a handler that throws or rejects', async () => {
    const onError = jest.fn();
    const { port } = await listen({
      onError,
      onMessage: async (data, _remote, reply) => {
        if (data.length === 1) throw new Error('rejected');
        reply(data);
      },
    });
    const other = await listen({
      onError,
      onMessage: (data, _remote, reply) => {
        if (data.length === 1) throw new Error('thrown');
        reply(data);
      },
    });
    for (const place of [port, other.port]) {
      const socket = client();
      socket.send('x', place, '127.0.0.1');
      expect(await ask(socket, place, '127.0.0.1', 'fine')).toBe('fine');
    }
    expect(onError.mock.calls).toEqual([
      [new Error('rejected'), 'message'],
      [new Error('thrown'), 'message'],
    ]);
  });

  it('waits at a stop for answers being made, up to the grace', async () => {
    const gate = deferred();
    const taken = deferred();
    const { port, server } = await listen({
      onMessage: async (_data, _remote, reply) => {
        taken.resolve();
        await gate.promise;
        reply(Buffer.from('in time'));
      },
    });
    const socket = client();
    const answer = ask(socket, port, '127.0.0.1', '?');
    await taken.promise;
    const stopped = server.stop();
    gate.resolve();
    expect(await answer).toBe('in time');
    await stopped;

    const late = deferred();
    const stuck = await listen({
      onMessage: (_data, _remote, reply) => {
        late.resolve();
        return new Promise<void>(() => reply);
      },
    });
    socket.send('?', stuck.port, '127.0.0.1');
    await late.promise;
    const start = timers.now();
    await stuck.server.stop(50);
    expect(timers.now() - start).toBeLessThan(60_000);
    expect(stuck.server.send(Buffer.from('x'), port, '127.0.0.1')).toBe(false);
  });

  it('replies after a stop go nowhere and break nothing', async () => {
    const replies: ((data: Uint8Array) => void)[] = [];
    const onError = jest.fn();
    const { port, server } = await listen({
      onError,
      onMessage: (_data, _remote, reply) => void replies.push(reply),
    });
    client().send('?', port, '127.0.0.1');
    await until(() => replies.length === 1);
    await server.stop();
    replies[0]?.(Buffer.from('late'));
    expect(onError).not.toHaveBeenCalled();
  });

  it('reports an answer that is too large to send', async () => {
    const onError = jest.fn();
    const { port } = await listen({
      onError,
      onMessage: (_data, _remote, reply) => reply(Buffer.alloc(70_000)),
    });
    client().send('?', port, '127.0.0.1');
    await until(() => onError.mock.calls.length > 0);
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ code: 'EMSGSIZE' }), 'send');
  });

  it('sets the size of the receive buffer, and tells when a socket dies', async () => {
    const made: dgram.Socket[] = [];
    const create = dgram.createSocket.bind(dgram) as (options: dgram.SocketOptions) => dgram.Socket;
    jest.spyOn(dgram, 'createSocket').mockImplementation((options: dgram.SocketOptions) => {
      const socket = create(options);
      made.push(socket);
      return socket;
    });
    const onFailure = jest.fn();
    const { server, port } = await listen({ receiveBuffer: 65_536, onFailure, onMessage: () => undefined });
    // Linux doubles the value for its own bookkeeping.
    expect(made[0]?.getRecvBufferSize()).toBeGreaterThanOrEqual(65_536);
    made[0]?.close();
    await until(() => onFailure.mock.calls.length > 0);
    expect(onFailure).toHaveBeenCalledWith(new Error(`the socket on 127.0.0.1:${port} was closed`));
    await server.stop();
    expect(onFailure).toHaveBeenCalledTimes(1);
  });
});
