import dgram from 'node:dgram';
import { once } from 'node:events';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { isBacklotError } from '@backlot/core/plugin';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createDatagramServer, createStreamServer, startOnOnePort, type PortBinder } from '../src/index.js';
import { closeAll, connect, echo, hasIPv6Loopback, listen, readUntil } from './clients.js';

const isDualStack = await hasIPv6Loopback();
const onBoth = isDualStack ? it : it.skip;

afterEach(closeAll);

/** Something that binds in memory only: `fail` says which binding fails with which code. */
function fakeTaker(fail: (address: string, port: number, count: number) => string | undefined) {
  const bound: string[] = [];
  const history: string[] = [];
  let count = 0;
  const binder: PortBinder = {
    wanted: { host: 'localhost', port: 0 },
    prepare: async () => undefined,
    async bind(address, port) {
      count += 1;
      const code = fail(address, port, count);
      if (code !== undefined) throw Object.assign(new Error(`bind ${code}`), { code });
      const taken = port === 0 ? 40_000 + count : port;
      bound.push(`${address} ${taken}`);
      history.push(`${address} ${taken}`);
      return taken;
    },
    started: () => undefined,
    async release() {
      bound.length = 0;
    },
  };
  return { binder, bound, history };
}

describe('listening on localhost', () => {
  onBoth('takes 127.0.0.1 and ::1 with the same port', async () => {
    const { port, server } = await listen({ host: 'localhost', onConnection: echo });
    expect(server.place).toEqual({ host: 'localhost', port });
    for (const host of ['127.0.0.1', '::1']) {
      const client = await connect(port, { host });
      client.write('ping');
      expect(await readUntil(client, 'ping')).toBe('ping');
    }
  });

  it('is content with 127.0.0.1 where ::1 is missing', async () => {
    const { binder, bound } = fakeTaker((address) => (address === '::1' ? 'EADDRNOTAVAIL' : undefined));
    expect(await startOnOnePort([binder])).toEqual({ host: 'localhost', port: 40_001 });
    expect(bound).toEqual(['127.0.0.1 40001']);
  });

  it('tries other ports when the one it got is taken on ::1', async () => {
    const { binder, bound, history } = fakeTaker((address, _port, count) =>
      address === '::1' && count < 5 ? 'EADDRINUSE' : undefined,
    );
    expect(await startOnOnePort([binder])).toEqual({ host: 'localhost', port: 40_005 });
    expect(bound).toEqual(['127.0.0.1 40005', '::1 40005']);
    expect(history).toEqual(['127.0.0.1 40001', '127.0.0.1 40003', '127.0.0.1 40005', '::1 40005']);
  });

  it('gives up after a number of tries and leaves nothing bound', async () => {
    const { binder, bound } = fakeTaker((address) => (address === '::1' ? 'EADDRINUSE' : undefined));
    await expect(startOnOnePort([binder])).rejects.toThrow('address already in use localhost:0');
    expect(bound).toEqual([]);
  });

  onBoth('refuses a port that is taken on ::1 only, and leaves no listener', async () => {
    const blocker = net.createServer().listen(0, '::1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as AddressInfo;
    const server = createStreamServer({ host: 'localhost', port, onConnection: echo });
    await expect(server.start()).rejects.toThrow(`address already in use localhost:${port}`);
    await expect(connect(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    blocker.close();
  });
});

describe('a port in use', () => {
  it('is said with host and port, and the system error stays as cause', async () => {
    const { port } = await listen({ onConnection: echo });
    const second = createStreamServer({ host: '127.0.0.1', port, onConnection: echo });
    const error: unknown = await second.start().catch((thrown: unknown) => thrown);
    expect(isBacklotError(error)).toBe(true);
    expect(error).toMatchObject({ code: 'port_in_use', cause: { code: 'EADDRINUSE' } });
    expect((error as Error).message).toContain(`address already in use 127.0.0.1:${port}`);
    const client = await connect(port);
    client.write('still here');
    expect(await readUntil(client, 'here')).toBe('still here');
  });

  it('is free again at once after a stop, with a connection that was open', async () => {
    const { port, server } = await listen({ onConnection: echo });
    await connect(port);
    await server.stop();
    expect(await server.start()).toEqual({ host: '127.0.0.1', port: server.place?.port });
    await server.stop();
    const again = await listen({ port, onConnection: echo });
    expect(again.port).toBe(port);
  });
});

describe('a place that cannot be had', () => {
  it.each([
    ['192.0.2.1', 0, 'this machine has no address 192.0.2.1'],
    ['no-such-host.invalid', 0, 'cannot listen on no-such-host.invalid:0'],
    ['127.0.0.1', 70_000, 'port 70000 is not a port'],
  ])('%s:%i', async (host, port, message) => {
    const server = createStreamServer({ host, port, onConnection: echo });
    await expect(server.start()).rejects.toThrow(message);
    const datagrams = createDatagramServer({ host, port, onMessage: () => undefined });
    await expect(datagrams.start()).rejects.toThrow(message);
  });

  it.each(['EMFILE', 'ENFILE'])('no more files (%s)', async (code) => {
    const { binder, bound } = fakeTaker(() => code);
    await expect(startOnOnePort([binder])).rejects.toThrow(
      new RegExp(`too many open files \\(${code}\\).*ulimit -n`),
    );
    expect(bound).toEqual([]);
  });

  it('a server that runs cannot be started again', async () => {
    const { server, port } = await listen({ onConnection: echo });
    await expect(server.start()).rejects.toThrow('started already');
    expect(server.place).toEqual({ host: '127.0.0.1', port });
  });
});

describe('servers on one port', () => {
  it('take one number that is free for all', async () => {
    const stream = createStreamServer({ host: 'localhost', port: 0, onConnection: echo });
    const datagrams = createDatagramServer({
      host: 'localhost',
      port: 0,
      onMessage: (data, _remote, reply) => reply(data),
    });
    const place = await startOnOnePort([stream, datagrams]);
    expect(stream.place).toEqual(place);
    expect(datagrams.place).toEqual(place);
    await stream.stop();
    await datagrams.stop();
  });

  it('leave nothing behind when one of them cannot have it', async () => {
    const blocker = dgram.createSocket('udp4');
    blocker.bind(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address();
    const stream = createStreamServer({ host: '127.0.0.1', port, onConnection: echo });
    const datagrams = createDatagramServer({ host: '127.0.0.1', port, onMessage: () => undefined });
    await expect(startOnOnePort([stream, datagrams])).rejects.toThrow(
      `address already in use 127.0.0.1:${port}`,
    );
    expect(stream.place).toBeUndefined();
    await expect(connect(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    blocker.close();
  });

  it('must want the same place', async () => {
    const one = createStreamServer({ host: 'localhost', port: 0, onConnection: echo });
    const other = createStreamServer({ host: '127.0.0.1', port: 0, onConnection: echo });
    await expect(startOnOnePort([one, other])).rejects.toThrow('not localhost:0 and 127.0.0.1:0');
    await expect(startOnOnePort([])).rejects.toThrow('no server');
  });
});
