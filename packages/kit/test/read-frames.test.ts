import { once } from 'node:events';
import tls from 'node:tls';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { SLICE } from '@backlot/core/plugin';
import { processCertificate, readFrames, timers, type Connection } from '../src/index.js';
import { LengthPrefixFramer, LineFramer } from '../src/framing.js';
import { closeAll, closeOf, connect, listen, readAll, readUntil, until } from './clients.js';

afterEach(closeAll);

/** Holds the event loop for a slice. */
function hold(): void {
  for (const end = timers.now() + SLICE; timers.now() < end;);
}

const makeFramer = (): LineFramer => new LineFramer({ maxLength: 100 });

describe('readFrames', () => {
  it('hands over frame by frame, and answers what cannot be right', async () => {
    const onError = jest.fn();
    const { port } = await listen({
      onError,
      onConnection: (connection) =>
        readFrames(
          connection,
          makeFramer(),
          (line) => connection.write(`<${line.toString()}>`),
          (error) => connection.end(error.code),
        ),
    });
    const client = await connect(port);
    const answer = readAll(client);
    client.write('one\r\ntw');
    await readUntil(client, '<one>');
    client.write(`o\n${'x'.repeat(200)}`);
    expect(await answer).toBe('<one><two>too_long');
    expect(onError).not.toHaveBeenCalled();
  });

  it('ends the connection when nothing answers, or a handler throws or rejects', async () => {
    const onError = jest.fn();
    const { port } = await listen({
      onError,
      onConnection: (connection) =>
        readFrames(connection, makeFramer(), (line) => {
          if (line.toString() === 'throw') throw new Error('thrown');
          return Promise.reject(new Error('rejected'));
        }),
    });
    for (const text of ['x'.repeat(200), 'throw\n', 'reject\n']) {
      const client = await connect(port);
      client.write(text);
      expect(await readAll(client)).toBe('');
    }
    expect(onError.mock.calls.map(([error]) => (error as Error).message)).toEqual([
      'a line has more than 100 bytes',
      'thrown',
      'rejected',
    ]);
  });

  it('bounds a pipeline whose answers are not read, and loses nothing', async () => {
    const answer = Buffer.alloc(100 * 1024, 'b');
    let most = 0;
    const { port } = await listen({
      onConnection: (connection) =>
        readFrames(connection, makeFramer(), () => {
          connection.write(answer);
          most = Math.max(most, connection.buffered);
        }),
    });
    const client = await connect(port);
    client.write('?\n'.repeat(1000));
    let received = 0;
    client.on('data', (chunk) => (received += chunk.length));
    await until(() => received === 1000 * answer.length);
    expect(most).toBeLessThan(400 * 1024);
  });

  it('lets others in during a long pipeline, and loses nothing', async () => {
    const FRAMES = 20;
    let handled = 0;
    let seenByOther = -1;
    const { port } = await listen({
      onConnection: (connection) =>
        readFrames(connection, makeFramer(), (line) => {
          if (line.toString() === 'other') {
            seenByOther = handled;
            return connection.write('served;');
          }
          hold();
          handled += 1;
          return connection.write(`${line.toString()};`);
        }),
    });
    const client = await connect(port);
    const other = await connect(port);
    const lines = Array.from({ length: FRAMES }, (_, index) => `long${index}`);
    client.write(`${lines.join('\n')}\n`);
    other.write('other\n');
    await readUntil(client, `long${FRAMES - 1};`).then((text) => {
      expect(text).toBe(`${lines.join(';')};`);
    });
    await until(() => seenByOther >= 0);
    expect(seenByOther).toBeLessThan(FRAMES);
  });

  it('answers all of a long pipeline to a client that has ended its side', async () => {
    const FRAMES = 20;
    const { port } = await listen({
      onConnection: (connection) =>
        readFrames(connection, makeFramer(), (line) => {
          hold();
          return connection.write(`${line.toString()};`);
        }),
    });
    const client = await connect(port);
    const lines = Array.from({ length: FRAMES }, (_, index) => `long${index}`);
    client.end(`${lines.join('\n')}\n`);
    expect((await readAll(client)).toString()).toBe(`${lines.join(';')};`);
  });

  it('lets others in when many short chunks are received in one turn', async () => {
    const answers: boolean[] = [];
    // Later than any slice that is under way.
    let now = performance.now() + SLICE;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    const { port } = await listen({
      onConnection: (connection) => {
        connection.onData(() => {
          now += SLICE / 2;
          answers.push(connection.yieldWhenLong());
        });
        // As the event loop does when a client sends faster than it is read.
        for (let chunk = 0; chunk < 4; chunk += 1) connection.socket.emit('data', Buffer.alloc(1));
      },
    });
    await connect(port);
    await until(() => answers.length === 4);
    clock.mockRestore();
    expect(answers).toEqual([false, true, true, true]);
  });

  it('answers all of a long pipeline to a client that has ended its side', async () => {
    const { port } = await listen({
      onConnection: (connection) =>
        readFrames(connection, makeFramer(), (line) => {
          hold();
          return connection.write(`${line.toString()};`);
        }),
    });
    const client = await connect(port);
    const lines = Array.from({ length: 5 }, (_, index) => `long${index}`);
    const answer = readAll(client);
    client.end(`${lines.join('\n')}\n`);
    expect(await answer).toBe(`${lines.join(';')};`);
  });

  it('lets others in when answers are sent and drained again and again in one turn', async () => {
    const answers: boolean[] = [];
    // Later than any slice that is under way.
    let now = performance.now() + SLICE;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    const { port } = await listen({
      onConnection: (connection) => {
        connection.onData(() => undefined);
        connection.onResume(() => {
          now += SLICE / 2;
          answers.push(connection.yieldWhenLong());
        });
        setImmediate(() => {
          for (let time = 0; time < 4; time += 1) {
            connection.pause();
            connection.resume();
          }
          answers.push(false);
        });
      },
    });
    await connect(port);
    await until(() => answers.length === 4);
    clock.mockRestore();
    // Once others are let in it goes on in a turn of its own.
    expect(answers).toEqual([false, true, false, false]);
  });

  it('lets others in when the pipelines of many connections have taken a slice together', async () => {
    const CLIENTS = 100;
    const FRAMES = 12;
    let now = performance.now() + SLICE;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    let longest = 0;
    let handled = 0;
    let began = now;
    const meter = (): void => {
      longest = Math.max(longest, now - began);
      began = now;
      if (handled < CLIENTS * FRAMES) setImmediate(meter);
    };
    const connections: Connection[] = [];
    const { port } = await listen({
      onConnection: (connection) => {
        readFrames(connection, makeFramer(), () => {
          now += 1;
          handled += 1;
        });
        connections.push(connection);
      },
    });
    for (let client = 0; client < CLIENTS; client += 1) await connect(port);
    await until(() => connections.length === CLIENTS);
    meter();
    // As the event loop does when it finds that all have sent something.
    for (const { socket } of connections) socket.emit('data', Buffer.from('a\n'.repeat(FRAMES)));
    await until(() => handled === CLIENTS * FRAMES);
    clock.mockRestore();
    // What comes in when a turn has lasted two slices waits, and those who wait have a slice of their own.
    expect(longest).toBeLessThanOrEqual(4 * SLICE);
  });

  it('keeps the order of answers when one waits', async () => {
    const { port } = await listen({
      onConnection: (connection) =>
        readFrames(connection, makeFramer(), async (line) => {
          if (line.toString() === 'slow') {
            connection.pause();
            await timers.wait(30);
          }
          connection.write(`${line.toString()};`);
          connection.resume();
        }),
    });
    const client = await connect(port);
    client.write('a\nslow\nb\nslow\nslow\nc\n');
    expect(await readUntil(client, 'c;')).toBe('a;slow;b;slow;slow;c;');
  });

  it('hands over nothing after the end', async () => {
    const lines: string[] = [];
    const { port } = await listen({
      onConnection: (connection) =>
        readFrames(connection, makeFramer(), (line) => {
          lines.push(line.toString());
          if (line.toString() === 'QUIT') connection.end('bye');
        }),
    });
    const client = await connect(port);
    client.write('a\nQUIT\nb\n');
    expect(await readAll(client)).toBe('bye');
    expect(lines).toEqual(['a', 'QUIT']);
  });

  it('changes its framing when called again', async () => {
    const seen: string[] = [];
    const { port } = await listen({
      onConnection: (connection) => {
        const lines = makeFramer();
        readFrames(connection, lines, (line) => {
          seen.push(`line ${line.toString()}`);
          if (line.toString() !== 'BINARY') return;
          const frames = new LengthPrefixFramer({ lengthBytes: 1, maxLength: 100 });
          const onFrame = (frame: Buffer): void => {
            seen.push(`frame ${frame.toString()}`);
            if (frame.length === 0) connection.end('done');
          };
          readFrames(connection, frames, onFrame);
          frames.push(lines.takeRest(), onFrame);
        });
      },
    });
    const client = await connect(port);
    client.write('a\nBINARY\n\x02b\n\x01');
    await until(() => seen.length === 3);
    client.write('c\0');
    expect(await readAll(client)).toBe('done');
    expect(seen).toEqual(['line a', 'line BINARY', 'frame b\n', 'frame c', 'frame ']);
  });

  it('throws away what was put in before a TLS handshake', async () => {
    const lines: string[] = [];
    const handle = (connection: Connection) => async (line: Buffer) => {
      lines.push(line.toString());
      if (line.toString() !== 'STARTTLS') return connection.write(`${line.toString()};`);
      connection.write('go ahead;');
      return connection.startTls();
    };
    const { port } = await listen({
      tls: { self_signed: true, mode: 'starttls' },
      onConnection: (connection) => readFrames(connection, makeFramer(), handle(connection)),
    });
    const plain = await connect(port);
    plain.write('STARTTLS\nINJECTED\nand half a li');
    await readUntil(plain, 'go ahead;');
    const client = tls.connect({
      socket: plain,
      servername: 'localhost',
      ca: (await processCertificate()).cert,
    });
    await once(client, 'secureConnect');
    client.write('safe\n');
    expect(await readUntil(client, 'safe;')).toBe('safe;');
    expect(lines).toEqual(['STARTTLS', 'safe']);
    client.end();
    await closeOf(client);
  });
});
