import { once } from 'node:events';
import http2 from 'node:http2';
import https from 'node:https';
import type { Socket } from 'node:net';
import tls from 'node:tls';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createStreamServer, processCertificate, timers, type Connection } from '../src/index.js';
import {
  closeAll,
  closeOf,
  connect,
  deferred,
  echo,
  keep,
  listen,
  readAll,
  readUntil,
  until,
} from './clients.js';

afterEach(closeAll);

/** A client that trusts the process's certificate and nothing else. */
async function connectTls(port: number, options: tls.ConnectionOptions = {}): Promise<tls.TLSSocket> {
  const { cert } = await processCertificate();
  const place = options.socket === undefined ? { host: '127.0.0.1', port } : {};
  const socket = keep(tls.connect({ ca: cert, servername: 'localhost', ...place, ...options }));
  await once(socket, 'secureConnect');
  return socket;
}

describe('implicit TLS', () => {
  it('is trusted by a client that knows the certificate, and refused by others', async () => {
    const onError = jest.fn();
    const taken: Connection[] = [];
    const { port, server } = await listen({
      tls: { self_signed: true },
      onError,
      onConnection: (connection) => {
        taken.push(connection);
        echo(connection);
      },
    });
    const client = await connectTls(port);
    expect(client.authorized).toBe(true);
    client.write('secret');
    expect(await readUntil(client, 'secret')).toBe('secret');
    expect(taken[0]?.encrypted).toBe(true);
    expect(taken[0]?.remote).toBe(`127.0.0.1:${client.localPort}`);

    const stranger = keep(tls.connect({ host: '127.0.0.1', port }));
    const [error] = (await once(stranger, 'error').catch((thrown: unknown) => [thrown])) as [Error];
    expect(error).toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    await until(() => server.connections === 1);
    client.end();
    await until(() => server.connections === 0);
  });

  it('checks by address as well', async () => {
    const { port } = await listen({ tls: { self_signed: true }, onConnection: echo });
    const { cert } = await processCertificate();
    const client = keep(tls.connect({ host: '127.0.0.1', port, ca: cert }));
    await once(client, 'secureConnect');
    expect(client.authorized).toBe(true);
  });

  it('drops what is not TLS, and a client that does not finish its handshake', async () => {
    const onError = jest.fn();
    const { port, server } = await listen({
      tls: { self_signed: true },
      limits: { handshakeTimeout: 500 },
      onConnection: echo,
      onError,
    });
    const plain = await connect(port);
    plain.write('GET / HTTP/1.1\r\n\r\n');
    await closeOf(plain);
    const silent = await connect(port);
    await closeOf(silent);
    await until(() => server.connections === 0);
    expect(onError.mock.calls.map(([error, where]) => [(error as { code?: string }).code, where])).toEqual([
      ['ERR_SSL_HTTP_REQUEST', 'tls'],
      ['ERR_TLS_HANDSHAKE_TIMEOUT', 'tls'],
    ]);
    const client = await connectTls(port);
    client.write('ok');
    expect(await readUntil(client, 'ok')).toBe('ok');
  });

  it('bounds a handshake in time also when its client sends a byte now and then, and handshakes in number', async () => {
    const onError = jest.fn();
    const { port, server } = await listen({
      tls: { self_signed: true },
      limits: { handshakeTimeout: 300, maxConnections: 3 },
      onConnection: echo,
      onError,
    });
    const slow = await Promise.all([connect(port), connect(port), connect(port)]);
    await until(() => server.connections === 3);
    const ends = slow.map(closeOf);
    // A record of 512 bytes that never is whole.
    let sent = 0;
    const drip = setInterval(() => {
      for (const socket of slow)
        if (!socket.destroyed) socket.write(Buffer.from('1603010200', 'hex').subarray(sent, sent + 1));
      sent += 1;
    }, 20);
    await closeOf(await connect(port));
    await Promise.all(ends);
    clearInterval(drip);
    await until(() => server.connections === 0);
    const codes = onError.mock.calls.map(([error]) => (error as { code?: string }).code);
    expect(codes).toEqual(Array(3).fill('ERR_TLS_HANDSHAKE_TIMEOUT'));
  });

  it('forgets clients that leave in the middle of the handshake', async () => {
    const onError = jest.fn();
    const { port, server } = await listen({ tls: { self_signed: true }, onConnection: echo, onError });
    for (let count = 0; count < 20; count += 1) {
      const client = await connect(port);
      client.write(Buffer.from('160301', 'hex'));
      client.resetAndDestroy();
    }
    await until(() => onError.mock.calls.length === 20 && server.connections === 0);
  });

  it('forgets clients that reset the connection with the last bytes of their handshake', async () => {
    const { port, server } = await listen({ tls: { self_signed: true }, onConnection: echo });
    const { cert } = await processCertificate();
    for (let count = 0; count < 20; count += 1) {
      const raw = await connect(port);
      const client = keep(tls.connect({ ca: cert, servername: 'localhost', socket: raw }));
      await once(client, 'secureConnect');
      // The handshake is done for the server as well before it is read from: nothing tells of a reset that comes now.
      await new Promise(setImmediate);
      raw.resetAndDestroy();
      raw.destroy();
    }
    for (let turn = 0; turn < 1000 && server.connections > 0; turn += 1) await timers.wait(1);
    expect(server.connections).toBe(0);
  });

  it('is stopped while a handshake hangs', async () => {
    const { port, server } = await listen({ tls: { self_signed: true }, onConnection: echo });
    const hanging = await connect(port);
    await until(() => server.connections === 1);
    const closed = closeOf(hanging);
    await server.stop(600_000);
    await closed;
  });

  it('resets the TCP connection below', async () => {
    const { port, server } = await listen({
      tls: { self_signed: true },
      onConnection: (connection) => connection.onData(() => connection.reset()),
    });
    const client = await connectTls(port);
    client.write('x');
    expect(await closeOf(client)).toMatchObject({ code: 'ECONNRESET' });
    await until(() => server.connections === 0);
  });

  it('sends answers whole, and is idle by the bytes below', async () => {
    const { port } = await listen({
      tls: { self_signed: true },
      limits: { idleTimeout: 60 },
      onConnection: (connection) => connection.onData(() => connection.write(Buffer.alloc(1_000_000, 'z'))),
    });
    const client = await connectTls(port);
    const all = readAll(client);
    // Traffic keeps it open for more than the limit.
    for (let count = 0; count < 10; count += 1) {
      client.write('?');
      await timers.wait(15);
    }
    expect(client.destroyed).toBe(false);
    expect((await all).length % 1_000_000).toBe(0);
  });

  it('answers a client that has ended its side but still waits', async () => {
    const { port } = await listen({
      tls: { self_signed: true },
      onConnection: (connection) => {
        connection.onData(async (chunk) => {
          connection.busy();
          await timers.wait(20);
          connection.write(`late ${chunk.toString()}`);
          connection.idle();
        });
      },
    });
    const client = await connectTls(port, { allowHalfOpen: true } as tls.ConnectionOptions);
    const answer = readAll(client);
    client.end('question');
    expect(await answer).toBe('late question');
  });

  it('fails to start with files that are not there', async () => {
    const server = createStreamServer({
      host: '127.0.0.1',
      port: 0,
      tls: { cert_file: '/nowhere/cert.pem', key_file: '/nowhere/key.pem', mode: 'starttls' },
      onConnection: echo,
    });
    await expect(server.start()).rejects.toThrow('cannot read /nowhere/cert.pem: there is no such file');
    await server.stop();
  });

  it('asks for a client certificate where authorities are named', async () => {
    const { key, cert } = await processCertificate();
    const taken = deferred<Connection>();
    const { port } = await listen({
      tls: { self_signed: true, clientAuthorities: cert },
      onConnection: taken.resolve,
    });
    const without = keep(tls.connect({ host: '127.0.0.1', port, ca: cert }));
    expect(await closeOf(without)).toMatchObject({ code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' });
    await connectTls(port, { key, cert });
    expect((await taken.promise).encrypted).toBe(true);
  });
});

describe('a library behind implicit TLS', () => {
  it('is chosen by ALPN', async () => {
    const one = https.createServer((request, response) => response.end(`1.1 ${request.url}`));
    const two = http2.createServer((request, response) => void response.end(`2 ${request.url}`));
    const { port } = await listen({
      tls: { self_signed: true, alpnProtocols: ['h2', 'http/1.1'] },
      onConnection: (connection) => {
        const isTwo = connection.alpnProtocol === 'h2';
        connection.handOver(
          (socket: Socket) => (isTwo ? two.emit('connection', socket) : one.emit('secureConnection', socket)),
          { halfOpen: true },
        );
      },
    });
    const { cert } = await processCertificate();
    const answer = await new Promise<string>((resolve, reject) => {
      https
        .get({ host: 'localhost', port, path: '/a', ca: cert, agent: false }, (response) => {
          response.setEncoding('utf8').on('data', resolve);
        })
        .on('error', reject);
    });
    expect(answer).toBe('1.1 /a');
    const session = http2.connect(`https://localhost:${port}`, { ca: cert });
    const stream = session.request({ ':path': '/b' });
    const [data] = (await once(stream, 'data')) as [Buffer];
    expect(data.toString()).toBe('2 /b');
    session.close();
    await once(session, 'close');
  });
});

describe('STARTTLS', () => {
  /** A small protocol of lines: STARTTLS upgrades, anything else is repeated in upper case. */
  function speak(connection: Connection): void {
    connection.onData(async (chunk) => {
      const text = chunk.toString();
      if (!text.startsWith('STARTTLS')) return connection.write(text.toUpperCase());
      connection.write('go ');
      connection.write('ahead\n');
      await connection.startTls();
      return connection.write(`encrypted ${connection.encrypted}\n`);
    });
  }

  it('upgrades on request and goes on with the same connection', async () => {
    const taken: Connection[] = [];
    const { port, server } = await listen({
      tls: { self_signed: true, mode: 'starttls' },
      onConnection: (connection) => {
        taken.push(connection);
        speak(connection);
      },
    });
    const plain = await connect(port);
    plain.write('hello\n');
    expect(await readUntil(plain, '\n')).toBe('HELLO\n');
    plain.write('STARTTLS\n');
    expect(await readUntil(plain, 'ahead\n')).toBe('go ahead\n');
    const client = await connectTls(port, { socket: plain });
    expect(await readUntil(client, '\n')).toBe('encrypted true\n');
    client.write('again\n');
    expect(await readUntil(client, '\n')).toBe('AGAIN\n');
    expect(server.connections).toBe(1);
    expect(server.connectionOf(taken[0]?.socket as Socket)).toBe(taken[0]);
    const closed = closeOf(client);
    await server.stop();
    await closed;
    expect(server.connections).toBe(0);
  });

  it('ends the connection when commands were put in before the handshake', async () => {
    const onError = jest.fn();
    const { port } = await listen({
      tls: { self_signed: true, mode: 'starttls' },
      onConnection: speak,
      onError,
    });
    const plain = await connect(port);
    plain.write('STARTTLS\n');
    await readUntil(plain, 'ahead\n');
    plain.write('INJECTED\n');
    await closeOf(plain);
    await until(() => onError.mock.calls.length > 0);
    expect(onError.mock.calls[0]?.[0]).toMatchObject({ code: 'ERR_SSL_WRONG_VERSION_NUMBER' });
  });

  it('cannot be done without a certificate, nor twice', async () => {
    const taken = deferred<Connection>();
    const { port } = await listen({ onConnection: taken.resolve });
    await connect(port);
    await expect((await taken.promise).startTls()).rejects.toThrow('made without tls');
    const encrypted = deferred<Connection>();
    const second = await listen({ tls: { self_signed: true }, onConnection: encrypted.resolve });
    await connectTls(second.port);
    await expect((await encrypted.promise).startTls()).rejects.toThrow('encrypted already');
  });
});

describe('a certificate with something wrong', () => {
  /** Why a client that trusts the process does not connect; `undefined` when it does. */
  async function refusal(port: number): Promise<string | undefined> {
    try {
      (await connectTls(port)).end();
      return undefined;
    } catch (thrown) {
      return (thrown as NodeJS.ErrnoException).code;
    }
  }

  it('has expired, or is for another host, and nothing else is wrong with it', async () => {
    let fault: 'expired' | 'wrong_host' | undefined;
    const { port } = await listen({
      tls: { self_signed: true },
      tlsFault: () => fault,
      onConnection: echo,
    });
    expect(await refusal(port)).toBeUndefined();
    fault = 'expired';
    expect(await refusal(port)).toBe('CERT_HAS_EXPIRED');
    fault = 'wrong_host';
    expect(await refusal(port)).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    fault = undefined;
    expect(await refusal(port)).toBeUndefined();
  });

  it('is shown from the start where the settings say so', async () => {
    const { port } = await listen({ tls: { fault: 'expired' }, onConnection: echo });
    expect(await refusal(port)).toBe('CERT_HAS_EXPIRED');
  });
});
