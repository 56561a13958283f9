import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { PendingAnswers, readFrames, type PendingAnswersOptions } from '../src/index.js';
import { LineFramer } from '../src/framing.js';
import { closeAll, closeOf, connect, listen, readAll, readUntil, until } from './clients.js';

afterEach(closeAll);

/** Lines are answered when `release` is called for them, or at once when they begin with `now`. */
async function serve(options: PendingAnswersOptions = {}): Promise<{
  port: number;
  taken: string[];
  release: (line: string) => void;
  refuse: (line: string, error: Error) => void;
  abort: jest.Mock<() => void>;
  onError: jest.Mock;
  stop: () => Promise<void>;
}> {
  const taken: string[] = [];
  const settle = new Map<string, PromiseWithResolvers<string>>();
  const abort = jest.fn<() => void>();
  const onError = jest.fn();
  const { port, server } = await listen({
    onError,
    onConnection: (connection) => {
      const pending = new PendingAnswers(connection, options);
      readFrames(connection, new LineFramer({ maxLength: 100 }), (frame) => {
        const line = frame.toString();
        taken.push(line);
        if (line.startsWith('now')) return void connection.write(`${line};`);
        const late = withResolvers<string>();
        settle.set(line, late);
        pending.wait(late.promise, (text) => void connection.write(`${text};`), { abort });
      });
    },
  });
  return {
    port,
    taken,
    release: (line) => settle.get(line)?.resolve(line),
    refuse: (line, error) => settle.get(line)?.reject(error),
    abort,
    onError,
    stop: () => server.stop(60_000),
  };
}

interface PromiseWithResolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

function withResolvers<T>(): PromiseWithResolvers<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

describe('PendingAnswers', () => {
  it('keeps answers in order: what follows one that waits is not taken', async () => {
    const { port, taken, release } = await serve();
    const client = await connect(port);
    client.write('now 1\nlate\nnow 2\nnow 3\n');
    await readUntil(client, 'now 1;');
    await until(() => taken.includes('late'));
    expect(taken).toEqual(['now 1', 'late']);
    const rest = readUntil(client, 'now 3;');
    release('late');
    expect(await rest).toContain('late;now 2;now 3;');
  });

  it('lets as many wait as it is told, which may overtake each other', async () => {
    const { port, taken, release } = await serve({ limit: 2 });
    const client = await connect(port);
    client.write('a\nb\nc\n');
    await until(() => taken.length === 2);
    const first = readUntil(client, 'b;');
    release('b');
    expect(await first).toBe('b;');
    await until(() => taken.length === 3);
    const rest = readUntil(client, 'a;');
    release('c');
    release('a');
    expect(await rest).toBe('c;a;');
  });

  it('still answers a client that has ended its side, and an orderly stop waits', async () => {
    const { port, taken, release, stop } = await serve();
    const client = await connect(port);
    const answers = readAll(client);
    client.end('late\nnow\n');
    await until(() => taken.length === 1);
    const stopped = stop();
    release('late');
    expect(await answers).toBe('late;now;');
    await stopped;
  });

  it('aborts what waits when the client leaves', async () => {
    const { port, taken, abort } = await serve({ limit: 5 });
    const client = await connect(port);
    client.write('a\nb\n');
    await until(() => taken.length === 2);
    expect(abort).not.toHaveBeenCalled();
    client.resetAndDestroy();
    await until(() => abort.mock.calls.length === 2);
  });

  it('ends the connection when what it waits for is rejected', async () => {
    const { port, taken, refuse, onError } = await serve();
    const client = await connect(port);
    client.write('late\n');
    await until(() => taken.length === 1);
    const closed = closeOf(client);
    refuse('late', new Error('rejected'));
    await closed;
    expect(onError.mock.calls.map(([error]) => (error as Error).message)).toEqual(['rejected']);
  });
});
