import { afterAll, describe, expect, it } from '@jest/globals';
import { itWithTool, PYTHON, RABBITMQ, runTool, startRabbit, type RunningRabbit } from '@backlot/conformance';
import { RawClient, startHost } from './support.js';

const PATTERNS = ['a.b', 'a.*', '*.b', '#', 'a.#', '#.c', 'a.#.c', '*', '*.*.*', 'a.b*', 'x#', 'a.#.#.c'];
const NAMES = ['a', 'a.b', 'a.b.c', 'a.x.y.c', 'b', 'b.b', 'a.bb', 'a.b*', 'x#', 'c', 'a.c'];

/** Connects as a client of RabbitMQ does, to which the host is a virtual one. */
async function connect(port: number): Promise<RawClient> {
  const client = await RawClient.open(port);
  client.send('CONNECT\naccept-version:1.2\nhost:/\nlogin:guest\npasscode:guest\n\n\0');
  await client.next('CONNECTED');
  return client;
}

/** Which messages each pattern brings, over a connection for each of them. */
async function routesOf(port: number, patterns: readonly string[]): Promise<object> {
  const clients = await Promise.all(
    patterns.map(async (pattern) => {
      const client = await connect(port);
      await client.request(`SUBSCRIBE\nid:1\ndestination:/topic/${pattern}\n\n\0`);
      await client.request('SUBSCRIBE\nid:end\ndestination:/topic/the.very.end\n\n\0');
      return client;
    }),
  );
  const sender = await connect(port);
  for (const name of NAMES) await sender.request(`SEND\ndestination:/topic/${name}\n\n${name}\0`);
  await sender.request('SEND\ndestination:/topic/the.very.end\n\nend\0');
  const routes: Record<string, unknown> = {};
  for (const [index, client] of clients.entries()) {
    await client.until(() => client.frames.some(({ headers: { subscription } }) => subscription === 'end'));
    routes[patterns[index] ?? ''] = client.frames
      .filter(({ body }) => body !== 'end')
      .map(({ headers: { destination, subscription }, body }) => [subscription, destination, body]);
  }
  return routes;
}

