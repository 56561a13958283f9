import net from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { runAll } from '../src/collect-cleanups.js';
import {
  collectCleanups,
  countHeld,
  mulberry32,
  mutate,
  playSession,
  RawConnection,
  problemsOf,
  startKind,
  watchSocket,
  xorshift32,
} from '../src/index.js';
import { importerCases } from '../src/index.js';
import { createEcho } from './echo/echo.js';

const afterThis = collectCleanups();

/** Listens on a free port until the test has ended. */
async function listen(serve: (socket: net.Socket) => void): Promise<number> {
  const server = net.createServer({ allowHalfOpen: true }, serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterThis(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as net.AddressInfo).port;
}

describe('cleanups', () => {
  const done: string[] = [];

  it('wait for the end of their test', () => {
    afterThis(() => done.push('kept first'));
    afterThis(async () => {
      await Promise.resolve();
      done.push('kept last');
    });
    expect(done).toEqual([]);
  });

  it('have run before the next test, the last one first', () => {
    expect(done).toEqual(['kept last', 'kept first']);
  });

  it('run to the last, and then tell what went wrong first', async () => {
    let count = 0;
    const fail = (message: string) => () => {
      count += 1;
      throw new Error(message);
    };
    await expect(runAll([fail('one'), fail('two'), () => (count += 1)])).rejects.toThrow('one');
    expect(count).toBe(3);
  });
});

describe('a kind that is started', () => {
  let portOfStopped = 0;

  it('answers on its port, with its settings and those of the host', async () => {
    const { host, kind, port, log } = await startKind(
      createEcho().protocol,
      afterThis,
      { mocks: [{ id: 'hello', match: 'hello', response: 'world' }] },
      { state: { mood: 'good' } },
    );
    expect((await playSession(port, Buffer.from('hello\n'))).toString()).toContain('world');
    expect([kind.kind, kind.calls.of('hello').count, host.state.all()]).toEqual([
      'echo',
      1,
      { mood: 'good' },
    ]);
    expect(log.every((line) => /^(?:info|warn|error): /.test(line))).toBe(true);
    portOfStopped = port;
  });

  it('is stopped with its test', async () => {
    expect(portOfStopped).toBeGreaterThan(0);
    expect(await playSession(portOfStopped, Buffer.from('hello\n'))).toHaveLength(0);
  });
});

describe('problems', () => {
  it('are the lines of what is not valid, or the message of the error, or none', async () => {
    const { kind } = await startKind(createEcho().protocol, afterThis);
    const mock = { id: 'a', match: 'hello', response: 'world' };
    expect(problemsOf(() => kind.mocks.create(mock))).toEqual([]);
    expect(problemsOf(() => kind.mocks.create({ match: 1, response: 2 }))).toEqual([
      expect.stringMatching(/^\/match /),
      expect.stringMatching(/^\/response /),
    ]);
    expect(problemsOf(() => kind.mocks.create(mock))).toEqual([expect.stringContaining('a')]);
  });

  it('are none of errors that are not for people', () => {
    const fail = (): never => {
      throw new TypeError('a mistake');
    };
    expect(() => problemsOf(fail)).toThrow(TypeError);
  });
});

describe('seeded numbers', () => {
  it('are those of their algorithms', () => {
    // 0.6270739405881613 of mulberry32 as everybody has it, and the first number of Marsaglia's paper.
    expect(mulberry32(1)(2 ** 32)).toBe(Math.floor(0.6270739405881613 * 2 ** 32));
    expect(xorshift32(2_463_534_242)(2 ** 32)).toBe(723_471_715);
  });

  it.each([
    ['mulberry32', mulberry32],
    ['xorshift32', xorshift32],
  ])('of %s come again from the same seed, all below the limit', (_name, numbersFrom) => {
    const draw = (seed: number): number[] => {
      const below = numbersFrom(seed);
      return Array.from({ length: 1_000 }, () => below(10));
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    expect([...new Set(draw(7))].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});

describe('mutations', () => {
  const GOOD = Buffer.from('HELLO world\r\nBYE\r\n');

  it('come again from the same seed, and leave the good bytes alone', () => {
    const make = (seed: number): Buffer[] => {
      const below = mulberry32(seed);
      return Array.from({ length: 1_000 }, () => mutate(GOOD, below, ['\r\n.\r\n', Buffer.from([0xff])]));
    };
    const made = make(1);
    expect(make(1)).toEqual(made);
    expect(make(2)).not.toEqual(made);
    expect(GOOD.toString()).toBe('HELLO world\r\nBYE\r\n');
    expect(made.every((bytes) => bytes.length > 0)).toBe(true);
    expect(new Set(made.map((bytes) => bytes.toString('latin1'))).size).toBeGreaterThan(700);
  });

  it('put in what they are given, one byte for each character', () => {
    const below = mulberry32(1);
    const found = (insert: string): boolean =>
      Array.from({ length: 100 }, () => mutate(GOOD, below, [insert])).some((bytes) =>
        bytes.includes(Buffer.from([0xff, 0xf4, 0xff])),
      );
    expect(found('\xff\xf4\xff')).toBe(true);
    expect(found('')).toBe(false);
  });

  it('of nothing are nothing', () => {
    const below = mulberry32(1);
    for (let n = 0; n < 100; n += 1) expect(mutate(Buffer.alloc(0), below)).toHaveLength(0);
  });
});

describe('a session that is played', () => {
  it('gives all that came until the close, also after its own end', async () => {
    const port = await listen((socket) => {
      socket.write('hello ');
      socket.on('data', (chunk) => socket.write(chunk)).on('end', () => socket.end(' bye'));
    });
    expect((await playSession(port, Buffer.from('session'))).toString()).toBe('hello session bye');
  });

  it('gives what there was when it is reset or refused', async () => {
    const port = await listen((socket) => socket.resetAndDestroy());
    expect(await playSession(port, Buffer.from('session'))).toHaveLength(0);
    const gone = await new Promise<number>((resolve) => {
      const server = net.createServer().listen(0, '127.0.0.1', () => {
        const { port: free } = server.address() as net.AddressInfo;
        server.close(() => resolve(free));
      });
    });
    expect(await playSession(gone, Buffer.from('session'))).toHaveLength(0);
  });
});

describe('a raw connection', () => {
  it('gives what has come piece by piece, and waits for more', async () => {
    const port = await listen((socket) => {
      socket.on('error', () => undefined);
      socket.write('one ');
      socket.once('data', (chunk) => socket.end(`two ${chunk.toString()}`));
    });
    const client = new RawConnection(await RawConnection.openSocket({ port }), afterThis);
    await client.until(() => client.received.length === 4);
    expect([client.take(3).toString(), client.received.toString(), client.isClosed]).toEqual([
      'one',
      ' ',
      false,
    ]);
    client.send('é', Buffer.of(33));
    await client.closes();
    expect([client.take().toString(), client.received.length, client.isClosed]).toEqual([' two é!', 0, true]);
  });

  it('lets nobody wait for what cannot come', async () => {
    const port = await listen((socket) => socket.resetAndDestroy());
    const client = new RawConnection(await RawConnection.openSocket({ port }), afterThis);
    await client.until(() => false);
    expect(client.isClosed).toBe(true);
    const refused = new RawConnection(await RawConnection.openSocket({ port: 1 }), afterThis);
    await refused.closes();
    expect(refused.isClosed).toBe(true);
  });
});

describe('a socket that is watched', () => {
  it('is waited for until the condition holds', async () => {
    const port = await listen((socket) => socket.pipe(socket));
    const socket = net.connect({ port, host: '127.0.0.1' });
    afterThis(() => socket.destroy());
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString()));
    socket.write('hello');
    await watchSocket(socket, () => received === 'hello');
    await watchSocket(socket, () => received === 'hello');
    expect([socket.listenerCount('data'), socket.listenerCount('close')]).toEqual([1, 0]);
  });

  it('is not waited for when it is closed', async () => {
    const port = await listen((socket) => socket.resetAndDestroy());
    const socket = net.connect({ port, host: '127.0.0.1' }).on('error', () => undefined);
    await expect(watchSocket(socket, () => false)).rejects.toThrow('closed before');
    await expect(watchSocket(socket, () => false)).rejects.toThrow('closed before');
    await watchSocket(socket, () => socket.closed);
  });
});

describe('objects that are watched', () => {
  class Guest {
    readonly room = Buffer.alloc(10);

    enter(): number {
      return this.room.length;
    }
  }
  const { enter } = Guest.prototype;

  it('are counted while something holds them, and no longer', async () => {
    const count = countHeld(afterThis, Guest, 'enter');
    const held: (() => Guest)[] = [];
    const play = (isHeld: boolean): void => {
      const guest = new Guest();
      expect([guest.enter(), guest.enter()]).toEqual([10, 10]);
      if (isHeld) held.push(() => guest);
    };
    for (let index = 0; index < 100; index += 1) play(index % 2 === 0);
    const { seen, held: kept } = await count();
    expect(seen).toBe(100);
    expect(kept).toBeGreaterThanOrEqual(50);
    expect(kept).toBeLessThan(55);
    expect(held).toHaveLength(50);
    held.length = 0;
    expect((await count()).held).toBeLessThan(5);
  });

  it('are watched no longer than their test lasts', () => {
    expect(Guest.prototype.enter).toBe(enter);
  });
});

describe('what importers must do', () => {
  const lines = (pattern: RegExp | string) => ({
    format: 'lines',
    title: 'Lines',
    detect: () => 'sure' as const,
    *convert({ text }: { readonly text: string }) {
      return { protocols: { [kind]: { mocks: text.split(pattern).map((path) => ({ path })) } } };
    },
  });
  const { protocol } = createEcho();
  const { kind } = protocol;
  const run = (pattern: RegExp | string): Promise<unknown> => {
    const samples = [{ format: 'lines', name: 'a.txt', content: 'a\nb' }];
    const cases = importerCases({ importers: [lines(pattern)], samples, protocols: [protocol] });
    return Promise.resolve(cases.find(({ name }) => name.includes('Windows'))?.run());
  };

  it('is the same of files with the line ends of Windows', async () => {
    await expect(run(/\r?\n/)).resolves.toBeUndefined();
    await expect(async () => run('\n')).rejects.toThrow('a.txt with the line ends of Windows');
  });
});
