import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { timers, type Connection, type StreamErrorPlace } from '../src/index.js';
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

afterEach(async () => {
  jest.restoreAllMocks();
  await closeAll();
});

describe('taking connections', () => {
  it('counts and names them', async () => {
    const taken = deferred<Connection>();
    const { port, server } = await listen({ onConnection: taken.resolve });
    const client = await connect(port);
    const connection = await taken.promise;
    expect(server.connections).toBe(1);
    expect(connection.remote).toBe(`127.0.0.1:${client.localPort}`);
    expect(connection.encrypted).toBe(false);
    expect(server.connectionOf(connection.socket)).toBe(connection);
    const gone = deferred<Error | undefined>();
    connection.onClose(gone.resolve);
    connection.onData(() => undefined);
    client.end();
    expect(await gone.promise).toBeUndefined();
    await until(() => server.connections === 0);
  });

  it('closes those beyond the limit and takes new ones when others have left', async () => {
    const { port, server } = await listen({ onConnection: echo, limits: { maxConnections: 2 } });
    const first = await connect(port);
    const second = await connect(port);
    for (const client of [first, second]) {
      client.write('x');
      await readUntil(client, 'x');
    }
    expect(await readAll(await connect(port))).toBe('');
    expect(server.connections).toBe(2);
    first.end();
    await closeOf(first);
    await until(() => server.connections === 1);
    const third = await connect(port);
    third.write('third');
    expect(await readUntil(third, 'third')).toBe('third');
  });

  it('survives many half-open and reset clients without keeping them', async () => {
    const { port, server } = await listen({ onConnection: echo });
    const clients = await Promise.all(Array.from({ length: 200 }, () => connect(port)));
    for (const [index, client] of clients.entries()) {
      client.write('part');
      if (index % 2 === 0) client.resetAndDestroy();
      else client.destroy();
    }
    await server.stop();
    expect(server.connections).toBe(0);
  });

  it('ends only the connection whose callback throws', async () => {
    const errors: [unknown, StreamErrorPlace][] = [];
    const { port } = await listen({
      onConnection: (connection) => {
        connection.onData((chunk) => {
          if (chunk.toString() === 'bad') throw new Error('handler failed');
          if (chunk.toString() === 'later') return Promise.reject(new Error('promise failed'));
          return connection.write(chunk);
        });
      },
      onError: (error, where) => errors.push([error, where]),
    });
    const good = await connect(port);
    for (const word of ['bad', 'later']) {
      const client = await connect(port);
      client.write(word);
      await closeOf(client);
    }
    good.write('fine');
    expect(await readUntil(good, 'fine')).toBe('fine');
    expect(errors).toEqual([
      [new Error('handler failed'), 'connection'],
      [new Error('promise failed'), 'connection'],
    ]);
  });

  it('ends a connection that onConnection throws on', async () => {
    const onError = jest.fn();
    const { port, server } = await listen({
      onConnection: () => {
        throw new Error('no');
      },
      onError,
    });
    await closeOf(await connect(port));
    expect(onError).toHaveBeenCalledWith(new Error('no'), 'connection', expect.anything());
    await server.stop();
  });

  it('lives on when the report of an error fails', async () => {
    const { port } = await listen({
      onConnection: (connection) => {
        connection.onData((chunk) => {
          if (chunk.toString() === 'bad') throw new Error('handler failed');
          connection.write(chunk);
        });
      },
      onError: () => {
        throw new Error('the log is full');
      },
    });
    const bad = await connect(port);
    bad.write('bad');
    await closeOf(bad);
    const good = await connect(port);
    good.write('good');
    expect(await readUntil(good, 'good')).toBe('good');
  });

  it('tells when a listener dies, and when taking a connection fails', async () => {
    const made: net.Server[] = [];
    const create = net.createServer.bind(net) as (options: net.ServerOpts) => net.Server;
    jest.spyOn(net, 'createServer').mockImplementation(((options: net.ServerOpts) => {
      const listener = create(options);
      made.push(listener);
      return listener;
    }) as typeof net.createServer);
    const onFailure = jest.fn();
    const onError = jest.fn();
    const { server } = await listen({ onConnection: echo, onFailure, onError });
    made[0]?.emit('error', new Error('too many open files'));
    expect(onError).toHaveBeenCalledWith(new Error('too many open files'), 'accept', undefined);
    expect(onFailure).not.toHaveBeenCalled();
    made[0]?.close();
    await once(made[0] as net.Server, 'close');
    expect(onFailure).toHaveBeenCalledWith(new Error('too many open files'));
    await server.stop();
    expect(onFailure).toHaveBeenCalledTimes(1);
  });
});

