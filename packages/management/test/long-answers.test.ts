import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Type, type Protocol, type Route, type RouteAnswer } from '@backlot/core/plugin';
import { echo } from './support/echo.js';
import { plain } from './support/plain.js';
import { start, stopAll } from './support/start.js';

const readers: Socket[] = [];
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.destroy();
  await stopAll();
});

const MEGABYTE = 1024 * 1024;

/** A client that asks for something and reads when it is told to. */
function openReader(port: number, path: string): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      resolve(socket.pause());
    });
    socket.on('error', () => undefined);
    readers.push(socket);
  });
}

/** The body of an answer, read to its end. */
async function readBody(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const parts: Buffer[] = [];
  let at = bytes.indexOf('\r\n\r\n') + 4;
  for (;;) {
    const end = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16);
    if (!(size > 0)) break;
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
  return Buffer.concat(parts).toString();
}

/** Resolves when a number has not changed for a while of turns of the event loop, and is not zero. */
async function settled(count: () => number): Promise<number> {
  let last = 0;
  for (let same = 0; same < 300 || last === 0; same += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (count() !== last) same = 0;
    last = count();
  }
  return last;
}

/** The bytes that the newest connection of a server was given to write. */
function watchSockets(): { readonly noteSocket: (server: Server) => void; readonly written: () => number } {
  let newest: Socket | undefined;
  return {
    noteSocket: (server) => void server.on('connection', (socket: Socket) => (newest = socket)),
    written: () => newest?.bytesWritten ?? 0,
  };
}

/** The test protocol with a route that answers what is given. */
function withRoute(answer: () => RouteAnswer): Protocol {
  const route: Route<never> = {
    method: 'GET',
    path: '/api/echo/long',
    name: 'listLong',
    tag: 'Echo long',
    summary: 'Lists much.',
    responses: { 200: { description: 'Much.', schema: Type.Unknown() } },
    handle: answer,
  };
  return { ...echo, routes: [route] };
}

/** A list that counts what is made of it. */
class CountedList implements Iterable<string> {
  made = 0;
  isGivenUp = false;

  constructor(
    readonly length: number,
    private readonly item: string,
  ) {}

  *[Symbol.iterator](): Generator<string> {
    try {
      for (; this.made < this.length;) {
        this.made += 1;
        yield this.item;
      }
    } finally {
      this.isGivenUp = true;
    }
  }
}

