import { afterAll, describe, expect, it } from '@jest/globals';
import type { IMessage } from '@stomp/stompjs';
import {
  eventually,
  itWithTool,
  PYTHON,
  RABBITMQ,
  runTool,
  startRabbit,
  type RunningRabbit,
} from '@backlot/conformance';
import { connectStompjs, WAYS } from './stompjs.js';
import { RawClient, startHost, type Received } from './support.js';

/** Connects as a client of RabbitMQ does, to which the host is a virtual one. */
async function connect(port: number): Promise<RawClient> {
  const client = await RawClient.open(port);
  client.send('CONNECT\naccept-version:1.2\nhost:/\nlogin:guest\npasscode:guest\n\n\0');
  await client.next('CONNECTED');
  return client;
}

const ask = (name: string, body: string): string =>
  `SEND\ndestination:/queue/ask\nreply-to:/temp-queue/${name}\n\n${body}\0`;

/** What a frame says, without what each server names in its own way. */
function shape({ headers, body }: Received, names: string[]): object {
  const { subscription, destination, 'reply-to': replyTo } = headers;
  const known = (text: string | undefined): string | undefined =>
    text?.replace(/amq\.gen-.*/, (name) => {
      if (!names.includes(name)) names.push(name);
      return `#${names.indexOf(name)}`;
    });
  return { subscription, destination: known(destination), replyTo: known(replyTo), body };
}

/** A conversation of two clients, and what both see. */
async function converse(port: number): Promise<unknown> {
  const [client, server] = await Promise.all([connect(port), connect(port)]);
  const names: string[] = [];
  const seen: unknown[] = [];
  const asked = async (frame: string): Promise<string> => {
    await client.request(frame);
    const got = await server.next('MESSAGE');
    seen.push(shape(got, names));
    return got.headers['reply-to'] ?? '';
  };
  const told = async (by: RawClient, destination: string, body: string): Promise<void> => {
    await by.request(`SEND\ndestination:${destination}\n\n${body}\0`);
    seen.push(shape(await client.next('MESSAGE'), names));
  };
  await server.request('SUBSCRIBE\nid:s\ndestination:/queue/ask\n\n\0');
  const first = await asked(ask('a', 'one'));
  const second = await asked(ask('b', 'two'));
  const again = await asked(ask('a', 'three'));
  for (const [index, replyTo] of [first, second, again].entries())
    await told(server, replyTo, `answer ${index}`);
  const third = await connect(port);
  await told(third, first, 'from another one');
  const refused = await connect(port);
  refused.send(`SEND\ndestination:${first.replace('/reply-queue/', '/queue/')}\n\nby name\0`);
  seen.push((await refused.next('ERROR')).headers['message']);
  for (const destination of [first, first.replace('/reply-queue/', '/queue/'), '/reply-queue/none']) {
    const other = await connect(port);
    other.send(`SUBSCRIBE\nid:x\ndestination:${destination}\n\n\0`);
    seen.push((await other.next('ERROR')).headers['message']);
  }
  client.send('UNSUBSCRIBE\nid:/temp-queue/a\n\n\0');
  await client.next('ERROR');
  client.socket.destroy();
  // Its queue has ended with it: what is sent there is gone, and nobody is told.
  await third.request(`SEND\ndestination:${first}\n\nlate\0`);
  await third.request('SEND\ndestination:/reply-queue/none\n\nnobody\0');
  return seen;
}

