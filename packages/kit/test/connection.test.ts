import { once } from 'node:events';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { timers, type Connection } from '../src/index.js';
import { closeAll, closeOf, connect, deferred, listen, readAll, readUntil, until } from './clients.js';

afterEach(closeAll);

const KIB = 1024;

describe('back-pressure', () => {
  it('reads no more from a client that does not read its answers, and loses none of them', async () => {
    const answer = Buffer.alloc(8 * KIB, 'a');
    const asked = 4000;
    let seen = 0;
    let most = 0;
    const choked = deferred();
    const { port } = await listen({
      onConnection: (connection) => {
        connection.onData((chunk) => {
          seen += chunk.length;
          for (let count = chunk.length; count > 0; count -= 1) {
            if (!connection.write(answer)) choked.resolve();
            most = Math.max(most, connection.buffered);
          }
        });
      },
    });
    const client = await connect(port);
    client.pause();
    for (let sent = 0; sent < asked; sent += 1) {
      client.write('?');
      if (sent % 50 === 0) await timers.wait(0);
    }
    await choked.promise;
    expect(seen).toBeLessThan(asked);
    expect(most).toBeLessThan(asked * answer.length);
    let received = 0;
    client.on('data', (chunk) => (received += chunk.length)).resume();
    await until(() => received === asked * answer.length);
    expect(seen).toBe(asked);
  });

  it('tells when to go on, and a pipeline that waits for it is bounded', async () => {
    const answer = Buffer.alloc(100 * KIB, 'b');
    let most = 0;
    const { port } = await listen({
      onConnection: (connection) => {
        let left = 0;
        const go = (): void => {
          let goesOn = true;
          while (left > 0 && goesOn) {
            left -= 1;
            goesOn = connection.write(answer);
            most = Math.max(most, connection.buffered);
          }
        };
        connection.onResume(go);
        connection.onData((chunk) => {
          left += chunk.length;
          go();
        });
      },
    });
    const client = await connect(port);
    client.write('?'.repeat(1000));
    let received = 0;
    client.on('data', (chunk) => (received += chunk.length));
    await until(() => received === 1000 * answer.length);
    expect(most).toBeLessThan(400 * KIB);
  });

  it('cuts a client that leaves pushed messages unread', async () => {
    const taken = deferred<Connection>();
    const { port } = await listen({ onConnection: taken.resolve, limits: { maxBuffered: 256 * KIB } });
    const client = await connect(port);
    client.pause();
    const connection = await taken.promise;
    const message = Buffer.alloc(32 * KIB);
    let sent = 0;
    let most = 0;
    while (connection.push(message)) {
      sent += 1;
      most = Math.max(most, connection.buffered);
      if (sent % 8 === 0) await timers.wait(0);
    }
    expect(most).toBeLessThanOrEqual(256 * KIB + message.length);
    const reason = deferred<Error | undefined>();
    connection.onClose(reason.resolve);
    expect((await reason.promise)?.message).toContain(`more than ${256 * KIB} bytes unread`);
    expect(connection.push(message)).toBe(false);
  });

  it('cuts a client that leaves answers unread beyond their own limit, but takes one answer of any size', async () => {
    const taken = deferred<Connection>();
    const { port } = await listen({ onConnection: taken.resolve, limits: { maxAnswers: 64 * KIB } });
    const large = Buffer.alloc(4 * KIB * KIB, 'c');
    const reader = await connect(port);
    const connection = await taken.promise;
    connection.onData(() => undefined);
    connection.write(large);
    const all = readAll(reader);
    connection.end();
    expect((await all).length).toBe(large.length);
  });
});