describe('a long list', () => {
  it('waits for a client that does not read, with little of it made', async () => {
    const list = new CountedList(300, 'x'.repeat(MEGABYTE));
    const { port, call } = await start({}, { protocols: [withRoute(() => ({ list })), plain] });
    const reader = await openReader(port, '/api/echo/long');
    // What the system takes for a client that does not read is some megabytes.
    expect(await settled(() => list.made)).toBeLessThan(40);
    expect((await call('GET', '/api/clock')).status).toBe(200);
    let read = 0;
    for await (const chunk of reader) read += (chunk as Buffer).length;
    expect(list.made).toBe(300);
    expect(read).toBeGreaterThan(300 * MEGABYTE);
  });

  it('is given up when its client leaves', async () => {
    const list = new CountedList(300, 'x'.repeat(MEGABYTE));
    const { port } = await start({}, { protocols: [withRoute(() => ({ list })), plain] });
    const reader = await openReader(port, '/api/echo/long');
    await settled(() => list.made);
    reader.destroy();
    while (!list.isGivenUp) await new Promise((resolve) => setImmediate(resolve));
    expect(list.made).toBeLessThan(40);
  });

  it('is given up when its client reads nothing for too long', async () => {
    const list = new CountedList(300, 'x'.repeat(MEGABYTE));
    const { port } = await start({ stalledAfter: 100 }, { protocols: [withRoute(() => ({ list })), plain] });
    const reader = await openReader(port, '/api/echo/long');
    while (!list.isGivenUp) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(list.made).toBeLessThan(40);
    let read = 0;
    reader.on('data', (chunk: Buffer) => (read += chunk.length));
    await new Promise((resolve) => reader.on('close', resolve).resume());
    expect(read).toBeLessThan(40 * MEGABYTE);
  });

  it('lets others in while its items are made', async () => {
    let turns = 0;
    let isCounting = true;
    const count = (): void => {
      turns += 1;
      if (isCounting) setImmediate(count);
    };
    const show = (item: number): number => {
      const end = process.hrtime.bigint() + 2_000_000n;
      while (process.hrtime.bigint() < end);
      return item;
    };
    const list = Array.from({ length: 200 }, (_, index) => index);
    const { call } = await start({}, { protocols: [withRoute(() => ({ list, show })), plain] });
    await call('GET', '/api/clock');
    setImmediate(count);
    const { body } = await call('GET', '/api/echo/long');
    isCounting = false;
    expect(body).toEqual(list);
    // 400 ms of work in slices of 10 ms; in one piece it would be a handful of turns.
    expect(turns).toBeGreaterThan(25);
  });

  it('is what it was when it was asked for, whatever changes meanwhile', async () => {
    const { noteSocket, written } = watchSockets();
    const { port, host } = await start({}, {}, noteSocket);
    const { mocks } = host.kind('echo');
    for (let index = 0; index < 400; index += 1)
      mocks.create({ id: `m${index}`, answer: 'x'.repeat(100_000) });
    const before = mocks.list();
    const reader = await openReader(port, '/api/mocks/echo');
    expect(await settled(written)).toBeLessThan(20 * MEGABYTE);
    for (let index = 0; index < 400; index += 2) mocks.remove(`m${index}`);
    for (let index = 1; index < 400; index += 2) mocks.replace(`m${index}`, { answer: 'changed' });
    mocks.create({ id: 'new' });
    const read = JSON.parse(await readBody(reader));
    expect(read.length).toBe(400);
    expect(JSON.stringify(read) === JSON.stringify(before)).toBe(true);
  });

  it('of captured messages is what it was too, when they are cleared', async () => {
    const { noteSocket, written } = watchSockets();
    const { port, host, connect: connectEcho } = await start({}, {}, noteSocket);
    const client = await connectEcho();
    for (let index = 0; index < 300; index += 1) client.send(`KEEP ${'x'.repeat(100_000)}`);
    for (let index = 0; index < 300; index += 1) await client.nextLine();
    const reader = await openReader(port, '/api/echoes');
    expect(await settled(written)).toBeLessThan(20 * MEGABYTE);
    host.reset();
    const read: { id: string }[] = JSON.parse(await readBody(reader));
    expect(read.map(({ id }) => id)).toEqual(Array.from({ length: 300 }, (_, index) => String(index + 1)));
  });

  it('of entries is longer than a text can be', async () => {
    // 600 MB: a text holds 512 MB at most.
    const list = Array.from({ length: 600 }, (_, index) => index);
    const text = 'y'.repeat(MEGABYTE);
    const show = (id: number): unknown => ({ id, text });
    const { port } = await start({}, { protocols: [withRoute(() => ({ list, show })), plain] });
    const reader = await openReader(port, '/api/echo/long');
    let read = 0;
    let end = '';
    for await (const chunk of reader) {
      read += (chunk as Buffer).length;
      end = (end + String(chunk)).slice(-20);
    }
    expect(read).toBeGreaterThan(600 * MEGABYTE);
    expect(end).toMatch(/"\}\]\r\n0\r\n\r\n$/);
  });

  it('that fails in the middle ends the connection, and says so', async () => {
    const caught: string[] = [];
    const list = (function* (): Generator<string> {
      yield 'x'.repeat(MEGABYTE);
      throw new TypeError('the rest fell off');
    })();
    const { url, call } = await start(
      { onError: (thrown) => caught.push(String(thrown)) },
      { protocols: [withRoute(() => ({ list })), plain] },
    );
    const response = await fetch(`${url}/api/echo/long`);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    expect(caught).toEqual(['TypeError: the rest fell off']);
    expect((await call('GET', '/api/clock')).status).toBe(200);
  });

  it('that fails at once is an error', async () => {
    const list = {
      [Symbol.iterator]: (): Iterator<string> => {
        throw new TypeError('nothing there');
      },
    };
    const { call } = await start({}, { protocols: [withRoute(() => ({ list })), plain] });
    const { status, body } = await call('GET', '/api/echo/long');
    expect([status, body]).toEqual([500, { error: 'internal error: nothing there' }]);
  });

  it('has the headers of a short one, and of a HEAD request no more than them', async () => {
    const list = new CountedList(300, 'x'.repeat(MEGABYTE));
    const { call, raw } = await start({}, { protocols: [withRoute(() => ({ list })), plain] });
    const head = await call('HEAD', '/api/echo/long');
    expect([head.status, head.text, head.headers.get('content-length')]).toEqual([200, '', null]);
    expect(head.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect([list.made, list.isGivenUp]).toEqual([1, true]);
    const short = await call('GET', '/api/mocks/echo');
    expect(short.headers.get('content-length')).toBe('2');
    // Two requests of one connection: the answer to the second comes after the end of the first.
    const request =
      'Host: localhost\r\n\r\nGET /api/clock HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    expect(await raw(`HEAD /api/echo/long HTTP/1.1\r\n${request}`)).toMatch(
      /^HTTP\/1.1 200 OK\r\n[^]*\r\n\r\nHTTP\/1.1 200 OK\r\n[^]*\{"now":[^]*\}$/,
    );
  });

  it('is read by clients of HTTP/1.0', async () => {
    const list = ['x'.repeat(MEGABYTE), 'y'];
    const { raw } = await start({}, { protocols: [withRoute(() => ({ list })), plain] });
    const text = await raw('GET /api/echo/long HTTP/1.0\r\nHost: localhost\r\n\r\n');
    const [headers = '', body = ''] = text.split('\r\n\r\n');
    expect(headers).not.toMatch(/transfer-encoding/i);
    expect(body === JSON.stringify(list)).toBe(true);
  });
});

describe('a long object', () => {
  it('is written in pieces as well', async () => {
    const { call } = await start();
    const values = Object.fromEntries(
      Array.from({ length: 50_000 }, (_, index) => [`key ${index}`, `value ${index}`]),
    );
    const set = await call('POST', '/api/state', values);
    expect([set.status, set.body]).toEqual([200, values]);
    const got = await call('GET', '/api/state');
    expect([got.headers.get('transfer-encoding'), got.body]).toEqual(['chunked', values]);
    expect((await call('HEAD', '/api/state')).headers.get('content-length')).toBeNull();
  });
});
