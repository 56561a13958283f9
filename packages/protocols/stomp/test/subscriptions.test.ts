import { describe, expect, it } from '@jest/globals';
import { eventually, itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { connectStompjs, WAYS } from './stompjs.js';
import { RawClient, startHost } from './support.js';

const subscribe = (id: string, destination: string, more = ''): string =>
  `SUBSCRIBE\nid:${id}\ndestination:${destination}\n${more}\n\0`;

const PRICES = {
  id: 'prices',
  command: 'SUBSCRIBE',
  destination: '/topic/prices.*',
  response: {
    json: { name: '{{request.destination}}', price: 100 },
    headers: { 'x-by': '{{headers.x-user}}' },
  },
  messages: [{ json: { price: 101 } }, { body: 'later', delay: '10s' }, { body_base64: '//4=', delay: '5s' }],
};

describe('a mock for SUBSCRIBE', () => {
  it.each(WAYS)('sends messages to stompjs over %s when it subscribes', async (_, way) => {
    const { port, host } = await startHost({ mocks: [PRICES] });
    host.clock.freeze(true);
    const [client, other] = await Promise.all([connectStompjs(way(port)), connectStompjs(way(port))]);
    const got: unknown[] = [];
    const elsewhere: string[] = [];
    other.subscribe('/topic/prices.eur', ({ body }) => elsewhere.push(body));
    await eventually(() => elsewhere.length === 2);
    client.subscribe(
      '/topic/prices.eur',
      (message) => got.push([message.headers['destination'], message.headers['x-by'], ...message.binaryBody]),
      { 'x-user': 'ann' },
    );
    const text = (body: string): number[] => [...Buffer.from(body)];
    const destination = '/topic/prices.eur';
    const first = [destination, 'ann', ...text('{"name":"/topic/prices.eur","price":100}')];
    const second = [destination, undefined, ...text('{"price":101}')];
    await eventually(() => got.length === 2);
    expect(got).toEqual([first, second]);
    await host.clock.advance(9_999);
    expect(got).toHaveLength(2);
    await host.clock.advance(1);
    await eventually(() => got.length === 3);
    await host.clock.advance(5_000);
    await eventually(() => got.length === 4);
    expect(got.slice(2)).toEqual([
      [destination, undefined, ...text('later')],
      [destination, undefined, 255, 254],
    ]);
    // Each is answered alone.
    await eventually(() => elsewhere.length === 4);
    const entries = host.journal.list();
    expect(entries.map((entry) => [entry['method'], entry['path'], entry['matched_id']])).toEqual([
      ['SUBSCRIBE', destination, 'prices'],
      ['SUBSCRIBE', destination, 'prices'],
    ]);
    expect(entries[0]?.response?.body).toBe(
      '{"name":"/topic/prices.eur","price":100}\n{"price":101}\nlater\n//4=',
    );
  });

  itWithTool('python3:stomp', 'sends messages to stomp.py, which acknowledges them', async () => {
    const { port } = await startHost({
      mocks: [
        {
          command: 'SUBSCRIBE',
          destination: '/queue/jobs',
          messages: [{ body: 'one' }, { body: 'two', delay: '5ms' }],
        },
      ],
    });
    const script = `
import sys, threading, stomp
connection = stomp.Connection12([('127.0.0.1', int(sys.argv[1]))])
done = threading.Event()
class Listener(stomp.ConnectionListener):
    def on_message(self, frame):
        print(frame.body)
        connection.ack(frame.headers['ack'])
        if frame.body == 'two': done.set()
connection.set_listener('', Listener())
connection.connect(wait=True)
connection.subscribe('/queue/jobs', id='1', ack='client-individual')
assert done.wait(30)
connection.disconnect(receipt='bye')
`;
    expect(await runTool(PYTHON, ['-c', script, String(port)])).toEqual({
      code: 0,
      out: 'one\ntwo\n',
      err: '',
    });
  });

  it('sends after the receipt, and what waits in the queue before', async () => {
    const { port } = await startHost({
      mocks: [{ command: 'SUBSCRIBE', destination: '/queue/a', response: { body: 'hello' }, delay: '1ms' }],
    });
    const client = await RawClient.connect(port);
    await client.request('SEND\ndestination:/queue/a\n\nwaited\0');
    client.send(subscribe('1', '/queue/a', 'receipt:r\n'));
    await client.until(() => client.frames.length === 3);
    expect(client.frames.map(({ command, body }) => `${command} ${body}`)).toEqual([
      'RECEIPT ',
      'MESSAGE waited',
      'MESSAGE hello',
    ]);
  });

  it('publishes where its response says, and is not asked for messages', async () => {
    const { port } = await startHost({
      mocks: [
        { command: 'SUBSCRIBE', response: { destination: '/topic/joined', body: '{{request.destination}}' } },
        {
          command: 'SEND',
          destination: '/topic/x',
          response: { destination: '/topic/joined', body: 'sent' },
        },
      ],
    });
    const client = await RawClient.connect(port);
    await client.request(subscribe('1', '/topic/joined'));
    await client.request(subscribe('2', '/topic/x'));
    await client.request('SEND\ndestination:/topic/x\n\nitself\0');
    await client.request('SEND\ndestination:/topic/y\n\nnothing\0');
    const got = client.frames.filter(({ command }) => command === 'MESSAGE').map(({ body }) => body);
    expect(got).toEqual(['/topic/joined', '/topic/x', 'itself', 'sent']);
  });

  it('sends no more once the subscription has ended, or after a reset', async () => {
    const mock = (destination: string): object => ({
      id: destination.slice(7),
      command: 'SUBSCRIBE',
      destination,
      messages: [{ body: 'one' }, { body: 'two', delay: '1m' }],
    });
    const { port, host } = await startHost({ mocks: [mock('/topic/a'), mock('/topic/b')] });
    host.clock.freeze(true);
    const client = await RawClient.connect(port);
    await client.request(subscribe('1', '/topic/a'));
    expect((await client.next('MESSAGE')).body).toBe('one');
    await client.request('UNSUBSCRIBE\nid:1\n\n\0');
    await host.clock.advance(60_000);
    await client.request('SEND\ndestination:/topic/a\n\n\0');
    expect(client.frames).toEqual([]);
    const [entry] = host.journal.list();
    expect(entry?.response?.body).toBe('one');
    await client.request(subscribe('2', '/topic/b'));
    expect((await client.next('MESSAGE')).body).toBe('one');
    host.reset();
    await host.clock.advance(60_000);
    await client.request('SEND\ndestination:/topic/a\n\n\0');
    expect(client.frames).toEqual([]);
  });

  it('refuses the subscription when it says so', async () => {
    const { port, host } = await startHost({
      mocks: [{ command: 'SUBSCRIBE', destination: '/topic/secret.*', fault: { message: 'access_refused' } }],
    });
    const client = await RawClient.connect(port);
    await client.request(subscribe('1', '/topic/free'));
    client.send(subscribe('2', '/topic/secret.x', 'receipt:r\n'));
    const { headers } = await client.next('ERROR');
    expect(headers).toMatchObject({ message: 'access_refused', 'receipt-id': 'r' });
    await client.closes();
    expect(host.journal.list()[0]).toMatchObject({ method: 'SUBSCRIBE', status: 'ERROR' });
  });

  it('is not needed where a fault says that it is for subscriptions; one that does not leaves them alone', async () => {
    const { port, host } = await startHost();
    const client = await RawClient.connect(port);
    host.faults.set('stomp', { message: 'disk full' });
    await client.request(subscribe('0', '/topic/free'));
    host.faults.set('stomp', { match: { destination: '/queue/a' }, message: 'no SEND' });
    await client.request(subscribe('1', '/queue/a'));
    host.faults.set('stomp', { match: { command: 'SUBSCRIBE', destination: '/queue/b' }, after: 1 });
    await client.request('SEND\ndestination:/queue/b\n\nkept\0');
    await client.request(subscribe('2', '/queue/b'));
    expect((await client.next('MESSAGE')).body).toBe('kept');
    client.send(subscribe('3', '/queue/b', 'receipt:r\n'));
    const { headers } = await client.next('ERROR');
    expect(headers).toMatchObject({ message: 'fault injected', 'receipt-id': 'r' });
    await client.closes();
    const entries = host.journal.list().filter(({ method }) => method === 'SUBSCRIBE');
    expect(entries.map(({ path, status }) => [path, status])).toEqual([
      ['/queue/b', undefined],
      ['/queue/b', 'ERROR'],
    ]);
    // Nobody waited for a mock for the one that passed.
    const unmatched = host.journal.list({ unmatched: true }).filter(({ method }) => method === 'SUBSCRIBE');
    expect(unmatched.map(({ status }) => status)).toEqual(['ERROR']);
  });

  it('is compiled as what it is for', async () => {
    const { host } = await startHost({ mocks: [PRICES] });
    const { mocks } = host.kind('stomp');
    expect(() => mocks.create({ command: 'SUBSCRIBE', body: 'x' })).toThrow(/a SUBSCRIBE frame has no body/);
    expect(() => mocks.create({ messages: [{ headers: { ack: 'x' } }] })).toThrow(
      /the header "ack" is set by the server/,
    );
    expect(() => mocks.create({ messages: [{ delay: 'soon' }] })).toThrow(/soon/);
    const explained = host.kind('stomp').explain({ path: '/topic/prices.eur' });
    expect(JSON.stringify(explained)).toContain('command: got SEND, want SUBSCRIBE');
    expect(host.kind('stomp').explain({ method: 'SUBSCRIBE', path: '/topic/prices.eur' })).toMatchObject({
      outcome: 'matched',
    });
  });
});

describe('a mock with several messages', () => {
  it('publishes one after the other, also when who sent has left', async () => {
    const { port, host } = await startHost({
      mocks: [
        {
          id: 'order',
          destination: '/queue/orders',
          response: { destination: '/topic/orders', body: 'taken' },
          messages: [
            { destination: '/topic/orders', body: 'packed', delay: '1h' },
            { destination: '/topic/orders', body: 'sent: {{body}}', delay: '1h' },
          ],
        },
      ],
    });
    host.clock.freeze(true);
    const watcher = await RawClient.connect(port);
    await watcher.request(subscribe('1', '/topic/orders'));
    const sender = await RawClient.connect(port);
    await sender.request('SEND\ndestination:/queue/orders\n\nseven\0');
    sender.send('DISCONNECT\n\n\0');
    await sender.closes();
    expect((await watcher.next('MESSAGE')).body).toBe('taken');
    await host.clock.advance(3_600_000);
    expect((await watcher.next('MESSAGE')).body).toBe('packed');
    await host.clock.advance(3_600_000);
    expect((await watcher.next('MESSAGE')).body).toBe('sent: seven');
  });
});
