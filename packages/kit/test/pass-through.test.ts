import dgram from 'node:dgram';
import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Upstream } from '@backlot/core/plugin';
import { createService, loadTls, type ListenerService } from '../src/index.js';
import { closeAll, connect, keep, listen, readAll, readUntil } from './clients.js';

const started = new Set<ListenerService>();

afterEach(async () => {
  await closeAll();
  for (const service of started) await service.stop(0);
  started.clear();
});

function upstreamAt(port: number, more: Partial<Upstream> = {}): Upstream {
  return {
    url: `echo://127.0.0.1:${port}`,
    host: '127.0.0.1',
    port,
    isSecure: false,
    startsTls: false,
    path: '',
    mode: 'passthrough',
    ca: undefined,
    verify: true,
    isOpen: false,
    isDecoded: false,
    ...more,
  };
}

/** A service that leads to an upstream; what the plugin itself would say must never be heard. */
async function lead(
  upstream: Upstream,
  config: { readonly tls?: { readonly self_signed?: boolean } } = {},
): Promise<{ readonly port: number; readonly service: ListenerService; readonly warned: string[] }> {
  const warned: string[] = [];
  const service = createService(
    {
      config: { host: '127.0.0.1', port: 0, ...config },
      clock: { after: () => undefined },
      upstream,
      log: {
        warn: (text) => warned.push(text),
        error: (text, thrown) => warned.push(`${text}: ${(thrown as Error).message}`),
      },
    },
    {
      stream: {
        onConnection: (connection) => connection.write('the plugin'),
        onStopping: (connection) => connection.write('goodbye'),
      },
      datagram: { onMessage: (_data, _remote, reply) => reply(Buffer.from('the plugin')) },
    },
  );
  started.add(service);
  const { port } = await service.start(0);
  return { port, service, warned };
}

describe('a service with an upstream', () => {
  it('passes bytes both ways, and the end of either side', async () => {
    const far = await listen({
      allowHalfOpen: true,
      onConnection: (connection) => {
        connection.write('welcome;');
        connection.onData((chunk) => connection.write(chunk));
        connection.onEnd(() => connection.end('that was all'));
      },
    });
    const { port } = await lead(upstreamAt(far.port));
    const client = await connect(port, { allowHalfOpen: true });
    await readUntil(client, 'welcome;');
    const rest = readAll(client);
    client.end('ping;');
    expect(await rest).toBe('ping;that was all');
  });

  it('has TLS on either side, and checks the certificate of the upstream', async () => {
    const { cert } = await loadTls({ self_signed: true });
    const far = await listen({
      tls: { self_signed: true },
      onConnection: (connection) => connection.onData((chunk) => connection.write(chunk)),
    });
    const trusting = await lead(upstreamAt(far.port, { isSecure: true, verify: false }), {
      tls: { self_signed: true },
    });
    const client = keep(
      tls.connect({ host: '127.0.0.1', port: trusting.port, ca: cert, servername: 'localhost' }),
    );
    await once(client, 'secureConnect');
    client.write('through two handshakes;');
    expect(await readUntil(client, ';')).toBe('through two handshakes;');
    const careful = await lead(upstreamAt(far.port, { isSecure: true }));
    const refused = keep(net.connect({ host: '127.0.0.1', port: careful.port }));
    expect(await readAll(refused)).toBe('');
    expect(careful.warned.at(-1)).toMatch(/cannot be reached: .*certificate/);
  });

  it('reads one side only as fast as the other takes it', async () => {
    let sent = 0;
    const far = net.createServer((socket) => {
      socket.on('error', () => undefined);
      const chunk = Buffer.alloc(64 * 1024);
      const fill = (): void => {
        while (!socket.destroyed && sent < 256 * 1024 * 1024 && socket.write(chunk)) sent += chunk.length;
      };
      socket.on('drain', fill);
      fill();
    });
    far.listen(0, '127.0.0.1');
    await once(far, 'listening');
    const { port } = await lead(upstreamAt((far.address() as net.AddressInfo).port));
    const client = await connect(port);
    client.pause();
    let last = -1;
    // It has stopped when a thousand turns of the event loop in a row have moved nothing.
    for (let still = 0; still < 1000; still = sent === last ? still + 1 : 0) {
      last = sent;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(64 * 1024 * 1024);
    client.destroy();
    await new Promise((resolve) => far.close(resolve));
  });

  it.each([
    [{ ca: '/nowhere.pem', isSecure: true }, '/nowhere.pem cannot be used: ENOENT'],
    [{ ca: import.meta.filename, isSecure: true }, 'it holds no certificate'],
  ])('refuses authorities that cannot be read at its start: %j', async (more, message) => {
    await expect(lead(upstreamAt(1, more))).rejects.toThrow(message);
  });

  it('says where the other way of carrying leads', async () => {
    const warnings = async (url: string, isSecure = false): Promise<string[]> =>
      (await lead(upstreamAt(1, { url, isSecure }))).warned;
    expect(await warnings('udp://h:1')).toEqual([
      'connections of the upstream udp://h:1 go to port 1 of 127.0.0.1, by TCP',
    ]);
    expect(await warnings('tls://h:1', true)).toEqual([
      'datagrams of the upstream tls://h:1 go to port 1 of 127.0.0.1, by UDP and without TLS',
    ]);
    expect(await warnings('dns://h:1')).toEqual([]);
  });

  it('resets clients of an upstream that is not there, and says so once', async () => {
    const { port: gone, server } = await listen({ onConnection: () => undefined });
    await server.stop(0);
    const { port, warned } = await lead(upstreamAt(gone));
    for (let count = 0; count < 3; count += 1) {
      const client = keep(net.connect({ host: '127.0.0.1', port }));
      const [error] = (await once(client, 'error')) as [NodeJS.ErrnoException];
      expect(error.code).toBe('ECONNRESET');
    }
    expect(warned).toEqual([
      `the upstream echo://127.0.0.1:${gone} cannot be reached: connect ECONNREFUSED 127.0.0.1:${gone}`,
    ]);
  });

  it('gives the datagrams of each client a port of their own', async () => {
    const far = dgram.createSocket('udp4');
    const ports = new Set<number>();
    far.on('message', (data, { port, address }) => {
      ports.add(port);
      far.send(`${String(data)} back`, port, address);
    });
    far.bind(0, '127.0.0.1');
    await once(far, 'listening');
    const { port } = await lead(upstreamAt(far.address().port));
    const clients = [dgram.createSocket('udp4'), dgram.createSocket('udp4')];
    for (const [index, client] of clients.entries()) {
      const answer = once(client, 'message');
      client.send(`hello ${index}`, port, '127.0.0.1');
      expect(String((await answer)[0])).toBe(`hello ${index} back`);
    }
    expect(ports.size).toBe(2);
    for (const socket of [...clients, far]) await new Promise<void>((resolve) => socket.close(resolve));
  });
});
