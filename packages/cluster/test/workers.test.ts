import { describe, expect, it } from '@jest/globals';
import { BacklotError } from '@backlot/core/plugin';
import { EventEmitter, once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Channel, type ProcessEnd } from '../src/workers/channel.js';
import { LogDesk } from '../src/workers/log-desk.js';
import { MemoryLog } from '../src/workers/memory-log.js';
import { PortDesk } from '../src/workers/port-desk.js';
import { chooseTaker } from '../src/workers/takers.js';
import { WorkerLog } from '../src/workers/worker-log.js';
import { WorkerPorts } from '../src/workers/worker-ports.js';
import { afterThis, until } from './support.js';

/** One end of a connection between two processes that are one here. */
class End extends EventEmitter implements ProcessEnd {
  other: End | undefined;

  send(message: unknown, carried: unknown, _options: object, sent: (error: Error | null) => void): void {
    setImmediate(() => {
      this.other?.emit('message', message, carried);
      sent(this.other === undefined ? new Error('nobody is there') : null);
    });
  }

  /** The other process ends. */
  leave(): void {
    this.other = undefined;
    this.emit('disconnect');
  }
}

function pair(): { parent: Channel; worker: Channel; ends: readonly [End, End] } {
  const [one, two] = [new End(), new End()];
  one.other = two;
  two.other = one;
  return { parent: new Channel(one), worker: new Channel(two), ends: [one, two] };
}

describe('what two processes send each other', () => {
  it('is answered, also by what was thrown, and by the end of the other one', async () => {
    const { parent, worker, ends } = pair();
    parent
      .on('double', (given: number) => given * 2)
      .on('own', () => Promise.reject(new BacklotError('conflict', 'taken')))
      .on('system', () => {
        throw Object.assign(new Error('in use'), { code: 'EADDRINUSE' });
      })
      .on('never', () => new Promise(() => undefined));
    expect(await worker.ask('double', 4)).toBe(8);
    await expect(worker.ask('own')).rejects.toMatchObject({ code: 'conflict', message: 'taken' });
    await expect(worker.ask('system')).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await expect(worker.ask('unknown')).rejects.toThrow('nobody takes "unknown" here');
    const waiting = worker.ask('never');
    ends[1].leave();
    await expect(waiting).rejects.toThrow('the other process has gone');
    await expect(worker.ask('double', 4)).rejects.toThrow('the other process has gone');
    let isFailed = false;
    worker.tell('double', 4, undefined, () => (isFailed = true));
    expect([isFailed, worker.isOpen]).toEqual([true, false]);
  });

  it.each([
    ...['ready', 7, null, undefined, true, [], {}, { tell: 7 }, { tell: 'unknown', given: {} }, { ask: 1 }],
    ...[
      { ask: 'x', what: 'double' },
      { answer: 1 },
      { answer: 99, outcome: { value: 1 } },
      { answer: 1, outcome: null },
    ],
    ...[{ type: 'axm:monitor', data: {} }, { cmd: 'NODE_HANDLE' }, { ask: 1, what: 7 }],
  ])('may have %j of a library between it', async (message) => {
    const { parent, worker, ends } = pair();
    parent.on('double', (given: number) => given * 2);
    ends[0].emit('message', message, undefined);
    ends[1].emit('message', message, undefined);
    expect(await worker.ask('double', 4)).toBe(8);
  });
});

describe('the log of workers', () => {
  it('gives each entry one place, once, and counts up to a limit', () => {
    const log = new MemoryLog();
    log.found('first');
    log.found('another first');
    expect([log.append('a', 'id-a'), log.append('b', 'id-b'), log.append('a', 'id-a')]).toEqual([2, 3, 2]);
    expect(log.read(0, 2)).toEqual([
      { revision: 1, text: 'first' },
      { revision: 2, text: 'a' },
    ]);
    log.remove(2);
    expect([log.read(1, 9), log.last]).toEqual([[{ revision: 3, text: 'b' }], 3]);
    const place = { world: '6d', since: 3, name: 'ab' };
    expect(log.count(place, 2, 3)).toEqual({ before: 0, after: 2 });
    expect(log.count(place, 2, 3)).toEqual({ before: 2, after: 3 });
    expect(log.count(place, 2, 3)).toEqual({ before: 3, after: 3 });
    // Another revision is another count; a lower limit takes nothing back.
    expect(log.count({ ...place, since: 4 }, 1, 3)).toEqual({ before: 0, after: 1 });
    expect(log.count(place, 1, 1)).toEqual({ before: 3, after: 3 });
    log.forgetCounts('6d', 4);
    expect(log.count(place, 0, 9).before).toBe(0);
    expect(log.count({ ...place, since: 4 }, 0, 9).before).toBe(1);
  });

  it('tells all who listen, and says of one that has ended that it has left', async () => {
    const desk = new LogDesk();
    const [one, two] = [pair(), pair()];
    for (const { parent } of [one, two]) desk.serve(parent);
    const told: string[] = [];
    let grown = 0;
    const events = {
      grown: () => (grown += 1),
      told: (text: string) => told.push(text),
      reached: () => undefined,
    };
    const logs = [new WorkerLog(one.worker), new WorkerLog(two.worker)] as const;
    await logs[0].found('first');
    await logs[1].listen(events);
    await logs[0].listen({ ...events, grown: () => undefined, told: () => undefined });
    expect(await logs[0].append('a', 'id')).toBe(2);
    await until(() => grown === 1);
    logs[0].tell('{"from":"worker-1"}');
    await until(() => told.length === 1);
    desk.leave(one.parent);
    await until(() => told.length === 2);
    expect(told.map((text) => JSON.parse(text))).toEqual([
      { from: 'worker-1' },
      { from: 'worker-1', leaves: true },
    ]);
    expect(await logs[1].read(1, 10)).toEqual([{ revision: 2, text: 'a' }]);
  });
});