describe('writing', () => {
  it('sends the answers of one chunk in order, by one write', async () => {
    const { port } = await listen({
      onConnection: (connection) => {
        const write = jest.spyOn(connection.socket, 'write');
        connection.onData((chunk) => {
          for (const byte of chunk) connection.write(`${String.fromCharCode(byte)};`);
        });
        connection.onEnd(() => connection.write(`written ${write.mock.calls.length}`));
      },
    });
    const client = await connect(port);
    const all = readAll(client);
    client.end('abcdefgh');
    expect(await all).toBe('a;b;c;d;e;f;g;h;written 1');
  });

  it('sends texts of several encodings and bytes in order, each as it was given', async () => {
    const { port } = await listen({
      onConnection: (connection) =>
        connection.onData(() => {
          connection.write('é');
          connection.write('é', 'latin1');
          connection.write(Buffer.from([0, 255]));
          connection.write('ff00', 'hex');
          connection.write('ü');
        }),
    });
    const client = await connect(port);
    const chunks: Buffer[] = [];
    client.on('data', (chunk) => chunks.push(chunk));
    const ended = once(client, 'end');
    client.end('x');
    await ended;
    expect(Buffer.concat(chunks).toString('hex')).toBe('c3a9e900ffff00c3bc');
  });

  it('sends what was written before it is cut off in the same turn', async () => {
    for (const cut of ['destroy', 'end'] as const) {
      const { port } = await listen({
        onConnection: (connection) =>
          connection.onData(() => {
            connection.write('one ');
            connection.write('two');
            connection[cut]();
          }),
      });
      const client = await connect(port);
      let seen = '';
      client.on('data', (chunk) => (seen += String(chunk))).on('error', () => undefined);
      const closed = new Promise((resolve) => client.once('close', resolve));
      client.write('x');
      await closed;
      expect(seen).toBe('one two');
    }
  });

  it('counts what waits for the end of the turn', async () => {
    const counts: number[] = [];
    const { port } = await listen({
      onConnection: (connection) =>
        connection.onData(() => {
          connection.write('one');
          counts.push(connection.buffered);
          connection.write(Buffer.alloc(100_000, 'x'));
          counts.push(connection.buffered);
          connection.end();
        }),
    });
    const client = await connect(port);
    const all = readAll(client);
    client.write('x');
    expect(await all).toBe(`one${'x'.repeat(100_000)}`);
    expect(counts[0]).toBe(3);
  });

  it('takes text in another encoding', async () => {
    const { port } = await listen({
      onConnection: (connection) => connection.end(Buffer.from('é', 'latin1')),
    });
    const client = await connect(port);
    expect(await readAll(client)).toBe('é');
  });

  it('gives false once the connection is ended', async () => {
    const taken = deferred<Connection>();
    const { port } = await listen({ onConnection: taken.resolve });
    const client = await connect(port);
    const connection = await taken.promise;
    connection.end('last');
    expect(connection.write('more')).toBe(false);
    expect(connection.push('more')).toBe(false);
    expect(await readAll(client)).toBe('last');
  });
});

describe('the end of a connection', () => {
  it('answers a client that has ended its side but still waits', async () => {
    const { port } = await listen({
      onConnection: (connection) => {
        connection.onData(async (chunk) => {
          connection.busy();
          await timers.wait(20);
          connection.write(`late ${chunk.toString()}`);
          connection.idle();
        });
      },
    });
    const client = await connect(port, { allowHalfOpen: true });
    const answer = readAll(client);
    client.end('question');
    expect(await answer).toBe('late question');
  });

  it('tells the end of a client after what it has sent, also when that has to wait for its turn', async () => {
    const told: string[] = [];
    const both = deferred();
    const { port } = await listen({
      onConnection: (connection) => {
        connection.onEnd(() => {
          told.push('the end');
          both.resolve();
        });
        connection.onData((chunk) => {
          told.push(chunk.toString());
          // So long that what comes in the same turn waits.
          const began = performance.now();
          if (chunk.toString() === 'long') while (performance.now() - began < 100);
        });
      },
    });
    const long = await connect(port);
    const short = await connect(port);
    long.write('long');
    short.end('short');
    await both.promise;
    expect(told).toEqual(['long', 'short', 'the end']);
  });

  it('stays half open when the server wants it so', async () => {
    const ended = deferred<Connection>();
    const { port } = await listen({
      allowHalfOpen: true,
      onConnection: (connection) => {
        connection.onData(() => undefined);
        connection.onEnd(() => ended.resolve(connection));
      },
    });
    const client = await connect(port, { allowHalfOpen: true });
    client.end();
    const connection = await ended.promise;
    expect(connection.write('one ')).toBe(true);
    connection.end('two');
    expect(await readAll(client)).toBe('one two');
  });

  it('lets a client read the last answer while it is still sending', async () => {
    const { port } = await listen({
      onConnection: (connection) => connection.onData(() => connection.end('too large')),
    });
    const client = await connect(port);
    const answer = readUntil(client, 'too large');
    client.write(Buffer.alloc(8 * KIB * KIB));
    expect(await answer).toBe('too large');
  });

  it('cuts a client that does not close its side', async () => {
    const taken = deferred<Connection>();
    const { port, server } = await listen({ onConnection: taken.resolve });
    const client = await connect(port, { allowHalfOpen: true });
    client.resume();
    const closed = deferred<Error | undefined>();
    const connection = await taken.promise;
    connection.onClose(closed.resolve);
    connection.endWhenIdle(30);
    expect(await closed.promise).toBeUndefined();
    await until(() => server.connections === 0);
  });

  it('resets so that the client sees it', async () => {
    const { port } = await listen({
      onConnection: (connection) => connection.onData(() => connection.reset()),
    });
    const client = await connect(port);
    client.write('x');
    expect(await closeOf(client)).toMatchObject({ code: 'ECONNRESET' });
  });

  it('tells the cause, also to those who ask later', async () => {
    const taken = deferred<Connection>();
    const { port } = await listen({ onConnection: taken.resolve });
    const client = await connect(port);
    const connection = await taken.promise;
    connection.onData(() => undefined);
    const first = deferred<Error | undefined>();
    connection.onClose(first.resolve);
    client.resetAndDestroy();
    expect(await first.promise).toMatchObject({ code: 'ECONNRESET' });
    const late = jest.fn();
    connection.onClose(late);
    expect(late).toHaveBeenCalledWith(await first.promise);
    expect(connection.isClosed).toBe(true);
  });
});