describe('temporary queues', () => {
  let rabbit: RunningRabbit | undefined;
  afterAll(() => rabbit?.stop());

  itWithTool(
    RABBITMQ,
    'are those of RabbitMQ',
    async () => {
      rabbit = await startRabbit({
        name: 'rabbitmq_stomp',
        config: (port) => `stomp.listeners.tcp.1 = 127.0.0.1:${port}`,
      });
      const theirs = await converse(rabbit.pluginPort);
      const { port, host } = await startHost();
      expect(await converse(port)).toEqual(theirs);
      await eventually(() => host.kind('stomp').data.size('queues') === 1);
    },
    120_000,
  );

  it.each(WAYS)(
    'bring the answers of mocks to stompjs over %s, which subscribes to nothing',
    async (_, way) => {
      const { port } = await startHost({
        mocks: [{ destination: '/queue/ask', response: { body: 'answer to {{body}}' } }],
      });
      const clients = await Promise.all([connectStompjs(way(port)), connectStompjs(way(port))]);
      const got: string[][] = [[], []];
      for (const [index, client] of clients.entries()) {
        client.onUnhandledMessage = ({ headers, body }: IMessage) =>
          got[index]?.push(`${headers['subscription']} ${body}`);
        for (const name of ['one', 'two'])
          client.publish({
            destination: '/queue/ask',
            body: `${name} of ${index}`,
            headers: { 'reply-to': `/temp-queue/${name}` },
          });
      }
      await eventually(() => got.flat().length === 4);
      expect(got).toEqual([
        ['/temp-queue/one answer to one of 0', '/temp-queue/two answer to two of 0'],
        ['/temp-queue/one answer to one of 1', '/temp-queue/two answer to two of 1'],
      ]);
    },
  );

  itWithTool('python3:stomp', 'bring stomp.py the answer of another client of it', async () => {
    const { port } = await startHost();
    const script = `
import sys, threading, stomp
def connect(on_message):
    connection = stomp.Connection12([('127.0.0.1', int(sys.argv[1]))])
    listener = stomp.ConnectionListener()
    listener.on_message = on_message
    connection.set_listener('', listener)
    connection.connect(wait=True)
    return connection
done = threading.Event()
def answered(frame):
    print(frame.headers['subscription'], frame.body)
    done.set()
server = connect(lambda frame: server.send(frame.headers['reply-to'], frame.body.upper()))
server.subscribe('/queue/upper', id='1')
client = connect(answered)
client.send('/queue/upper', 'hello', headers={'reply-to': '/temp-queue/mine'})
assert done.wait(30)
client.disconnect()
server.disconnect()
`;
    expect(await runTool(PYTHON, ['-c', script, String(port)])).toEqual({
      code: 0,
      out: '/temp-queue/mine HELLO\n',
      err: '',
    });
  });

  it('may be subscribed to, as those of ActiveMQ, and then answers come there alone', async () => {
    const { port } = await startHost({
      mocks: [{ destination: '/queue/ask', response: { body: 'answer to {{body}}' } }],
    });
    const client = await RawClient.connect(port);
    await client.request(ask('a', 'one'));
    expect((await client.next('MESSAGE')).headers['subscription']).toBe('/temp-queue/a');
    await client.request('SUBSCRIBE\nid:mine\ndestination:/temp-queue/a\n\n\0');
    for (const body of ['two', 'three']) await client.request(ask('a', body));
    const got = [await client.next('MESSAGE'), await client.next('MESSAGE')];
    expect(got.map(({ headers, body }) => [headers['subscription'], body])).toEqual([
      ['mine', 'answer to two'],
      ['mine', 'answer to three'],
    ]);
    await client.request('UNSUBSCRIBE\nid:mine\n\n\0');
    await client.request('SEND\ndestination:/temp-queue/a\n\nto itself\0');
    await client.request(ask('a', 'four'));
    expect([await client.next('MESSAGE'), await client.next('MESSAGE')].map(({ body }) => body)).toEqual([
      'to itself',
      'answer to four',
    ]);
  });

  it('are each session its own, are held by a transaction, and end with the session', async () => {
    const { port, host } = await startHost();
    const [one, other] = [await RawClient.connect(port), await RawClient.connect(port)];
    await one.request('SUBSCRIBE\nid:1\ndestination:/temp-queue/a\n\n\0');
    await other.request('SEND\ndestination:/temp-queue/a\n\nmine\0');
    await one.request('SEND\ndestination:/queue/none\n\n\0');
    expect(one.frames).toEqual([]);
    await other.request('BEGIN\ntransaction:t\n\n\0');
    await other.request(
      'SEND\ndestination:/queue/ask\ntransaction:t\nreply-to:/temp-queue/a\n\nin a transaction\0',
    );
    expect((await other.next('MESSAGE')).body).toBe('mine');
    await other.request('COMMIT\ntransaction:t\n\n\0');
    await one.request('SUBSCRIBE\nid:2\ndestination:/queue/ask\n\n\0');
    const { headers } = await one.next('MESSAGE');
    await one.request(`SEND\ndestination:${headers['reply-to']}\n\nanswer\0`);
    expect((await other.next('MESSAGE')).body).toBe('answer');
    const count = (): number => host.kind('stomp').data.size('queues');
    expect(count()).toBe(4);
    other.socket.destroy();
    await eventually(() => count() === 3);
  });

  it('say what is wrong with their names, and are bounded', async () => {
    const { port, host } = await startHost();
    const errorOf = async (frame: string): Promise<string | undefined> => {
      const client = await RawClient.connect(port);
      client.send(frame);
      const { headers, body } = await client.next('ERROR');
      return `${headers['message']}: ${body}`;
    };
    const named = '; it must be /temp-queue/<name>, and the name has no slash';
    expect(await errorOf(ask('', 'x'))).toBe(
      `bad destination: "/temp-queue/" names no temporary queue${named}`,
    );
    expect(await errorOf(ask('a/b', 'x'))).toBe(
      `bad destination: "/temp-queue/a/b" names no temporary queue${named}`,
    );
    expect(await errorOf('SUBSCRIBE\nid:/temp-queue/a\ndestination:/queue/q\n\n\0' + ask('a', 'x'))).toBe(
      'subscription exists: there is a subscription "/temp-queue/a" already',
    );
    const many = Array.from({ length: 1001 }, (_, n) => ask(String(n), 'x')).join('');
    expect(await errorOf(many)).toBe('too many queues: a session has 1000 temporary queues at most');
    await expect(
      host.kind('stomp').data.publish({ destination: '/temp-queue/a', body: 'x' }),
    ).rejects.toThrow(/is a queue of the session that calls it so/);
    await expect(
      host.kind('stomp').data.publish({ destination: '/reply-queue/a', body: 'x' }),
    ).rejects.toThrow('there is no queue "/reply-queue/a"');
  });
});