describe('faults of the connection itself', () => {
  it('refuse, reset and delay before anything is read', async () => {
    const gate = deferred();
    const verdicts = [{ refuse: true }, { reset: true }, { delay: gate.promise }, undefined];
    const remotes: string[] = [];
    const { port } = await listen({
      onConnection: echo,
      admit: (remote) => {
        remotes.push(remote);
        return verdicts.shift();
      },
    });
    const refused = await connect(port);
    expect(await closeOf(refused)).toBeUndefined();
    // The reset may come before the client knows that it is connected.
    const reset = keep(net.connect(port, '127.0.0.1'));
    expect(await closeOf(reset)).toMatchObject({ code: 'ECONNRESET' });

    const delayed = await connect(port);
    delayed.write('one');
    const direct = await connect(port);
    direct.write('two');
    expect(await readUntil(direct, 'two')).toBe('two');
    expect(delayed.bytesRead).toBe(0);
    gate.resolve();
    expect(await readUntil(delayed, 'one')).toBe('one');
    expect(remotes[2]).toBe(`127.0.0.1:${delayed.localPort}`);
  });

  it('an admit that throws, or whose delay fails, closes that connection', async () => {
    const onError = jest.fn();
    const { port } = await listen({
      onConnection: echo,
      onError,
      admit: () => {
        if (onError.mock.calls.length === 0) throw new Error('first');
        return { delay: Promise.reject(new Error('second')) };
      },
    });
    await closeOf(await connect(port));
    await closeOf(await connect(port));
    expect(onError.mock.calls).toEqual([
      [new Error('first'), 'admit', undefined],
      [new Error('second'), 'admit', undefined],
    ]);
  });
});

describe('limits of time', () => {
  it('ends a connection without traffic, not one with traffic or an answer being made', async () => {
    const taken: Connection[] = [];
    const { port } = await listen({
      limits: { idleTimeout: 120 },
      onConnection: (connection) => {
        taken.push(connection);
        echo(connection);
      },
    });
    const silent = await connect(port);
    const talking = await connect(port);
    const waiting = await connect(port);
    waiting.write('x');
    await readUntil(waiting, 'x');
    taken.find(({ remote }) => remote.endsWith(`:${waiting.localPort}`))?.busy();
    const start = timers.now();
    const ticker = timers.every(20, () => talking.write('.'));
    await closeOf(silent);
    expect(timers.now() - start).toBeGreaterThan(90);
    expect(talking.destroyed).toBe(false);
    expect(waiting.destroyed).toBe(false);
    ticker.cancel();
    await closeOf(talking);
    expect(waiting.destroyed).toBe(false);
  });

  it('lets the protocol say what happens to an idle connection', async () => {
    const { port } = await listen({
      onConnection: (connection) => {
        echo(connection);
        connection.setIdleTimeout(40, () => connection.end('bye'));
      },
    });
    expect(await readAll(await connect(port))).toBe('bye');
  });
});

