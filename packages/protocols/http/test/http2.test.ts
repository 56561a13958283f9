import { once } from 'node:events';
import http2, { type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import https from 'node:https';
import net from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { processCertificate } from '@backlot/kit';
import { startHttp, stopAll } from './support/http-host.js';

const sessions: ClientHttp2Session[] = [];

afterEach(async () => {
  for (const session of sessions.splice(0)) session.destroy();
  await stopAll();
});

function connect(url: string, options: object = {}): ClientHttp2Session {
  const session = http2.connect(url, options);
  session.on('error', () => undefined);
  sessions.push(session);
  return session;
}

function call(
  session: ClientHttp2Session,
  headers: object,
  body?: string,
): Promise<{ headers: IncomingHttpHeaders; body: string }> {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers as never);
    let text = '';
    let answered: IncomingHttpHeaders = {};
    stream.setEncoding('utf8');
    stream.on('response', (given) => (answered = given));
    stream.on('data', (chunk: string) => (text += chunk));
    stream.on('end', () => resolve({ headers: answered, body: text }));
    stream.on('error', reject);
    stream.end(body);
  });
}

const ECHO = {
  id: 'echo',
  request: { path: '/echo/{n}' },
  response: {
    headers: { Connection: 'keep-alive', 'X-A': ['1', '2'] },
    body: '{{request.params.n}} {{request.raw_body}} {{headers.host}}',
  },
};

describe('HTTP/2 in the clear', () => {
  it('serves many streams of one connection', async () => {
    const { url, port, host } = await startHttp([ECHO]);
    const session = connect(url);
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, n) =>
        call(session, { ':path': `/echo/${n}?q=1`, ':method': 'POST' }, `body ${n}`),
      ),
    );
    answers.forEach(({ headers, body }, n) => {
      expect(body).toBe(`${n} body ${n} 127.0.0.1:${port}`);
      expect(headers[':status']).toBe(200);
      expect(headers['connection']).toBeUndefined();
      expect(headers['x-a']).toBe('1, 2');
    });
    const entry = host.journal.list({ limit: 1 })[0];
    expect(entry).toMatchObject({ query: { q: '1' }, headers: { host: `127.0.0.1:${port}` } });
    expect(Object.keys(entry?.['headers'] as object).some((name) => name.startsWith(':'))).toBe(false);
  });

  it('answers HEAD, 204, faults, 404 and 413', async () => {
    const { url, host } = await startHttp(
      [
        ECHO,
        { id: 'none', request: { path: '/none' }, response: { status: 204, body: 'x' } },
        {
          id: 'hints',
          request: { path: '/hints' },
          response: { status: 103, headers: { Link: '</a>; rel=preload' } },
        },
      ],
      { max_body_bytes: 100 },
    );
    const session = connect(url);
    expect(await call(session, { ':path': '/echo/1', ':method': 'HEAD' })).toMatchObject({
      headers: { ':status': 200 },
      body: '',
    });
    expect(await call(session, { ':path': '/none' })).toMatchObject({
      headers: { ':status': 204 },
      body: '',
    });
    expect(await call(session, { ':path': '/hints' })).toMatchObject({
      headers: { ':status': 200 },
      body: '',
    });
    expect((await call(session, { ':path': '/missing' })).headers[':status']).toBe(404);
    const large = await call(session, { ':path': '/echo/1', ':method': 'POST' }, 'x'.repeat(500_000));
    expect(large.headers[':status']).toBe(413);
    host.faults.set('http', { abort: true });
    await expect(call(session, { ':path': '/echo/1' })).rejects.toThrow(/INTERNAL_ERROR/);
    host.faults.set('http', { truncate_body: 1 });
    await expect(call(session, { ':path': '/echo/1' })).rejects.toThrow();
    host.faults.set('http', { truncate_body: 3, status: 500, body: 'oops' });
    const cut = session.request({ ':path': '/echo/1' });
    let text = '';
    cut.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    await expect(once(cut, 'end')).rejects.toThrow(/INTERNAL_ERROR/);
    expect(text).toBe('oop');
    host.faults.clear('http');
    expect((await call(session, { ':path': '/echo/1' })).headers[':status']).toBe(200);
  });

  it('streams, and notices the client that leaves', async () => {
    const { url, host } = await startHttp([
      {
        id: 's',
        request: { path: '/s' },
        response: { headers: { 'Content-Type': 'text/event-stream' } },
        stream: { events: [{ data: 'a' }], keep_open: true },
      },
      { id: 'slow', request: { path: '/slow' }, delay: '1h' },
    ]);
    const session = connect(url);
    const stream = session.request({ ':path': '/s' });
    let text = '';
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    await eventually(() => text.includes('data: a'));
    host.streams.push({ protocol: 'http', mock_id: 's' }, 'b');
    await eventually(() => text.includes('data: b'));
    stream.close();
    await eventually(() => host.streams.list().length === 0);
    const slow = session.request({ ':path': '/slow' });
    slow.on('error', () => undefined);
    slow.end();
    await host.kind('http').calls.wait('slow', 1, 60_000);
    slow.close(http2.constants.NGHTTP2_CANCEL);
    await eventually(() => host.journal.list({ matchedId: 'slow' })[0]?.['aborted'] === true);
  });

  it('survives rapid resets and garbage after the preface', async () => {
    const { url, port } = await startHttp([ECHO]);
    const session = connect(url);
    for (let n = 0; n < 5000 && !session.destroyed && !session.closed; n += 1) {
      const stream = session.request({ ':path': '/echo/1' });
      stream.on('error', () => undefined);
      stream.close(http2.constants.NGHTTP2_CANCEL);
      if (n % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const socket = net.connect(port, '127.0.0.1').on('error', () => undefined);
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket
      .resume()
      .write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), Buffer.alloc(64, 0xff)]));
    await closed;
    expect((await call(connect(url), { ':path': '/echo/1' })).headers[':status']).toBe(200);
  });

  it('closes connections whose framing is broken, also when node does not', async () => {
    const { url, port, host } = await startHttp([ECHO]);
    const session = connect(url);
    await call(session, { ':path': '/echo/1' });
    const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    const settings = Buffer.from([0, 0, 3, 4, 0, 0, 0, 0, 0, 0, 4, 255]);
    const socket = net.connect(port, '127.0.0.1').on('error', () => undefined);
    const closed = once(socket, 'close');
    socket.resume().write(Buffer.concat([preface, settings]));
    await closed;
    await eventually(() => host.kind('http').status()['connections'] === 1);
    expect((await call(session, { ':path': '/echo/1' })).headers[':status']).toBe(200);
  }, 15_000);

  it('ends its sessions when the host stops', async () => {
    const { url, host } = await startHttp([ECHO]);
    const session = connect(url);
    await call(session, { ':path': '/echo/1' });
    const closed = new Promise((resolve) => session.on('close', resolve));
    await host.stop(1000);
    await closed;
  });
});

