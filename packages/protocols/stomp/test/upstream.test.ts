import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually, itWithTool, RABBITMQ, startRabbit, type RunningRabbit } from '@backlot/conformance';
import type { IMessage } from '@stomp/stompjs';
import { connectStompjs, WAYS } from './stompjs.js';
import { RawClient, startHost, type Running } from './support.js';

const [[, OVER_WEB_SOCKET], [, OVER_SOCKET]] = WAYS as unknown as readonly [
  (typeof WAYS)[number],
  (typeof WAYS)[number],
];

/** What an application asks by a temporary queue and by a queue of its own, and is answered. */
async function work(port: number, way: (typeof WAYS)[number][1]): Promise<readonly string[]> {
  const client = await connectStompjs(way(port));
  const answers: string[] = [];
  const take = ({ headers, body }: IMessage): void =>
    void answers.push(`${body} ${headers['correlation-id'] ?? ''} ${headers['kind']}`);
  client.onUnhandledMessage = take;
  client.subscribe('/queue/answers', take);
  const call = async (body: string, replyTo: string, id: string): Promise<void> => {
    const count = answers.length;
    const receipt = new Promise<void>((resolve) => client.watchForReceipt(id, () => resolve()));
    client.publish({
      destination: '/queue/rpc',
      body,
      headers: { 'reply-to': replyTo, 'correlation-id': id, receipt: id },
    });
    await receipt;
    await eventually(() => answers.length > count);
  };
  await call('one', '/temp-queue/mine', 'a:1');
  await call('one', '/temp-queue/mine', 'a:2');
  await call('x'.repeat(300_000), '/queue/answers', 'a:3');
  await client.deactivate();
  return answers;
}