describe('stopping', () => {
  it('ends idle connections at once and lets started answers finish', async () => {
    const started = deferred();
    const gate = deferred();
    const { port, server } = await listen({
      onConnection: (connection) => {
        connection.onData(async () => {
          connection.busy();
          started.resolve();
          await gate.promise;
          connection.write('the whole answer');
          connection.idle();
        });
      },
    });
    const idle = await connect(port);
    const asking = await connect(port);
    const answer = readAll(asking);
    asking.write('?');
    await started.promise;
    const stopped = server.stop();
    await closeOf(idle);
    await until(() => server.connections === 1);
    await expect(connect(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    gate.resolve();
    expect(await answer).toBe('the whole answer');
    await stopped;
    expect(server.connections).toBe(0);
  });

  it('cuts what does not end within the grace, and is done under two seconds', async () => {
    const { port, server } = await listen({
      onConnection: (connection) => {
        connection.onData(() => connection.busy());
      },
    });
    const stuck = await connect(port);
    stuck.write('?');
    const clients = await Promise.all(
      Array.from({ length: 50 }, () => connect(port, { allowHalfOpen: true })),
    );
    expect(clients).toHaveLength(50);
    const closed = closeOf(stuck);
    const start = timers.now();
    await server.stop(1000);
    expect(timers.now() - start).toBeLessThan(60_000);
    await closed;
    expect(server.connections).toBe(0);
  });

  it('gives the protocol the word before it ends a connection', async () => {
    const { port, server } = await listen({
      onConnection: echo,
      onStopping: (connection) => connection.write('421 closing\r\n'),
    });
    const client = await connect(port);
    client.write('x');
    await readUntil(client, 'x');
    const goodbye = readAll(client);
    await Promise.all([server.stop(), server.stop()]);
    expect(await goodbye).toBe('421 closing\r\n');
  });

  it('does not wait for clients that were ended before and do not close', async () => {
    const { port, server } = await listen({ onConnection: (connection) => connection.end('bye') });
    const client = await connect(port, { allowHalfOpen: true });
    await readUntil(client, 'bye');
    const start = timers.now();
    await server.stop(600_000);
    expect(timers.now() - start).toBeLessThan(60_000);
  });

  it('ends sockets that it was told to keep track of', async () => {
    const { server } = await listen({ onConnection: echo });
    const accepted = deferred<net.Socket>();
    const other = net.createServer(accepted.resolve).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const client = await connect((other.address() as net.AddressInfo).port);
    const connection = server.track(await accepted.promise);
    expect(server.connections).toBe(1);
    expect(connection.remote).toBe(`127.0.0.1:${client.localPort}`);
    const closed = closeOf(client);
    await server.stop();
    await closed;
    other.close();
  });
});

describe('a library that serves the connections', () => {
  it('node:http, which never listens itself', async () => {
    const library = http.createServer((request, response) => response.end(`you asked ${request.url}`));
    const { port, server } = await listen({
      onConnection: (connection) => connection.handOver(library, { halfOpen: true }),
    });
    const answer = await fetch(`http://127.0.0.1:${port}/a`);
    expect(await answer.text()).toBe('you asked /a');
    expect(server.connections).toBe(1);
    const start = timers.now();
    await server.stop(600_000);
    expect(timers.now() - start).toBeLessThan(60_000);
    expect(server.connections).toBe(0);
  });

  it('keeps what the library throws in its listeners to that connection', async () => {
    const onError = jest.fn();
    const { port } = await listen({
      onError,
      onConnection: (connection) =>
        connection.handOver((socket) => {
          socket.on('data', (chunk) => {
            if (chunk.toString() === 'bad') throw new Error('assertion of a library');
            socket.write(chunk);
          });
        }),
    });
    const good = await connect(port);
    const bad = await connect(port);
    bad.write('bad');
    await closeOf(bad);
    expect(onError).toHaveBeenCalledWith(
      new Error('assertion of a library'),
      'connection',
      expect.anything(),
    );
    good.write('good');
    expect(await readUntil(good, 'good')).toBe('good');
  });
});