describe('TLS', () => {
  it('offers HTTP/2 and HTTP/1.1 by ALPN', async () => {
    const { port, host } = await startHttp([ECHO], { tls: { self_signed: true } });
    const { cert: ca } = await processCertificate();
    const session = connect(`https://127.0.0.1:${port}`, { ca });
    expect((await call(session, { ':path': '/echo/2' })).body).toBe(`2  127.0.0.1:${port}`);
    expect(session.alpnProtocol).toBe('h2');
    const text = await new Promise<string>((resolve, reject) => {
      https
        .get({ host: '127.0.0.1', port, path: '/echo/1', ca, agent: false }, (answer) => {
          let body = '';
          answer
            .setEncoding('utf8')
            .on('data', (chunk: string) => (body += chunk))
            .on('end', () => resolve(`${answer.httpVersion} ${body}`));
        })
        .on('error', reject);
    });
    expect(text).toBe(`1.1 1  127.0.0.1:${port}`);
    host.kind('http').mocks.create({
      request: { path: '/where' },
      respond: ({ scheme, host }: { readonly scheme: string; readonly host: string }) => ({
        body: `${scheme}://${host}`,
      }),
    });
    expect((await call(session, { ':path': '/where' })).body).toBe(`https://127.0.0.1:${port}`);
    host.faults.set('http', { abort: true });
    await expect(
      new Promise((resolve, reject) =>
        https.get({ host: '127.0.0.1', port, ca, agent: false }, resolve).on('error', reject),
      ),
    ).rejects.toThrow();
    expect(host.kind('http').status()).toMatchObject({ tls: true });
  });
});
