import { describe, expect, it } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { CommandLog } from '../src/log.js';
import { openLog } from '../src/open-log.js';
import { HandOverPort, handOver } from '../src/home/hand-over.js';
import { readProxyHeader, writeProxyHeader } from '../src/home/proxy-header.js';
import { ReplicaKey } from '../src/replica-key.js';
import { ENGINES } from './engines.js';
import { linkTo } from './link.js';
import { afterThis, engineOf, startReplica, until, type TestReplica } from './support.js';

const passed = {
  name: 'redis of t1',
  client: { address: '192.0.2.7', port: 50_000 },
  server: { address: '192.0.2.1', port: 6379 },
};

/** Asks for the lease, and again where the engine does not answer in time, as a replica does. */
async function take(
  log: CommandLog,
  holder: string,
): Promise<{ readonly before: string | undefined } | undefined> {
  for (;;) {
    try {
      return await log.takeLease?.(holder);
    } catch (thrown) {
      if (!/time(d )?out|earlier attempt/i.test(String(thrown))) throw thrown;
    }
  }
}

describe.each(ENGINES)('the lease of the home in %s', (engine) => {
  itWithTool(engine, 'has one holder, who is known afterwards, and ends by itself', async () => {
    const { url } = await engineOf(engine);
    const [one, two] = await Promise.all([openLog(url, 'x'), openLog(url, 'x')]);
    for (const log of [one, two]) afterThis(() => log.close());
    const taken = await Promise.all([take(one, 'a'), take(two, 'b')]);
    const [winner] = taken.flatMap((each, index) => (each === undefined ? [] : [{ ...each, index }]));
    expect(taken.filter((each) => each !== undefined)).toHaveLength(1);
    // Its own name where an attempt had come that was not answered in time.
    expect([undefined, ['a', 'b'][winner?.index ?? 0]]).toContain(winner?.before);
    await until(async () => (await take(one, 'a')) !== undefined);
    expect(await take(one, 'a')).toEqual({ before: 'a' });
    expect(await take(two, 'b')).toBeUndefined();
    await two.dropLease?.('b');
    expect(await take(two, 'b')).toBeUndefined();
    await one.dropLease?.('a');
    expect(await take(two, 'b')).toEqual({ before: 'a' });
    // Nobody takes it again.
    await until(async () => (await take(one, 'a')) !== undefined);
    expect(await take(two, 'b')).toBeUndefined();
  });
});

describe('the header of a connection that is handed over', () => {
  it.each([
    ['192.0.2.7', '192.0.2.1'],
    ['2001:db8::7', '2001:db8::1'],
    ['::1', '::'],
    ['fe80::1:2:3:4', '2001:db8:1:2:3:4:5:6'],
  ])('says that %s has connected to %s', (from, to) => {
    const key = new ReplicaKey('f');
    const challenge = Buffer.alloc(16, 1);
    const given = { ...passed, client: { address: from, port: 1 }, server: { address: to, port: 65_535 } };
    const header = writeProxyHeader(given, (before) => key.seal(challenge, before));
    const isSealed = (before: Buffer, seal: Buffer): boolean => key.hasSealed(challenge, before, seal);
    expect(readProxyHeader(header, isSealed)).toEqual(given);
    // Each byte counts.
    for (let at = 16; at < header.length; at += 1) {
      const other = Buffer.from(header);
      other.writeUInt8((other[at] ?? 0) ^ 1, at);
      expect(readProxyHeader(other, isSealed)).toBeUndefined();
    }
  });
});

describe('the port for what is handed over', () => {
  async function portOf(key: ReplicaKey): Promise<{ port: number; taken: Socket[] }> {
    const taken: Socket[] = [];
    const port = new HandOverPort(key, (socket) => () => void taken.push(socket));
    afterThis(async () => {
      for (const socket of taken) socket.destroy();
      await port.close();
    });
    return { port: await port.start('127.0.0.1', 0), taken };
  }

  it('takes connections of replicas, and gives what comes behind the header to whoever reads', async () => {
    const key = new ReplicaKey('f');
    const { port, taken } = await portOf(key);
    const far = await handOver({ host: '127.0.0.1', port }, passed, key);
    afterThis(() => void far?.destroy());
    far?.write('hello');
    await until(() => taken.length === 1);
    const [data] = (await once(taken[0] as Socket, 'data')) as [Buffer];
    expect(String(data)).toBe('hello');
    taken[0]?.write('and back');
    const [back] = (await once(far as Socket, 'data')) as [Buffer];
    expect(String(back)).toBe('and back');
  });

  it('takes nobody who has not the key, nor a header that was seen before', async () => {
    const key = new ReplicaKey('f');
    const { port, taken } = await portOf(key);
    await expect(handOver({ host: '127.0.0.1', port }, passed, new ReplicaKey('g'))).rejects.toThrow(
      'it has closed the connection',
    );
    const seen = writeProxyHeader(passed, (before) => key.seal(Buffer.alloc(16), before));
    for (const sent of [
      seen,
      Buffer.from('PROXY TCP4 192.0.2.7 192.0.2.1 1 2\r\n'),
      Buffer.alloc(2_000, 255),
    ]) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined).resume();
      socket.write(sent);
      await once(socket, 'close');
    }
    expect(taken).toEqual([]);
  });
});

