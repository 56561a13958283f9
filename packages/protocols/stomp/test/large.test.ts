import { eventually } from '@backlot/conformance';
import { describe, expect, it } from '@jest/globals';
import { BrokerMessage } from '../src/broker/broker-message.js';
import { Broker } from '../src/broker/broker.js';
import { Queue } from '../src/broker/queue.js';
import { Subscription, type Delivery } from '../src/broker/subscription.js';
import { RawClient, startHost } from './support.js';

function never(problem: unknown): never {
  throw new Error(String(problem));
}

/** A client that takes messages while it has room, and counts how often it was asked. */
class Taker {
  readonly got: string[] = [];
  asked = 0;
  room = Infinity;
  #tags = 0;

  get isReady(): boolean {
    this.asked += 1;
    return this.got.length < this.room;
  }

  nextTag(): string {
    this.#tags += 1;
    return `${this.#tags}`;
  }

  deliver({ message }: Delivery): void {
    this.got.push(message.id);
  }

  push({ message }: Delivery): void {
    this.got.push(message.id);
  }
}

function subscribe(broker: Broker, receiver: Taker, destination: string, number = 1): Subscription {
  const subscription = new Subscription(receiver, {
    destination,
    mode: 'client-individual',
    prefetch: undefined,
    number,
    line: '',
  });
  broker.subscribe(subscription);
  broker.wake([subscription]);
  return subscription;
}

function message(id: number, destination: string, body = ''): BrokerMessage {
  return new BrokerMessage(`${id}`, destination, {}, Buffer.from(body));
}

const numbers = (count: number, from = 0): string[] => Array.from({ length: count }, (_, n) => `${from + n}`);

describe('a queue', () => {
  it('asks a consumer that takes no more once, until it is woken', () => {
    const broker = new Broker(never, never);
    const takers = Array.from({ length: 500 }, () => Object.assign(new Taker(), { room: 1 }));
    for (const [index, taker] of takers.entries()) subscribe(broker, taker, '/queue/a', index);
    for (let n = 0; n < 500; n += 1) void broker.publish(message(n, '/queue/a'));
    expect(takers.every(({ got }) => got.length === 1)).toBe(true);
    const before = takers.reduce((sum, { asked }) => sum + asked, 0);
    for (let n = 0; n < 500; n += 1) void broker.publish(message(n, '/queue/a'));
    expect(takers.reduce((sum, { asked }) => sum + asked, 0) - before).toBeLessThanOrEqual(500);
  });

  it('sends a hundred messages in a step', () => {
    let later = 0;
    const owner = {
      isFull: false,
      released: () => undefined,
      unused: () => undefined,
      dispatchLater: () => (later += 1),
    };
    const queue = new Queue('/queue/a', owner);
    const taker = new Taker();
    queue.attach(
      new Subscription(taker, { destination: '', mode: 'auto', prefetch: undefined, number: 1, line: '' }),
    );
    for (let n = 0; n < 250; n += 1) queue.add(message(n, '/queue/a'));
    queue.dispatch();
    queue.dispatch();
    expect([taker.got.length, later]).toEqual([100, 1]);
    expect([queue.dispatchSome(), queue.dispatchSome()]).toEqual([false, true]);
    queue.laterEnded();
    expect(taker.got).toEqual(numbers(250));
    queue.add(message(250, '/queue/a', 'x'.repeat(600_000)));
    queue.add(message(251, '/queue/a'));
    queue.dispatch();
    expect([taker.got.length, later]).toEqual([251, 2]);
  });

  it('gets back what its consumers had, in order, however it comes', async () => {
    const broker = new Broker(never, never);
    const takers = [new Taker(), new Taker(), new Taker()];
    const subscriptions = takers.map((taker, index) => subscribe(broker, taker, '/queue/a', index));
    for (let n = 0; n < 3000; n += 1) void broker.publish(message(n, '/queue/a'));
    await eventually(() => takers.every(({ got }) => got.length === 1000));
    broker.unsubscribe(subscriptions);
    const next = new Taker();
    subscribe(broker, next, '/queue/a');
    await eventually(() => next.got.length === 3000);
    expect(next.got).toEqual(numbers(3000));
  });

  it('has room beside 9,999 others', () => {
    const broker = new Broker(never, never);
    for (let n = 0; n < 10_000; n += 1) void broker.publish(message(n, `/queue/${n}`));
    expect(() => broker.publish(message(0, '/queue/one-more'))).toThrow('too many queues');
    void broker.publish(message(0, '/queue/7'));
  });
});

describe('a topic', () => {
  it('with many subscribers gets its messages in order, some in each turn of the event loop', async () => {
    const broker = new Broker(never, never);
    const takers = Array.from({ length: 2000 }, () => new Taker());
    for (const [index, taker] of takers.entries()) subscribe(broker, taker, '/topic/a', index);
    const few = new Taker();
    subscribe(broker, few, '/topic/b');
    const published = [message(0, '/topic/a'), message(1, '/topic/b'), message(2, '/topic/a')].map((each) =>
      broker.publish(each),
    );
    expect(takers.filter(({ got }) => got.length > 0).length).toBeLessThan(1000);
    expect(few.got).toEqual([]);
    await Promise.all(published.filter((each) => each !== undefined));
    expect(takers.every(({ got }) => got.join(',') === '0,2')).toBe(true);
    expect(few.got).toEqual(['1']);
  });

  it('gets messages that many clients take before their sender has its receipt', async () => {
    const { port } = await startHost();
    const wide = await RawClient.connect(port);
    for (let n = 0; n < 300; n += 1) wide.send(`SUBSCRIBE\nid:${n}\ndestination:/topic/a\n\n\0`);
    await wide.request('SUBSCRIBE\nid:last\ndestination:/topic/a\n\n\0');
    const sender = await RawClient.connect(port);
    await sender.request('SEND\ndestination:/topic/a\n\nx\0');
    await wide.until(() => wide.frames.length === 301);
    expect(new Set(wide.frames.map(({ headers }) => headers['subscription'])).size).toBe(301);
  });
});

it('a long transaction is whole, in order, and followed by what came behind it', async () => {
  const { port } = await startHost();
  const client = await RawClient.connect(port);
  client.send('BEGIN\ntransaction:t\n\n\0');
  for (let n = 0; n < 2000; n += 1) client.send(`SEND\ndestination:/queue/a\ntransaction:t\n\n${n}\0`);
  client.send('COMMIT\ntransaction:t\n\n\0SEND\ndestination:/queue/a\n\n2000\0');
  await client.request('SUBSCRIBE\nid:1\ndestination:/queue/a\n\n\0');
  await client.until(() => client.frames.length === 2001);
  expect(client.frames.map(({ body }) => body)).toEqual(numbers(2001));
});

it('subscriptions of a session stop at their bytes', async () => {
  const { port } = await startHost();
  const client = await RawClient.connect(port);
  const long = 'x'.repeat(30_000);
  for (let n = 0; n < 150; n += 1) client.send(`SUBSCRIBE\nid:${n}\ndestination:/topic/${long}\n\n\0`);
  expect((await client.next('ERROR')).headers['message']).toBe('too many subscriptions');
});
