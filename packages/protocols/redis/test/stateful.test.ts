import { describe, expect, it } from '@jest/globals';
import { command, RawClient, startHost } from './support.js';

/** Asks until so many clients wait. */
async function untilBlocked(client: RawClient, count: number): Promise<void> {
  for (let tries = 0; tries < 2_000; tries += 1) {
    if ((await client.ask('INFO clients')).includes(`blocked_clients:${count}`)) return;
  }
  throw new Error(`there were never ${count} clients that wait`);
}

describe('time', () => {
  it('keys expire by the clock of the host', async () => {
    const { port, host } = await startHost({ mode: 'stateful' });
    const client = new RawClient(port);
    await client.ask('SET a 1 EX 100');
    await client.ask('SET b 1');
    await client.ask('RPUSH l 1');
    await client.ask('PEXPIRE l 50000');
    await host.clock.advance(60_000);
    expect(await client.ask('EXISTS l')).toBe(':0\r\n');
    expect(await client.ask('GET a')).toBe('$1\r\n1\r\n');
    expect(await client.ask('DBSIZE')).toBe(':2\r\n');
    await client.ask('WATCH a');
    await host.clock.advance(60_000);
    client.send(['MULTI', 'GET b', 'EXEC', 'KEYS *'].map(command).join(''));
    expect([await client.reply(), await client.reply(), await client.reply(), await client.reply()]).toEqual([
      '+OK\r\n',
      '+QUEUED\r\n',
      '*-1\r\n',
      '*1\r\n$1\r\nb\r\n',
    ]);
  });

  it('blocking pops wait by the clock of the host, and are served in order', async () => {
    const { port, host } = await startHost({ mode: 'stateful' });
    const [one, two, three, pusher] = [1, 2, 3, 4].map(() => new RawClient(port)) as [
      RawClient,
      RawClient,
      RawClient,
      RawClient,
    ];
    one.send(command('BLPOP q 3600') + command('PING'));
    await untilBlocked(pusher, 1);
    two.send(command('BLMOVE q r LEFT RIGHT 0'));
    await untilBlocked(pusher, 2);
    three.send(command('BLPOP r 0'));
    await untilBlocked(pusher, 3);
    expect(await pusher.ask('RPUSH q a b')).toBe(':2\r\n');
    expect(await one.reply()).toBe('*2\r\n$1\r\nq\r\n$1\r\na\r\n');
    expect(await one.reply()).toBe('+PONG\r\n');
    expect(await two.reply()).toBe('$1\r\nb\r\n');
    expect(await three.reply()).toBe('*2\r\n$1\r\nr\r\n$1\r\nb\r\n');
    one.send(command('BZPOPMIN z 3600'));
    await untilBlocked(pusher, 1);
    await host.clock.advance(3_600_000);
    expect(await one.reply()).toBe('*-1\r\n');
    one.send(command('BLPOP q 0'));
    await untilBlocked(pusher, 1);
    const id =
      /id=(\d+) addr=\S+ laddr=\S+ fd=\d+ name= age=\S+ idle=\d+ flags=b/.exec(
        await pusher.ask('CLIENT LIST'),
      )?.[1] ?? '';
    expect(await pusher.ask(`CLIENT UNBLOCK ${id} ERROR`)).toBe(':1\r\n');
    expect(await one.reply()).toMatch(/^-UNBLOCKED/);
    one.send(command('BLPOP q 0'));
    await untilBlocked(pusher, 1);
    one.socket.destroy();
    await untilBlocked(pusher, 0);
    expect(await pusher.ask('RPUSH q x')).toBe(':1\r\n');
    expect(host.journal.list().filter(({ aborted }) => aborted === true)).toHaveLength(1);
  });
});

describe('reset and snapshots', () => {
  it('a reset empties the data while clients stay', async () => {
    const { port, host } = await startHost({ mode: 'stateful' });
    const client = new RawClient(port);
    await client.ask('SET a 1');
    await client.ask('HELLO 3');
    await client.ask('SUBSCRIBE news');
    host.reset();
    expect(await client.ask('GET a')).toBe('_\r\n');
    expect(await client.ask('DBSIZE')).toBe(':0\r\n');
    client.send(command('PUBLISH news hi'));
    expect(await client.reply()).toBe('>3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$2\r\nhi\r\n');
    expect(await client.reply()).toBe(':1\r\n');
  });

  it('a snapshot keeps every type', async () => {
    const { port, host } = await startHost({ mode: 'stateful' });
    const client = new RawClient(port);
    const all = [
      'GET s',
      'LRANGE l 0 -1',
      'SMEMBERS t',
      'HGETALL h',
      'ZRANGE z 0 -1 WITHSCORES',
      'TTL s',
      'DBSIZE',
    ];
    for (const line of ['SET s 1 EX 1000', 'RPUSH l a b', 'SADD t a b', 'HSET h a 1', 'ZADD z 1 a 2 b'])
      await client.ask(line);
    const before: string[] = [];
    for (const line of all) before.push(await client.ask(line));
    const { id } = host.snapshots.create();
    for (const line of ['APPEND s 2', 'RPUSH l c', 'SADD t c', 'HSET h b 1', 'ZADD z 3 a', 'SET more 1'])
      await client.ask(line);
    host.snapshots.restore(id);
    const after: string[] = [];
    for (const line of all) after.push(await client.ask(line));
    expect(after).toEqual(before);
  });
});