/** A client that sends a line and reads one. */
async function line(port: number): Promise<{ socket: Socket; ask(text: string): Promise<string> }> {
  const socket = connect(port, '127.0.0.1');
  afterThis(() => void socket.destroy());
  socket.on('error', () => undefined);
  const ask = (sent: string): Promise<string> =>
    new Promise((resolve) => {
      socket.once('data', (data) => resolve(String(data)));
      socket.once('close', () => resolve('closed'));
      socket.write(sent);
    });
  return { socket, ask };
}

describe.each(ENGINES)('the home of three replicas with %s', (engine) => {
  itWithTool(engine, 'is one at a time, whoever is cut off', async () => {
    const server = await engineOf(engine);
    const links = await Promise.all([0, 1, 2].map(() => linkTo(server.url)));
    for (const link of links) afterThis(() => link.close());
    const replicas: TestReplica[] = [];
    const ports: number[] = [];
    for (const [index, link] of links.entries()) {
      const replica = await startReplica(link.url, `r${index}`, { home: 'leased' });
      replicas.push(replica);
      ports.push(replica.homePort);
    }
    const homes = (): string[] =>
      replicas
        .filter(({ cluster }) => cluster.replica.home === cluster.replica.name)
        .map(({ cluster }) => cluster.replica.name);
    await until(() => homes().length === 1);
    const first = Number(homes()[0]?.slice(1));
    // Whichever port a client uses, the home answers, which knows the client's own address.
    for (const port of ports) {
      const { socket, ask } = await line(port);
      expect(await ask('who\n')).toBe(`r${first} 127.0.0.1:${socket.localPort}`);
    }
    const old = await line(ports[first] as number);
    expect(await old.ask('who\n')).toContain(`r${first}`);
    const seen = new Set<number>();
    const watching = setInterval(() => seen.add(homes().length), 5);
    afterThis(() => clearInterval(watching));
    links[first]?.hold(true);
    // It gives it up by itself, and those that were connected to it are closed.
    await until(() => old.socket.destroyed);
    expect(replicas[first]?.warnings.join('\n')).toContain('the home of what clients store no more');
    await until(() => homes().length === 1);
    const second = Number(homes()[0]?.slice(1));
    expect(second).not.toBe(first);
    const { ask } = await line(ports[3 - first - second] as number);
    expect(await ask('who\n')).toContain(`r${second}`);
    links[first]?.hold(false);
    // The one that was cut off hands over to the new one, and has forgotten what it had.
    const { ask: again } = await line(ports[first] as number);
    expect(await again('who\n')).toContain(`r${second}`);
    expect([...seen].every((count) => count <= 1)).toBe(true);
    // One that stops lets the next one have it at once.
    await replicas[second]?.stop();
    await until(() =>
      replicas.some(
        ({ cluster }) =>
          cluster.replica.home === cluster.replica.name && cluster.replica.name !== `r${second}`,
      ),
    );
  });

  itWithTool(engine, 'keeps what it has when the engine was gone', async () => {
    const server = await engineOf(engine);
    const one = await startReplica(server.url, 'one', { home: 'leased' });
    const two = await startReplica(server.url, 'two', { home: 'leased' });
    const port = two.homePort;
    await until(() => one.cluster.replica.home === 'one');
    await server.kill();
    await until(() => one.cluster.replica.home === null);
    await server.restart();
    const { ask } = await line(port);
    expect(await ask('who\n')).toContain('one');
    expect(one.warnings.join('\n')).toContain('again, and has what it had');
    expect(two.warnings.join('\n')).not.toContain('the home of what clients store');
  });
});
