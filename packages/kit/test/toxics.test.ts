import { once } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import net from 'node:net';
import tls from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { ActiveToxic, ToxicFeed } from '@backlot/core/plugin';
import { createService, timers, type Connection, type ServiceOptions } from '../src/index.js';
import { closeAll, closeOf, connect, deferred, echo, keep, readAll, readUntil, until } from './clients.js';

const STREAMS = [
  'latency',
  'bandwidth',
  'slow_close',
  'timeout',
  'reset_peer',
  'slicer',
  'limit_data',
  'down',
  'corrupt',
];

/** A feed whose toxics are set by hand. */
class Feed implements ToxicFeed {
  current: readonly ActiveToxic[] = [];
  readonly #listeners = new Set<() => void>();
  #number = 0;

  follow(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  nextNumber(): number {
    return ++this.#number;
  }

  random(): never {
    const random = {
      next: () => 0.5,
      int: (min: number, max: number) => Math.round((min + max) / 2),
      float: () => 0,
    };
    return random as never;
  }

  set(...toxics: Partial<ActiveToxic>[]): void {
    this.current = toxics.map((toxic) => ({
      name: 'one',
      type: 'latency',
      onStreams: STREAMS.includes(toxic.type ?? ''),
      onDatagrams: !STREAMS.includes(toxic.type ?? '') || toxic.type === 'down',
      stream: 'downstream' as const,
      toxicity: 1,
      attributes: {},
      isFor: () => true,
      ...toxic,
    }));
    for (const listener of this.#listeners) listener();
  }
}

const services: { stop(grace: number): Promise<void> }[] = [];

async function serve(
  options: ServiceOptions['stream'],
  config: object = {},
): Promise<{ feed: Feed; port: number; errors: unknown[]; stop(grace: number): Promise<void> }> {
  const feed = new Feed();
  const errors: unknown[] = [];
  const service = createService(
    {
      config: { host: '127.0.0.1', port: 0, ...config },
      clock: { after: () => ({ cancel: () => undefined }) },
      log: { warn: (text: string) => errors.push(text), error: (...all: unknown[]) => errors.push(all) },
      toxics: feed,
    },
    { stream: options as never },
  );
  services.push(service);
  const { port } = await service.start(0);
  return { feed, port, errors, stop: (grace) => service.stop(grace) };
}

afterEach(async () => {
  await closeAll();
  await Promise.all(services.splice(0).map((service) => service.stop(0)));
});

/** Whether something settles before so many milliseconds of the same timers have passed. */
async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return Promise.race([promise.then(() => true), timers.wait(ms).then(() => false)]);
}

const bulk = Buffer.alloc(3 * 1024 * 1024, 'x');

describe('toxics of connections', () => {
  it('delay bytes in each direction, and keep their order; what was held goes on when they are gone', async () => {
    const { feed, port } = await serve({ onConnection: echo });
    const open = await connect(port);
    open.write('a');
    await readUntil(open, 'a');
    for (const stream of ['upstream', 'downstream'] as const) {
      feed.set({ type: 'latency', stream, attributes: { latency: 3_600_000 } });
      const fresh = await connect(port);
      const answers = [open, fresh].map((socket) => readUntil(socket, 'bcd'));
      for (const socket of [open, fresh]) socket.write('bc');
      expect(await settlesWithin(Promise.race(answers), 30)).toBe(false);
      for (const socket of [open, fresh]) socket.write('d');
      await timers.wait(5);
      feed.set();
      expect(await Promise.all(answers)).toEqual(['bcd', 'bcd']);
    }
  });

  it('wait at least as long as they say', async () => {
    const { feed, port } = await serve({ onConnection: echo });
    feed.set({ type: 'latency', attributes: { latency: 60, jitter: 0 } });
    const socket = await connect(port);
    const began = timers.now();
    socket.write('a');
    await readUntil(socket, 'a');
    expect(timers.now() - began).toBeGreaterThanOrEqual(59);
  });

  it('hold no more than they may, and respect who reads slowly', async () => {
    const taken = deferred<Connection>();
    let received = 0;
    const { feed, port } = await serve({
      onConnection: (connection) => {
        connection.onData((chunk) => (received += chunk.length));
        taken.resolve(connection);
      },
    });
    feed.set({ type: 'latency', stream: 'upstream', attributes: { latency: 3_600_000 } });
    const socket = await connect(port);
    const all = Buffer.alloc(64 * 1024 * 1024);
    socket.write(all);
    await timers.wait(50);
    const left = socket.bytesWritten - socket.writableLength;
    expect(socket.writableLength).toBeGreaterThan(0);
    expect(left).toBeLessThan(all.length);
    expect(received).toBe(0);
    feed.set();
    await until(() => received === all.length);
  });

  it('limit the bandwidth, cut into pieces, and lose nothing', async () => {
    const { feed, port } = await serve({ onConnection: (connection) => connection.end(bulk) });
    feed.set(
      { name: 'a', type: 'bandwidth', attributes: { rate: 30_000 } },
      { name: 'b', type: 'slicer', attributes: { average_size: 4000, size_variation: 10, delay: 0 } },
    );
    // The server begins to send before its client knows that it is connected.
    const began = timers.now();
    const socket = await connect(port);
    let largest = 0;
    let length = 0;
    socket.on('data', (chunk: Buffer) => {
      largest = Math.max(largest, chunk.length);
      length += chunk.length;
    });
    await once(socket, 'end');
    expect(length).toBe(bulk.length);
    expect(timers.now() - began).toBeGreaterThan(95);
  });

  it('end connections: by a limit, by a time, by a reset, and when they are down', async () => {
    const { feed, port } = await serve({ onConnection: echo });
    feed.set({ type: 'limit_data', attributes: { bytes: 5 } });
    const limited = await connect(port);
    limited.write('0123456789');
    expect(await readAll(limited)).toBe('01234');

    feed.set();
    const open = await connect(port);
    open.write('a');
    await readUntil(open, 'a');
    feed.set({ type: 'timeout', attributes: { timeout: 20 } });
    open.write('b');
    expect(await readAll(open)).toBe('');

    feed.set();
    const other = await connect(port);
    other.write('a');
    await readUntil(other, 'a');
    const reset = closeOf(other);
    feed.set({ type: 'reset_peer', attributes: { timeout: 0 } });
    expect(await reset).toMatchObject({ code: 'ECONNRESET' });

    feed.set();
    const third = await connect(port);
    third.write('a');
    await readUntil(third, 'a');
    const gone = closeOf(third);
    feed.set({ type: 'down' });
    await gone;
    // The reset may come before the client knows that it is connected.
    expect(await closeOf(keep(net.connect({ host: '127.0.0.1', port })))).toMatchObject({
      code: 'ECONNRESET',
    });
    feed.set();
    const back = await connect(port);
    back.write('a');
    await readUntil(back, 'a');
  });

  it('delay the end of a side, and let what was sent before a close arrive', async () => {
    const { feed, port } = await serve({
      onConnection: (connection) => connection.onData(() => connection.end('bye')),
    });
    feed.set({ type: 'slow_close', attributes: { delay: 3_600_000 } });
    const socket = await connect(port, { allowHalfOpen: true });
    socket.write('x');
    const ended = once(socket, 'end');
    await readUntil(socket, 'bye');
    expect(await settlesWithin(ended, 20)).toBe(false);
    feed.set();
    await ended;

    const abrupt = await serve({
      onConnection: (connection) => {
        connection.write('last words');
        connection.destroy();
      },
    });
    abrupt.feed.set({ type: 'latency', attributes: { latency: 20 } });
    expect(await readAll(await connect(abrupt.port))).toBe('last words');
  });

  it('alter bytes, of the clients that they are for, with the chance that they have', async () => {
    const { feed, port } = await serve({ onConnection: echo });
    const first = await connect(port);
    const second = await connect(port);
    for (const socket of [first, second]) {
      socket.write('?');
      await readUntil(socket, '?');
    }
    const isFor = (_address: string, remote: string): boolean => remote.endsWith(`:${first.localPort ?? 0}`);
    feed.set({ type: 'corrupt', isFor, attributes: { bytes: 1, chance: 1 } });
    const altered = once(first, 'data');
    const whole = once(second, 'data');
    for (const socket of [first, second]) socket.write('abc');
    expect(String((await altered)[0])).not.toBe('abc');
    expect(String((await whole)[0])).toBe('abc');
    feed.set({ type: 'corrupt', toxicity: 0.5, attributes: { bytes: 1, chance: 1 } });
    const spared = once(first, 'data');
    first.write('abc');
    expect(String((await spared)[0])).toBe('abc');
  });

  it('act beneath TLS on new connections, and above it on those that there were', async () => {
    const { feed, port, errors } = await serve({ onConnection: echo }, { tls: { self_signed: true } });
    const reach = async (): Promise<tls.TLSSocket> => {
      const socket = keep(tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false }));
      await once(socket, 'secureConnect');
      return socket;
    };
    const old = await reach();
    old.write('a');
    await readUntil(old, 'a');
    feed.set({ type: 'latency', attributes: { latency: 1 } });
    const fresh = await reach();
    for (const socket of [old, fresh]) {
      socket.write('b');
      expect(await readUntil(socket, 'b')).toBe('b');
    }
    feed.set({ type: 'latency', attributes: { latency: 3_600_000 } });
    const answers = [old, fresh].map((socket) => readUntil(socket, 'c'));
    for (const socket of [old, fresh]) socket.write('c');
    const shaking = keep(tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false }));
    const isSecure = once(shaking, 'secureConnect');
    expect(await settlesWithin(Promise.race([...answers, isSecure]), 30)).toBe(false);
    feed.set();
    await Promise.all([...answers, isSecure]);
    feed.set({ type: 'corrupt', attributes: { bytes: 1, chance: 1 } });
    const broken = new Promise<Error>((resolve) => fresh.once('error', resolve));
    fresh.write('d');
    expect(String(await broken)).toContain('bad record mac');
    expect(errors).toEqual([]);
  });

  it('act on what node:http and node:http2 were handed, before and after', async () => {
    const one = http.createServer((request, response) => request.pipe(response));
    const { feed, port } = await serve({
      onConnection: (connection) => connection.handOver(one, { halfOpen: true }),
    });
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (): Promise<string> =>
      new Promise((resolve, reject) => {
        const request = http.request({ host: '127.0.0.1', port, agent, method: 'POST' }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part) => (text += String(part)));
          response.once('end', () => resolve(text));
        });
        request.once('error', reject).end('hello');
      });
    expect(await ask()).toBe('hello');
    for (const stream of ['upstream', 'downstream'] as const) {
      feed.set({ type: 'latency', stream, attributes: { latency: 3_600_000 } });
      const late = ask();
      expect(await settlesWithin(late, 30)).toBe(false);
      feed.set();
      expect(await late).toBe('hello');
    }
    agent.destroy();

    const two = http2.createServer((_request, response) => response.end('hello'));
    const h2 = await serve({
      onConnection: (connection) => connection.handOver(two, { byHandle: true }),
      onStopping: (connection) => connection.end(),
    });
    const askH2 = async (): Promise<{ answer: Promise<string>; session: http2.ClientHttp2Session }> => {
      const session = http2.connect(`http://127.0.0.1:${h2.port}`);
      session.on('error', () => undefined);
      await once(session, 'connect');
      const stream = session.request({ ':path': '/' });
      const answer = new Promise<string>((resolve) => {
        let text = '';
        stream.setEncoding('utf8').on('data', (part) => (text += String(part)));
        stream.on('error', () => undefined).once('close', () => resolve(text));
      });
      return { answer, session };
    };
    const before = await askH2();
    expect(await before.answer).toBe('hello');
    const closed = once(before.session, 'close');
    h2.feed.set({ type: 'latency', attributes: { latency: 3_600_000 } });
    await closed;
    const after = await askH2();
    expect(await settlesWithin(after.answer, 30)).toBe(false);
    h2.feed.set();
    expect(await after.answer).toBe('hello');
    after.session.destroy();
  });

  it('hold up neither a stop nor another connection', async () => {
    const { feed, port, stop } = await serve({ onConnection: echo });
    feed.set({ type: 'latency', attributes: { latency: 3_600_000 } });
    const socket = await connect(port);
    const answer = readAll(socket);
    socket.write('a');
    await timers.wait(10);
    await stop(2000);
    expect(await answer).toBe('a');
  });
});
