import http from 'node:http';
import { once } from 'node:events';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { SLICE } from '@backlot/core/plugin';
import tls from 'node:tls';
import type { Connection, StreamTls } from '../src/index.js';
import { HttpAcceptor, endWithHttp, readBody, type HttpAcceptorOptions } from '../src/http.js';
import { closeAll, connect, keep, listen, readAll, readUntil, until } from './clients.js';

const acceptors: HttpAcceptor[] = [];
afterEach(async () => {
  await closeAll();
  for (const acceptor of acceptors.splice(0)) acceptor.stop();
});

async function open(
  options: HttpAcceptorOptions,
  tlsOptions?: StreamTls,
): Promise<{ port: number; connections: () => number }> {
  const acceptor = new HttpAcceptor(options);
  acceptors.push(acceptor);
  const { server, port } = await listen({
    onConnection: (connection: Connection) => acceptor.take(connection),
    ...(tlsOptions === undefined ? {} : { tls: tlsOptions }),
  });
  acceptor.start();
  return { port, connections: () => server.connections };
}

/** Sends the text, gives all that comes back until the other end closes. */
async function exchange(port: number, text: string): Promise<string> {
  const socket = await connect(port);
  const answer = readAll(socket);
  socket.write(text);
  return answer;
}

const echoBody: HttpAcceptorOptions = {
  onRequest: (request, response) => {
    readBody(request, 1000, (body) => response.end(body ?? 'too much'));
  },
};

function upgradeTo(token: string): string {
  return `Connection: Upgrade\r\nUpgrade: ${token}\r\nHost: a\r\n`;
}