describe('timers and callbacks of a connection', () => {
  it('end with it, and what they throw ends only it', async () => {
    const errors: unknown[] = [];
    const ticks = jest.fn();
    const taken = deferred<Connection>();
    const { port } = await listen({
      onConnection: (connection) => {
        connection.every(5, ticks);
        const failSoon = (): void => {
          connection.after(1, () => {
            if (ticks.mock.calls.length > 1) throw new Error('in a timer');
            failSoon();
          });
        };
        failSoon();
        taken.resolve(connection);
      },
      onError: (error) => errors.push(error),
    });
    await closeOf(await connect(port));
    expect(errors).toEqual([new Error('in a timer')]);
    const count = ticks.mock.calls.length;
    expect(count).toBeGreaterThan(1);
    const connection = await taken.promise;
    connection.after(0, ticks);
    connection.every(1, ticks).cancel();
    await timers.wait(25);
    expect(ticks).toHaveBeenCalledTimes(count);
  });

  it('a wrapped callback passes its arguments and keeps its errors', async () => {
    const taken = deferred<Connection>();
    const onError = jest.fn();
    const { port } = await listen({ onConnection: taken.resolve, onError });
    const client = await connect(port);
    const connection = await taken.promise;
    const seen: number[] = [];
    connection.isolate((one: number, two: number) => seen.push(one, two))(1, 2);
    expect(seen).toEqual([1, 2]);
    connection.isolate(() => Promise.reject(new Error('rejected')))();
    await closeOf(client);
    expect(onError).toHaveBeenCalledWith(new Error('rejected'), 'connection', connection);
  });

  it('pause holds up reading until resume', async () => {
    const taken = deferred<Connection>();
    const { port } = await listen({ onConnection: taken.resolve });
    const client = await connect(port);
    const connection = await taken.promise;
    const seen: string[] = [];
    const both = deferred();
    connection.onData((chunk) => {
      seen.push(chunk.toString());
      if (seen.length === 1) connection.pause();
      else both.resolve();
    });
    client.write('one');
    await until(() => seen.length > 0);
    client.write('two');
    await timers.wait(20);
    expect(seen).toEqual(['one']);
    connection.resume();
    await both.promise;
    expect(seen).toEqual(['one', 'two']);
  });
});

describe('what is pushed within one turn', () => {
  it('leaves together, the first piece at once, and in order with what is written', async () => {
    let pushed: Connection | undefined;
    const { port } = await listen({ onConnection: (connection) => void (pushed = connection) });
    const socket = await connect(port);
    const all = readUntil(socket, 'end');
    await until(() => pushed !== undefined);
    const raw = pushed?.socket;
    const writes: number[] = [];
    const write = raw?._write.bind(raw);
    const writev = raw?._writev?.bind(raw);
    Object.assign(raw ?? {}, {
      _write(chunk: Buffer, encoding: BufferEncoding, done: () => void) {
        writes.push(1);
        write?.(chunk, encoding, done);
      },
      _writev(chunks: { chunk: Buffer; encoding: BufferEncoding }[], done: () => void) {
        writes.push(chunks.length);
        writev?.(chunks, done);
      },
    });
    for (const text of ['a', 'b', 'c', 'd']) pushed?.push(text);
    pushed?.write('e');
    await new Promise((resolve) => setImmediate(resolve));
    pushed?.push('end');
    expect(await all).toBe('abcdeend');
    expect(writes).toEqual([1, 1, 1]);
  });

  it('may be more than a client may leave unread', async () => {
    let pushed: Connection | undefined;
    const { port } = await listen({
      limits: { maxBuffered: 100_000 },
      onConnection: (connection) => void (pushed = connection),
    });
    const socket = await connect(port);
    const all = readUntil(socket, 'end');
    await until(() => pushed !== undefined);
    for (let sent = 0; sent < 400; sent += 1) pushed?.push('x'.repeat(1000));
    pushed?.push('end');
    expect(await all).toBe(`${'x'.repeat(400_000)}end`);
  });
});