describe('connections', () => {
  it('subscribers of RESP2 may only do little, those of RESP3 everything', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const two = new RawClient(port);
    await two.ask('SUBSCRIBE a');
    expect(await two.ask('GET x')).toMatch(/^-ERR Can't execute 'get'/);
    const three = new RawClient(port);
    await three.ask('HELLO 3');
    expect(await three.ask('SUBSCRIBE a')).toBe('>3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n');
    expect(await three.ask('GET x')).toBe('_\r\n');
    expect(await three.ask('SSUBSCRIBE s')).toContain('ssubscribe');
    expect(await three.ask('PUBSUB SHARDCHANNELS')).toBe('*1\r\n$1\r\ns\r\n');
  });

  it('without login nothing but login works', async () => {
    const { port } = await startHost({ mode: 'stateful', password: 'geheim' });
    const client = new RawClient(port);
    expect(await client.ask('GET a')).toBe('-NOAUTH Authentication required.\r\n');
    expect(await client.ask('HELLO 3')).toMatch(/^-NOAUTH HELLO must be called/);
    expect(await client.ask('AUTH wrong')).toMatch(/^-WRONGPASS/);
    expect(await client.ask('AUTH other geheim')).toMatch(/^-WRONGPASS/);
    expect(await client.ask('AUTH default geheim')).toBe('+OK\r\n');
    expect(await client.ask('GET a')).toBe('$-1\r\n');
    expect(await client.ask('RESET')).toBe('+RESET\r\n');
    expect(await client.ask('GET a')).toMatch(/^-NOAUTH/);
    expect(await client.ask('HELLO 3 AUTH default geheim SETNAME me')).toMatch(/^%7/);
    expect(await client.ask('CLIENT GETNAME')).toBe('$2\r\nme\r\n');
  });

  it('can be listed, named, silenced and cut', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const [client, other] = [new RawClient(port), new RawClient(port)];
    await other.ask('CLIENT SETNAME other');
    const list = await client.ask('CLIENT LIST');
    expect(list).toContain('name=other');
    client.send(
      ['CLIENT REPLY SKIP', 'SET a 1', 'CLIENT REPLY OFF', 'SET b 1', 'CLIENT REPLY ON', 'MGET a b']
        .map(command)
        .join(''),
    );
    expect(await client.reply()).toBe('+OK\r\n');
    expect(await client.reply()).toBe('*2\r\n$1\r\n1\r\n$1\r\n1\r\n');
    const id = /id=(\d+) addr=\S+ laddr=\S+ fd=\d+ name=other/.exec(list)?.[1] ?? '';
    expect(await client.ask(`CLIENT KILL ID ${id}`)).toBe(':1\r\n');
    expect(await other.untilClosed()).toBe('');
    expect(await client.ask('QUIT')).toBe('+OK\r\n');
    expect(await client.untilClosed()).toBe('');
  });

  it.each([
    'EVAL x 0',
    'CLUSTER INFO',
    'FCALL f 0',
    'SHUTDOWN',
    'DEBUG SLEEP 1',
    'SCRIPT LOAD x',
    'REPLICAOF a 1',
  ])('%s gets an error of the protocol', async (line) => {
    const { port } = await startHost({ mode: 'stateful' });
    const client = new RawClient(port);
    expect(await client.ask(line)).toMatch(/^-[A-Z]+ /);
    expect(await client.ask('PING')).toBe('+PONG\r\n');
  });

  it('SCAN sees what is there from beginning to end, whatever is deleted meanwhile', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const client = new RawClient(port);
    for (let n = 0; n < 100; n += 1) await client.ask(`SET key${n} 1`);
    const seen: string[] = [];
    let cursor = '0';
    do {
      const reply = await client.ask(`SCAN ${cursor} COUNT 7`);
      const [next = '0', ...keys] = [...reply.matchAll(/\$\d+\r\n([^\r]*)\r\n/g)].map(
        ([, text = '']) => text,
      );
      seen.push(...keys);
      for (const key of keys) await client.ask(`DEL ${key}`);
      cursor = next;
    } while (cursor !== '0');
    expect(new Set(seen).size).toBe(100);
  });
});