describe('who takes what has come', () => {
  const channels = [pair().parent, pair().parent, pair().parent] as const;
  const takers = (): Map<Channel, number> => new Map(channels.map((each, index) => [each, index + 1]));

  it('is each in turn, leaving out those that take nothing', () => {
    const all = takers();
    const ready = new Set(channels);
    const turns = (): number[] =>
      Array.from({ length: 4 }, () => channels.indexOf(chooseTaker('any', all, ready, '') as never) + 1);
    expect(turns()).toEqual([1, 2, 3, 1]);
    ready.delete(channels[1]);
    expect(turns()).toEqual([3, 1, 3, 1]);
    expect(chooseTaker('any', all, new Set(), '')).toBeUndefined();
  });

  it('is the same one for a client, and the first worker for what has data', () => {
    const all = takers();
    const ready = new Set(channels);
    const of = (client: string): unknown => chooseTaker('client', all, ready, client);
    const clients = Array.from({ length: 50 }, (_, index) => `127.0.0.${index}`);
    expect(clients.map(of)).toEqual(clients.map(of));
    expect(new Set(clients.map(of)).size).toBe(3);
    expect(chooseTaker('home', all, ready, 'x')).toBe(channels[0]);
    ready.delete(channels[0]);
    // Nobody else is the home meanwhile.
    expect(chooseTaker('home', all, ready, 'x')).toBeUndefined();
    expect(of('x')).not.toBe(channels[0]);
  });
});

describe('the ports of workers', () => {
  const asked = { name: 'http', address: '127.0.0.1', port: 0, share: 'any' } as const;

  it('are one for all, hold what nobody takes yet, and go on when one has ended', async () => {
    const ready = new Set<Channel>();
    const desk = new PortDesk(ready);
    afterThis(() => desk.close());
    const workers = [pair(), pair()] as const;
    const answered: string[] = [];
    const listen = async ({ parent, worker }: (typeof workers)[0], name: string): Promise<number> => {
      desk.serve(parent, workers.findIndex((each) => each.parent === parent) + 1);
      const { port } = await new WorkerPorts(worker).listen(asked, (socket: Socket) => {
        answered.push(name);
        socket.on('error', () => undefined);
        socket.end(name);
      });
      return port;
    };
    const port = await listen(workers[0], 'one');
    expect(await listen(workers[1], 'two')).toBe(port);
    const reads = async (): Promise<string> => {
      const socket = connect(port, '127.0.0.1');
      const [data] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      return String(data);
    };
    const held = reads();
    ready.add(workers[0].parent).add(workers[1].parent);
    desk.wake();
    await held;
    await reads();
    expect(answered.toSorted()).toEqual(['one', 'two']);
    ready.delete(workers[0].parent);
    desk.leave(workers[0].parent);
    expect([await reads(), await reads()]).toEqual(['two', 'two']);
  });

  it('that cannot be had are refused to each worker alike, until settings may be others', async () => {
    const desk = new PortDesk(new Set());
    afterThis(() => desk.close());
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const { parent, worker } = pair();
    desk.serve(parent, 1);
    const ports = new WorkerPorts(worker);
    const refused = { code: 'EADDRINUSE' };
    await expect(ports.listen({ ...asked, port }, () => undefined)).rejects.toMatchObject(refused);
    taken.close();
    await once(taken, 'close');
    await expect(ports.listen({ ...asked, port }, () => undefined)).rejects.toMatchObject(refused);
    desk.forgetRefused();
    expect((await ports.listen({ ...asked, port }, () => undefined)).port).toBe(port);
  });
});