describe('destinations with wildcards', () => {
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
      const { port } = await startHost();
      const theirs = await routesOf(rabbit.pluginPort, PATTERNS);
      expect(await routesOf(port, PATTERNS)).toEqual(theirs);
    },
    120_000,
  );

  it('are those of ActiveMQ, or none, when the configuration says so', async () => {
    const bodies = async (wildcards: string, pattern: string): Promise<unknown> => {
      const { port } = await startHost({ wildcards });
      const routes = (await routesOf(port, [pattern])) as Record<string, [string, string, string][]>;
      return routes[pattern]?.map(([, , body]) => body);
    };
    expect(await bodies('activemq', 'a.>')).toEqual(['a', 'a.b', 'a.b.c', 'a.x.y.c', 'a.bb', 'a.b*', 'a.c']);
    expect(await bodies('activemq', '*.b')).toEqual(['a.b', 'b.b']);
    expect(await bodies('activemq', '#')).toEqual([]);
    expect(await bodies('none', 'a.*')).toEqual([]);
    expect(await bodies('none', 'a.b*')).toEqual(['a.b*']);
  });

  it('end with their subscription, are told where they are wrong, and are bounded', async () => {
    const { port } = await startHost({ wildcards: 'activemq' });
    const client = await RawClient.connect(port);
    await client.request('SUBSCRIBE\nid:1\ndestination:/topic/a.>\n\n\0');
    await client.request('SUBSCRIBE\nid:2\ndestination:/topic/a.b\n\n\0');
    await client.request('SEND\ndestination:/topic/a.b\n\nboth\0');
    expect(
      client.frames
        .splice(0)
        .map(({ headers }) => headers['subscription'])
        .sort(),
    ).toEqual(['1', '2']);
    await client.request('UNSUBSCRIBE\nid:1\n\n\0');
    await client.request('SEND\ndestination:/topic/a.b\n\none\0');
    expect(client.frames.splice(0).map(({ headers }) => headers['subscription'])).toEqual(['2']);
    client.send('SUBSCRIBE\nid:3\ndestination:/topic/>.a\n\n\0');
    expect((await client.next('ERROR')).headers['message']).toBe('bad destination');
    const many = await RawClient.connect((await startHost()).port);
    const words = '.a'.repeat(120);
    for (let n = 0; n < 200; n += 1) many.send(`SUBSCRIBE\nid:${n}\ndestination:/topic/#.${n}${words}\n\n\0`);
    expect((await many.next('ERROR')).headers['message']).toBe('too many subscriptions');
  });

  it('are of queues as well in the way of ActiveMQ, and names like others in that of RabbitMQ', async () => {
    const { port, host } = await startHost({ wildcards: 'activemq' });
    const client = await RawClient.connect(port);
    const send = (name: string, body: string): Promise<void> =>
      client.request(`SEND\ndestination:/queue/${name}\n\n${body}\0`);
    await send('jobs.a', 'waited');
    await client.request(
      'SUBSCRIBE\nid:1\ndestination:/queue/jobs.>\nack:client-individual\nprefetch-count:2\n\n\0',
    );
    await send('jobs.b.c', 'later');
    await send('jobs.a', 'third');
    await send('other', 'not for it');
    const [first, second] = [await client.next('MESSAGE'), await client.next('MESSAGE')];
    expect([first, second].map(({ headers, body }) => [headers['destination'], body])).toEqual([
      ['/queue/jobs.a', 'waited'],
      ['/queue/jobs.b.c', 'later'],
    ]);
    expect(client.frames).toEqual([]);
    // The place that is free by the message of one queue is for that of another.
    await client.request(`ACK\nid:${second.headers['ack']}\n\n\0`);
    expect((await client.next('MESSAGE')).body).toBe('third');
    await client.request(`NACK\nid:${first.headers['ack']}\n\n\0`);
    const again = await client.next('MESSAGE');
    expect([again.body, again.headers['redelivered']]).toEqual(['waited', 'true']);
    const names = (): unknown[] => Array.from(host.kind('stomp').data.entries('queues'), ({ id }) => id);
    expect(names().sort()).toEqual(['/queue/jobs.a', '/queue/other']);
    await client.request('UNSUBSCRIBE\nid:1\n\n\0');
    await client.request('SUBSCRIBE\nid:2\ndestination:/queue/*\n\n\0');
    expect((await client.next('MESSAGE')).body).toBe('not for it');
    await client.request('SUBSCRIBE\nid:3\ndestination:/queue/jobs.a\n\n\0');
    expect([(await client.next('MESSAGE')).body, (await client.next('MESSAGE')).body]).toEqual([
      'waited',
      'third',
    ]);
    expect(names()).toEqual(['/queue/jobs.a']);

    const rabbit = await RawClient.connect((await startHost()).port);
    await rabbit.request('SUBSCRIBE\nid:1\ndestination:/queue/a.*\n\n\0');
    await rabbit.request('SEND\ndestination:/queue/a.b\n\nanother\0');
    await rabbit.request('SEND\ndestination:/queue/a.*\n\nits own\0');
    expect(rabbit.frames.map(({ body }) => body)).toEqual(['its own']);
  });

  it('share a queue with who names it, and are bounded', async () => {
    const { port } = await startHost({ wildcards: 'activemq' });
    const [wild, exact] = [await RawClient.connect(port), await RawClient.connect(port)];
    await wild.request('SUBSCRIBE\nid:1\ndestination:/queue/>\n\n\0');
    await exact.request('SUBSCRIBE\nid:1\ndestination:/queue/a\n\n\0');
    for (let n = 0; n < 6; n += 1) await wild.request('SEND\ndestination:/queue/a\n\n\0');
    await exact.request('SEND\ndestination:/topic/none\n\n\0');
    expect([wild.frames.length, exact.frames.length]).toEqual([3, 3]);
    exact.send('SUBSCRIBE\nid:2\ndestination:/queue/>.a\n\n\0');
    expect((await exact.next('ERROR')).headers['message']).toBe('bad destination');
    const many = await RawClient.connect(port);
    for (let n = 0; n < 300; n += 1)
      many.send(`SUBSCRIBE\nid:${n}\ndestination:/queue/${n}${'.a'.repeat(50)}.>\n\n\0`);
    expect((await many.next('ERROR')).body).toBe(
      'the destinations of queues with wildcards have 10000 words at most',
    );
  });

  itWithTool('python3:stomp', 'are used by stomp.py', async () => {
    const { port } = await startHost();
    const script = `
import sys, threading, stomp
connection = stomp.Connection12([('127.0.0.1', int(sys.argv[1]))])
done = threading.Event()
class Listener(stomp.ConnectionListener):
    def on_message(self, frame):
        print(frame.headers['destination'], frame.body)
        if frame.body == 'last': done.set()
connection.set_listener('', Listener())
connection.connect(wait=True)
connection.subscribe('/topic/news.#', id='1')
for name in ['news', 'other', 'news.eu', 'news.eu.fr']:
    connection.send('/topic/' + name, 'last' if name == 'news.eu.fr' else name)
assert done.wait(30)
connection.disconnect()
`;
    expect(await runTool(PYTHON, ['-c', script, String(port)])).toEqual({
      code: 0,
      out: '/topic/news news\n/topic/news.eu news.eu\n/topic/news.eu.fr last\n',
      err: '',
    });
  });
});
