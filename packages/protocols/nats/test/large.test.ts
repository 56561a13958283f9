import { nextTurn } from '@backlot/core/plugin';
import { eventually } from '@backlot/conformance';
import { describe, expect, it } from '@jest/globals';
import { headers } from '@nats-io/transport-node';
import { connect3, QUIET, RawClient, startHost } from './support.js';

const many = (count: number, make: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => make(n)).join('');

/** The numbers of the subscriptions that got messages, in order. */
function sidsOf(text: string): string[] {
  return Array.from(text.matchAll(/MSG \S+ (\S+) /g), ([, sid]) => sid ?? '');
}

describe('many subscriptions', () => {
  it('of one client get messages in their order, also when others publish in between', async () => {
    const { port } = await startHost();
    const wide = await RawClient.connect(port);
    await wide.ask(`${QUIET}${many(3000, (n) => `SUB news ${n}\r\n`)}SUB other o\r\n`);
    const one = await RawClient.connect(port);
    const other = await RawClient.connect(port);
    wide.received = Buffer.alloc(0);
    one.send(many(5, (n) => `PUB news 1\r\n${n}\r\nPUB other 1\r\n${n}\r\n`));
    other.send(many(5, () => 'PUB other 1\r\nx\r\n'));
    await eventually(() => sidsOf(wide.text).length === 5 * 3000 + 10);
    const bodies = Array.from(
      wide.text.matchAll(/MSG news (\S+) 1\r\n(\d)/g),
      ([, sid, body]) => `${body}/${sid}`,
    );
    expect(bodies).toEqual(
      Array.from({ length: 5 }, (_, body) =>
        Array.from({ length: 3000 }, (_each, sid) => `${body}/${sid}`),
      ).flat(),
    );
    // What one client publishes arrives in its order: each `other` behind the `news` before it.
    const own = Array.from(wide.text.matchAll(/MSG other o 1\r\n(\d)/g), ([, body]) => body);
    expect(own).toEqual(['0', '1', '2', '3', '4']);
    for (const n of [0, 1, 2, 3, 4]) {
      const last = wide.text.indexOf(`MSG news 2999 1\r\n${n}`);
      expect(wide.text.indexOf(`MSG other o 1\r\n${n}`)).toBeGreaterThan(last);
    }
  });

  it('are given so many messages in a turn of the event loop', async () => {
    const { port } = await startHost();
    const clients = await Promise.all(Array.from({ length: 10 }, () => RawClient.connect(port)));
    for (const client of clients) await client.ask(many(300, (n) => `SUB news ${n}\r\n`));
    for (const client of clients) client.received = Buffer.alloc(0);
    const publisher = await RawClient.connect(port);
    publisher.send('PUB news 1\r\nx\r\nPING\r\n');
    let turns = 0;
    while (!publisher.text.includes('PONG')) {
      turns += 1;
      await nextTurn();
    }
    expect(turns).toBeGreaterThan(5);
    await eventually(() => clients.every(({ text }) => sidsOf(text).length === 300));
  });

  it('that are gone get nothing, and a request finds that nobody responds', async () => {
    const { port, kind } = await startHost();
    const wide = await RawClient.connect(port);
    await wide.ask(`${QUIET}${many(3000, (n) => `SUB ask ${n}\r\n`)}`);
    const asker = await connect3(port);
    wide.socket.destroy();
    await eventually(() => kind.status()['connections'] === 1);
    await expect(asker.request('ask', '', { timeout: 5000 })).rejects.toThrow('no responders');
  });

  it('with very many words are searched in steps, with the same outcome', async () => {
    const { port } = await startHost({}, [{ subject: 'mock', response: { payload: 'yes' } }]);
    const wide = await RawClient.connect(port);
    await wide.ask(`${QUIET}${many(25_000, (n) => `SUB a.${n} ${n}\r\n`)}`);
    wide.received = Buffer.alloc(0);
    const client = await connect3(port);
    const sent = headers();
    sent.set('A', 'b');
    client.publish('a.7', 'x');
    client.publish('a.8', 'x', { headers: sent });
    expect((await client.request('mock', '')).string()).toBe('yes');
    await expect(client.request('nobody', '', { timeout: 5000 })).rejects.toThrow('no responders');
    await eventually(() => sidsOf(wide.text).length === 2);
    expect(sidsOf(wide.text)).toEqual(['7', '8']);
  });

  it('of a connection stop at max_subscriptions, as in nats-server', async () => {
    const { port } = await startHost({ max_subscriptions: 2 });
    const client = await RawClient.connect(port);
    expect(await client.ask('CONNECT {"verbose":true}\r\nSUB a 1\r\nSUB b 2\r\nSUB c 3\r\n')).toBe(
      "+OK\r\n+OK\r\n+OK\r\n-ERR 'maximum subscriptions exceeded'\r\n",
    );
    expect(await client.ask('UNSUB 1\r\nSUB c 3\r\nPUB c 1\r\nx\r\n')).toBe(
      '+OK\r\n+OK\r\n+OK\r\nMSG c 3 1\r\nx\r\n',
    );
  });
});