describe('an HTTP acceptor', () => {
  it('lets others in while it handles a long pipeline, in order and to the end', async () => {
    const REQUESTS = 200;
    let now = performance.now() + SLICE;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    const seen: string[] = [];
    let longest = 0;
    let began = now;
    const meter = (): void => {
      longest = Math.max(longest, now - began);
      began = now;
      if (seen.length < REQUESTS) setImmediate(meter);
    };
    const { port } = await open({
      onRequest: (request, response) => {
        seen.push(request.url ?? '');
        // What a request costs.
        now += 1;
        if (seen.length === REQUESTS) response.setHeader('Connection', 'close');
        response.end();
      },
    });
    meter();
    const paths = Array.from({ length: REQUESTS }, (_, index) => `/${index}`);
    const answers = await exchange(
      port,
      paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''),
    );
    clock.mockRestore();
    expect(seen).toEqual(paths);
    expect(answers.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(REQUESTS);
    expect(longest).toBeLessThanOrEqual(4 * SLICE);
  });

  it('handles few requests of a pipeline in one turn of the event loop, however little each costs', async () => {
    const REQUESTS = 500;
    const now = performance.now() + SLICE;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    let seen = 0;
    let inTurn = 0;
    let most = 0;
    const meter = (): void => {
      most = Math.max(most, inTurn);
      inTurn = 0;
      if (seen < REQUESTS) setImmediate(meter);
    };
    const { port } = await open({
      onRequest: (_request, response) => {
        seen += 1;
        inTurn += 1;
        if (seen === REQUESTS) response.setHeader('Connection', 'close');
        response.end();
      },
    });
    meter();
    const answers = await exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(REQUESTS));
    clock.mockRestore();
    expect(answers.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(REQUESTS);
    expect(most).toBeLessThanOrEqual(100);
  });

  it.each(['in the clear', 'over TLS'])('reads no more of a pipeline %s than it can handle', async (way) => {
    const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
    const REQUESTS = 20_000;
    let handled = 0;
    let mostWaiting = 0;
    const tlsOptions = way === 'over TLS' ? { self_signed: true } : undefined;
    const { port } = await open(
      {
        onRequest: ({ socket }, response) => {
          handled += 1;
          mostWaiting = Math.max(mostWaiting, socket.bytesRead - handled * request.length);
          if (handled === REQUESTS) response.setHeader('Connection', 'close');
          response.end('x'.repeat(1000));
        },
      },
      tlsOptions,
    );
    const raw = await connect(port);
    const client =
      tlsOptions === undefined ? raw : keep(tls.connect({ socket: raw, rejectUnauthorized: false }));
    client.write(request.repeat(REQUESTS));
    // The client reads nothing until the server stops: its library pauses as well then.
    let before = -1;
    await until(() => {
      const isStill = handled > 0 && handled === before;
      before = handled;
      return isStill;
    });
    expect((await readAll(client)).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(REQUESTS);
    expect(mostWaiting).toBeLessThan(256 * 1024);
  });

  it('answers a pipeline before it refuses the bytes behind it', async () => {
    const REQUESTS = 100;
    let now = performance.now() + SLICE;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    const { port } = await open({
      onRequest: (_request, response) => {
        now += 1;
        response.end();
      },
    });
    const answers = await exchange(
      port,
      `${'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(REQUESTS)}nonsense\r\n\r\n`,
    );
    clock.mockRestore();
    const statuses = answers.match(/HTTP\/1\.1 \d+/g) ?? [];
    expect(statuses).toHaveLength(REQUESTS + 1);
    expect(statuses.at(-1)).toBe('HTTP/1.1 400');
  });

  it('answers requests on accepted connections, kept alive', async () => {
    const { port } = await open(echoBody);
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    try {
      for (const text of ['one', 'two']) {
        const request = http.request({ port, host: '127.0.0.1', method: 'POST', agent });
        request.end(text);
        const [response] = (await once(request, 'response')) as [http.IncomingMessage];
        expect(await readAll(response as never)).toBe(text);
      }
    } finally {
      agent.destroy();
    }
  });

  it('answers bytes that are no request after the answers that are owed, and closes', async () => {
    const { port } = await open(echoBody);
    const text = await exchange(
      port,
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi\x16\x03\x01\r\n\r\n',
    );
    expect(text).toMatch(/^HTTP\/1\.1 200 OK[^]*hiHTTP\/1\.1 400 Bad Request/);
  });

  it('answers a request whose body is cut off, and those before it, and closes', async () => {
    const { port } = await open(echoBody);
    const socket = await connect(port);
    const answer = readAll(socket);
    socket.end(
      'POST / HTTP/1.1\r\nContent-Length: 2\r\nHost: a\r\n\r\nhiPOST / HTTP/1.1\r\nContent-Length: 9\r\nHost: a\r\n\r\nhi',
    );
    expect(await answer).toMatch(/^HTTP\/1\.1 200 OK[^]*hiHTTP\/1\.1 400 Bad Request/);
  });

  it('answers too many bytes of headers with 431', async () => {
    const { port } = await open(echoBody);
    expect(await exchange(port, `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 /,
    );
  });

  it('answers CONNECT with 501', async () => {
    const { port } = await open(echoBody);
    expect(await exchange(port, 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n')).toMatch(/^HTTP\/1\.1 501 /);
  });

  it.each(['websocket', 'chess'])(
    'gives upgrades to %s away with all bytes, and refuses other upgrades',
    async (token) => {
      const { port } = await open({
        ...echoBody,
        upgrade: {
          token,
          take: (_request, socket, head) => {
            socket.write(`upgraded ${head.toString()};`);
            socket.on('data', (chunk: Buffer) => socket.write(chunk));
          },
        },
      });
      const socket = await connect(port);
      socket.write(`GET / HTTP/1.1\r\n${upgradeTo(token)}\r\nfirst`);
      expect(await readUntil(socket, ';')).toBe('upgraded first;');
      socket.write('next');
      expect(await readUntil(socket, 'next')).toBe('next');
      const refused = await exchange(port, `GET / HTTP/1.1\r\n${upgradeTo('h2c')}\r\n`);
      expect(refused).toMatch(/^HTTP\/1\.1 426 Upgrade Required\r\n/);
      expect(refused).toContain(`\r\nUpgrade: ${token}\r\n`);
      expect(refused).toContain(`an upgrade to ${token} alone`);
    },
  );

  it('without anything that takes requests tells that too', async () => {
    const { port } = await open({});
    expect(await exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')).toMatch(/^HTTP\/1\.1 501 /);
  });

  it('without a listener for requests tells that the port is for upgrades', async () => {
    const { port } = await open({
      upgrade: {
        token: 'websocket',
        take: (_request, _socket, _head, connection) => endWithHttp(connection, 404, 'no'),
      },
    });
    expect(await exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')).toMatch(/^HTTP\/1\.1 426 /);
    expect(await exchange(port, `GET / HTTP/1.1\r\n${upgradeTo('WebSocket')}\r\n`)).toMatch(
      /^HTTP\/1\.1 404 Not Found\r\n[^]*{"error":"no"}$/,
    );
  });
});
