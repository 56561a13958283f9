import { once } from 'node:events';
import net from 'node:net';
import dgram from 'node:dgram';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createService, type ListenerService, type ServiceOptions } from '../src/index.js';
import { FramingError } from '../src/framing.js';
import { closeAll, closeOf, connect, readAll, readUntil } from './clients.js';

const started = new Set<ListenerService>();

afterEach(async () => {
  await closeAll();
  for (const service of started) await service.stop(0);
  started.clear();
});

/** What went to the log, in order. */
interface Lines {
  readonly warned: string[];
  readonly failed: string[];
}

function make(
  options: ServiceOptions,
  config: { readonly tls?: { readonly enabled?: boolean } } = {},
): { readonly service: ListenerService; readonly lines: Lines } {
  const lines: Lines = { warned: [], failed: [] };
  const service = createService(
    {
      config: { host: '127.0.0.1', port: 0, ...config },
      clock: { after: () => undefined },
      log: {
        warn: (text) => lines.warned.push(text),
        error: (text, thrown) => lines.failed.push(`${text}: ${(thrown as Error).message}`),
      },
    },
    options,
  );
  started.add(service);
  return { service, lines };
}

describe('createService', () => {
  it('serves connections, and tells what is open', async () => {
    const { service } = make({ stream: { onConnection: (connection) => connection.write('hello;') } });
    expect(service.status()).toEqual({ connections: 0, tls: false });
    const { port } = await service.start(0);
    const client = await connect(port);
    await readUntil(client, 'hello;');
    expect(service.status()).toEqual({ connections: 1, tls: false });
    expect(service.place).toEqual({ host: '127.0.0.1', port });
  });

  it('takes connections and datagrams on one port', async () => {
    const { service } = make({
      stream: { onConnection: (connection) => connection.end('stream') },
      datagram: { onMessage: (_data, _remote, reply) => reply(Buffer.from('datagram')) },
    });
    const { port } = await service.start(0);
    expect(await readAll(await connect(port))).toBe('stream');
    const socket = dgram.createSocket('udp4');
    socket.send('?', port, '127.0.0.1');
    const [answer] = (await once(socket, 'message')) as [Buffer];
    socket.close();
    expect(answer.toString()).toBe('datagram');
  });

  it('has no connections to tell of when it takes datagrams alone', async () => {
    const { service } = make({
      datagram: { onMessage: () => undefined },
      describe: () => ({ observers: 3 }),
    });
    await service.start(0);
    expect(service.status()).toEqual({ extra: { observers: 3 } });
  });

  it('calls back in the order of its life', async () => {
    const calls: string[] = [];
    const { service } = make({
      stream: {
        onConnection: (connection) => connection.write('here;'),
        onStopping: (connection) => {
          calls.push('goodbye');
          connection.write('goodbye');
        },
      },
      onStarting: () => calls.push('starting'),
      onStarted: ({ port }) => calls.push(port > 0 ? 'started' : 'started without a port'),
      onStopping: (grace) => calls.push(`stopping within ${grace}`),
      onStopped: () => calls.push('stopped'),
      reset: () => calls.push('reset'),
    });
    const { port } = await service.start(0);
    const client = await connect(port);
    await readUntil(client, 'here;');
    service.reset();
    const rest = readAll(client);
    await service.stop(1000);
    expect(await rest).toBe('goodbye');
    expect(calls).toEqual(['starting', 'started', 'reset', 'stopping within 1000', 'goodbye', 'stopped']);
  });

  it('undoes what it began before it listened when the port is taken', async () => {
    const calls: string[] = [];
    const other = net.createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { service } = make({
      stream: { onConnection: () => undefined },
      onStarting: () => calls.push('starting'),
      onStopped: () => calls.push('stopped'),
    });
    const { port } = other.address() as net.AddressInfo;
    await expect(service.start(port)).rejects.toThrow(`address already in use 127.0.0.1:${port}`);
    expect(calls).toEqual(['starting', 'stopped']);
    await expect(service.start(0)).resolves.toMatchObject({ host: '127.0.0.1' });
    other.close();
    await once(other, 'close');
  });

  it('tells the log of errors of its own, warns of bytes that cannot be right, and is silent about networks', async () => {
    const thrown = [
      new Error('a fault of ours'),
      new FramingError('malformed', 'not a message'),
      Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
      new TypeError('a fault of theirs'),
    ];
    let taken = 0;
    const { service, lines } = make({
      stream: {
        onConnection: () => {
          throw thrown[taken++] as Error;
        },
        isClientError: (error) => error instanceof TypeError,
      },
    });
    const { port } = await service.start(0);
    for (const each of thrown) {
      void each;
      await closeOf(await connect(port));
    }
    expect(lines.failed).toEqual(['a connection failed (connection): a fault of ours']);
    expect(lines.warned).toEqual([expect.stringMatching(/^127\.0\.0\.1:\d+: not a message$/)]);
  });

  it('encrypts as the configuration says, and not when it is switched off', async () => {
    const on = make({ stream: { onConnection: () => undefined } }, { tls: {} }).service;
    const off = make({ stream: { onConnection: () => undefined } }, { tls: { enabled: false } }).service;
    await on.start(0);
    await off.start(0);
    expect(on.status().tls).toBe(true);
    expect(off.status().tls).toBe(false);
  });
});