describe('an upstream of STOMP', () => {
  let rabbit: RunningRabbit | undefined;
  afterAll(() => rabbit?.stop());

  itWithTool(
    RABBITMQ,
    'is recorded with stompjs, replayed without it, and compared',
    async () => {
      rabbit = await startRabbit({
        name: 'rabbitmq_stomp',
        config: (port) => `stomp.listeners.tcp.1 = 127.0.0.1:${port}`,
      });
      const { pluginPort, stop } = rabbit;
      const server = await connectStompjs(OVER_SOCKET(pluginPort));
      let served = 0;
      server.subscribe('/queue/rpc', ({ headers, body }) => {
        served += 1;
        server.publish({
          destination: headers['reply-to'] ?? '',
          body: `${body.length} ${served} {{x}}`,
          headers: {
            'correlation-id': headers['correlation-id'] ?? '',
            'content-type': 'text/plain',
            kind: 'su:m',
            'api-token': 'hunter2',
          },
        });
      });
      const through = (mode: string, mocks: readonly object[] = []): Promise<Running> =>
        startHost({ upstream: { url: `stomp://127.0.0.1:${pluginPort}`, mode }, mocks });
      const recording = await through('record_new');
      const answers = await work(recording.port, OVER_WEB_SOCKET);
      expect(answers).toEqual(['3 1 {{x}} a:1 su:m', '3 2 {{x}} a:2 su:m', '300000 3 {{x}} a:3 su:m']);
      const mocks = recording.kind.mocks.list();
      expect(mocks.map(({ id, times }) => [id, times])).toEqual([
        ['recorded:queue-rpc', 1],
        ['recorded:queue-rpc-2', undefined],
        ['recorded:queue-rpc-3', undefined],
      ]);
      expect(JSON.stringify([recording.host.journal.list(), mocks])).not.toMatch(/hunter2|guest/);
      expect(recording.host.journal.list()[0]).toMatchObject({
        method: 'SEND',
        path: '/queue/rpc',
        upstream: { answered: true, recorded_id: 'recorded:queue-rpc' },
      });

      // Mocks answer in its place, with the receipt of the upstream where the answer goes there.
      const mock = {
        id: 'rpc',
        destination: '/queue/rpc',
        response: {
          body: 'mocked',
          headers: { kind: 'mine', 'correlation-id': '{{request.headers.correlation-id}}' },
        },
      };
      const mocked = ['mocked a:1 mine', 'mocked a:2 mine', 'mocked a:3 mine'];
      const spy = await through('spy', [mock]);
      expect(await work(spy.port, OVER_SOCKET)).toEqual(mocked);
      expect(served).toBe(3);
      const comparing = await through('diff', [mock]);
      expect(await work(comparing.port, OVER_SOCKET)).toEqual(mocked);
      expect(served).toBe(6);
      expect(comparing.host.journal.list()[0]).toMatchObject({
        upstream: { differences: ['body /: the mock has "mocked", the upstream "3 4 {{x}}"'] },
      });
      await server.deactivate();

      const passing = await through('passthrough');
      const reader = await connectStompjs(OVER_WEB_SOCKET(passing.port));
      const news: string[] = [];
      reader.subscribe('/topic/news', ({ body }) => void news.push(body), { ack: 'client', receipt: 'sub' });
      await new Promise<void>((resolve) => reader.watchForReceipt('sub', () => resolve()));
      reader.publish({ destination: '/topic/news', body: 'first' });
      await eventually(() => news.length === 1);
      await eventually(() => passing.host.journal.list().length === 2);
      expect(passing.host.journal.list()).toMatchObject([
        { method: 'SEND', path: '/topic/news', body: 'first', upstream: { answered: true } },
        { method: 'MESSAGE', path: '/topic/news', body: 'first', upstream: { answered: true } },
      ]);
      await reader.deactivate();

      await stop();
      rabbit = undefined;

      const replayed = await startHost({ upstream: { mode: 'replay' }, mocks: structuredClone(mocks) });
      expect(await work(replayed.port, OVER_WEB_SOCKET)).toEqual(answers);
    },
    120_000,
  );

  it('that refuses a message by its receipt is recorded as a fault, and replayed', async () => {
    const real = await startHost({
      mocks: [{ destination: '/queue/full', fault: { message: 'no room: 5' } }],
    });
    const SEND = 'SEND\ndestination:/queue/full\nreply-to:/temp-queue/x\nreceipt:r\n\nhi\0';
    const ask = async (port: number): Promise<string | undefined> => {
      const client = await RawClient.connect(port);
      client.send(SEND);
      return (await client.next('ERROR')).headers['message'];
    };
    const recording = await startHost({
      upstream: { url: `stomp://127.0.0.1:${real.port}`, mode: 'record_new' },
    });
    expect(await ask(recording.port)).toBe('no room\\c 5');
    const mocks = recording.kind.mocks.list();
    expect(mocks).toMatchObject([
      { destination: '/queue/full', body: 'hi', fault: { message: 'no room: 5' } },
    ]);
    const replayed = await startHost({ upstream: { mode: 'replay' }, mocks: structuredClone(mocks) });
    expect(await ask(replayed.port)).toBe('no room\\c 5');
  });

  it('gets what mocks publish, in transactions and to subscriptions, and nothing of what they take', async () => {
    const real = await startHost();
    const { port } = await startHost({
      upstream: { url: `stomp://127.0.0.1:${real.port}`, mode: 'spy' },
      mocks: [
        {
          destination: '/queue/orders',
          response: { destination: '/topic/done', body: 'first' },
          messages: [{ destination: '/topic/done', body: 'second' }],
        },
        { destination: '/queue/counted' },
        { command: 'SUBSCRIBE', destination: '/topic/prices', messages: [{ body: 'greeting' }] },
      ],
    });
    const other = await RawClient.connect(real.port);
    await other.request('SUBSCRIBE\nid:1\ndestination:/topic/done\n\n\0');
    await other.request('SUBSCRIBE\nid:2\ndestination:/queue/counted\n\n\0');
    const client = await RawClient.connect(port);
    await client.request('SEND\ndestination:/queue/counted\n\ncounts\0');
    await client.request('BEGIN\ntransaction:t\n\n\0');
    await client.request('SEND\ndestination:/queue/orders\ntransaction:t\n\nhi\0');
    expect(other.frames.map(({ body }) => body)).not.toContain('first');
    await client.request('COMMIT\ntransaction:t\n\n\0');
    const got = [await other.next('MESSAGE'), await other.next('MESSAGE')];
    expect(got.map(({ body }) => body).sort()).toEqual(['first', 'second']);
    await client.request('SUBSCRIBE\nid:7\ndestination:/topic/prices\nack:client-individual\n\n\0');
    const { headers, body } = await client.next('MESSAGE');
    expect([headers['subscription'], headers['destination'], body]).toEqual([
      '7',
      '/topic/prices',
      'greeting',
    ]);
    // The upstream, which would refuse it, is not told.
    await client.request(`ACK\nid:${headers['ack']}\n\n\0`);
    await client.request('SEND\ndestination:/topic/prices\n\nreal\0');
    expect((await client.next('MESSAGE')).body).toBe('real');
    expect(real.host.journal.list().map(({ path, body: sent }) => [path, sent])).toEqual([
      ['/topic/done', 'second'],
      ['/topic/done', 'first'],
      ['/topic/prices', 'real'],
    ]);
  });
});
