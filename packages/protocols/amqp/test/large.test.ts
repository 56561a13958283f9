import { nextTurn } from '@backlot/core/plugin';
import { eventually, mulberry32 } from '@backlot/conformance';
import { describe, expect, it } from '@jest/globals';
import type { GetMessage } from 'amqplib';
import { BrokerMessage } from '../src/broker/broker-message.js';
import { Broker } from '../src/broker/broker.js';
import { Binding } from '../src/broker/binding.js';
import { ConsumerRing } from '../src/broker/consumer-ring.js';
import { Entry } from '../src/broker/entry.js';
import type { BrokerQueue, Consumer } from '../src/broker/queue-types.js';
import { ReadyList } from '../src/broker/ready-list.js';
import { standardExchange } from '../src/broker/registry.js';
import type { FieldTable } from '../src/wire/field-table.js';
import {
  bodiesOf,
  collect,
  frame,
  method,
  openChannel,
  openConfirmChannel,
  OPENING,
  RawClient,
  shortString,
  startHost,
} from './support.js';

const CLOCK = { now: () => 0, after: () => ({ cancel: () => undefined }) };
const NO_TABLE: FieldTable = new Map();

function makeBroker(): Broker {
  return new Broker(CLOCK, (error) => {
    throw error;
  });
}

function addQueue({ registry }: Broker, name: string, table: FieldTable = NO_TABLE): BrokerQueue {
  return registry.addQueue(
    { name, durable: false, autoDelete: false, exclusiveTo: undefined, arguments: table },
    '/',
  );
}

function message(routingKey: string, headers?: FieldTable): BrokerMessage {
  return new BrokerMessage('', routingKey, headers === undefined ? {} : { headers }, Buffer.alloc(0));
}

/** How many steps something takes, and what it comes to. */
function countSteps<T>(steps: Iterator<unknown, T>): { readonly steps: number; readonly value: T } {
  for (let count = 0; ; count += 1) {
    const step = steps.next();
    if (step.done === true) return { steps: count, value: step.value };
  }
}

describe('bindings', () => {
  it('are found by what they are, whatever the order of their arguments', () => {
    const broker = makeBroker();
    const { registry } = broker;
    const queue = addQueue(broker, 'q');
    const source = registry.addExchange(standardExchange('h', 'headers'));
    const tables: FieldTable[] = [
      new Map<string, string | number>([
        ['a', 1],
        ['b', '1'],
      ]),
      new Map<string, string | number>([
        ['b', '1'],
        ['a', 1],
      ]),
      new Map<string, string | number>([
        ['a', '1'],
        ['b', 1],
      ]),
    ];
    const made = tables.map((table) => registry.addBinding(new Binding(source, queue, 'k', table)));
    expect(made[1]).toBe(made[0]);
    expect(made[2]).not.toBe(made[0]);
    expect(registry.bindingsTo(queue)).toHaveLength(2);
  });

  it('of a topic exchange are searched word by word, with many # in their keys as well', () => {
    const broker = makeBroker();
    const { registry } = broker;
    const source = registry.addExchange(standardExchange('t', 'topic'));
    const queues = Array.from({ length: 300 }, (_, n) => {
      const queue = addQueue(broker, `q${n}`);
      const key = `#.a.#.${n % 2 === 0 ? 'a' : '*'}.#.a.#.x${n}.#.#`;
      registry.addBinding(new Binding(source, queue, key, NO_TABLE));
      return queue;
    });
    const letter = message(`${'a.'.repeat(100)}x7.z`);
    expect(broker.route(source, letter)).toBeUndefined();
    const { steps, value } = countSteps(broker.routeInSteps(source, letter));
    expect(value).toEqual([queues[7]]);
    expect(steps).toBeGreaterThan(100);
    expect(steps).toBeLessThan(120);
  });

  it('of a topic exchange may have only so many words behind a #', async () => {
    const broker = makeBroker();
    const { registry, memory } = broker;
    const source = registry.addExchange(standardExchange('t', 'topic'));
    const queue = addQueue(broker, 'q');
    const add = (n: number): Binding =>
      registry.addBinding(new Binding(source, queue, `#.${n}.${'a.'.repeat(98)}a`, NO_TABLE));
    for (let n = 0; n < 200; n += 1) add(n);
    const { entities, topicWords } = memory;
    expect(() => add(200)).toThrow('20000 words behind a #');
    expect([memory.entities, memory.topicWords]).toEqual([entities, topicWords]);
    registry.removeExchange(source);
    await eventually(() => memory.topicWords === 0);
  });

  it('have names and arguments of only so many bytes', () => {
    const broker = makeBroker();
    const table: FieldTable = new Map([['x', 'y'.repeat(10_000_000)]]);
    for (let n = 0; n < 6; n += 1) addQueue(broker, `q${n}`, table);
    expect(() => addQueue(broker, 'q6', table)).toThrow('67108864 bytes already');
    broker.registry.removeQueue(broker.registry.queues.get('q0') as BrokerQueue);
    addQueue(broker, 'q6', table);
  });
});

describe('a queue', () => {
  it('keeps the order of messages that come back, by priority', () => {
    const list = new ReadyList();
    const all = Array.from(
      { length: 300 },
      (_, n) =>
        new Entry(message('q'), {
          position: n,
          priority: (n * 7) % 3,
          expiresAt: undefined,
          returns: undefined,
        }),
    );
    const sorted = [...all].sort((a, b) => (a.comesBefore(b) ? -1 : 1));
    for (const entry of all) list.insert(entry);
    expect([list.values(), list.length]).toEqual([sorted, 300]);
    const random = mulberry32(3);
    let out: Entry[] = [];
    for (let round = 0; round < 50; round += 1) {
      for (let count = random(60); count > 0; count -= 1) {
        const entry = list.shift();
        if (entry !== undefined) out.push(entry);
      }
      // In order, from behind, and anyhow.
      if (round % 3 === 1) out.reverse();
      else if (round % 3 === 2) out.sort(() => random(3) - 1);
      for (const entry of out) {
        entry.isRedelivered = true;
        list.insert(entry);
      }
      out = [];
      expect(list.first).toBe(sorted[0]);
    }
    expect(list.values()).toEqual(sorted);
    expect(Array.from({ length: 300 }, () => list.shift())).toEqual(sorted);
    expect([list.length, list.bytes, list.bodyBytes, list.first]).toEqual([0, 0, 0, undefined]);
  });

  it('asks a consumer that can take no more once, until it is woken', () => {
    const ring = new ConsumerRing<Consumer>();
    let asked = 0;
    const consumers = Array.from({ length: 1000 }, (_, n) => {
      const consumer = {
        isExclusive: false,
        arguments: new Map(),
        free: n === 500 ? 1 : 0,
        canTake: () => {
          asked += 1;
          return consumer.free > 0;
        },
        deliver: () => undefined,
        cancelled: () => undefined,
      };
      ring.add(consumer satisfies Consumer);
      return consumer;
    });
    const taker = consumers[500];
    expect(ring.next(false)).toBe(taker);
    if (taker !== undefined) taker.free = 0;
    for (let count = 0; count < 1000; count += 1) expect(ring.next(false)).toBeUndefined();
    expect(asked).toBeLessThanOrEqual(1001);
    if (taker !== undefined) {
      taker.free = 1;
      ring.wake(taker);
    }
    expect(ring.next(false)).toBe(taker);
  });

  it('of which 5,000 messages are refused at once hands them out again in their order, and others are served', async () => {
    const { url } = await startHost();
    const channel = await openConfirmChannel(url);
    await channel.assertQueue('q');
    for (let n = 0; n < 5000; n += 1) channel.sendToQueue('q', Buffer.from(`${n}`));
    await channel.waitForConfirms();
    const got: GetMessage[] = [];
    const { consumerTag } = await channel.consume('q', (one) => void got.push(one as unknown as GetMessage));
    await eventually(() => got.length === 5000);
    await channel.cancel(consumerTag);
    channel.nackAll(true);
    const other = await openChannel(url);
    await other.checkExchange('amq.direct');
    const again = await collect(channel, 'q');
    await eventually(() => again.length === 5000);
    expect(bodiesOf(again)).toEqual(bodiesOf(got));
    expect(again.every(({ fields }) => fields.redelivered)).toBe(true);
  });

  it('hands out and drops a hundred messages in a step', async () => {
    const broker = makeBroker();
    const queue = addQueue(broker, 'q', new Map([['x-max-length-bytes', 100_000]]));
    for (let n = 0; n < 1000; n += 1) {
      queue.push(new BrokerMessage('', 'q', {}, Buffer.alloc(100)));
    }
    expect(queue.messageCount).toBe(1000);
    queue.push(new BrokerMessage('', 'q', {}, Buffer.alloc(100_000)));
    await eventually(() => queue.messageCount === 1);
    queue.purge();
    expect(broker.memory.bytes).toBe(0);
  });
});

describe('dead letters', () => {
  it('go through a chain of 200 queues and no further, one step each', async () => {
    const broker = makeBroker();
    for (let n = 0; n < 201; n += 1) {
      const next: FieldTable = new Map<string, string | number>([
        ['x-max-length', 0],
        ['x-dead-letter-exchange', ''],
        ['x-dead-letter-routing-key', `q${n + 1}`],
      ]);
      addQueue(broker, `q${n}`, next);
    }
    const last = addQueue(broker, 'q201');
    const push = (name: string): unknown => broker.registry.queues.get(name)?.push(message(name));
    push('q1');
    await eventually(() => last.messageCount === 1);
    push('q0');
    push('q1');
    await eventually(() => last.messageCount === 2);
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    expect(last.messageCount).toBe(2);
  });

  it('of many messages keep their order', async () => {
    const { url } = await startHost();
    const channel = await openConfirmChannel(url);
    await channel.assertQueue('dead');
    await channel.assertQueue('q', { deadLetterExchange: '', deadLetterRoutingKey: 'dead' });
    for (let n = 0; n < 3000; n += 1) channel.sendToQueue('q', Buffer.from(`${n}`));
    await channel.waitForConfirms();
    let got = 0;
    await channel.consume('q', () => void (got += 1));
    await eventually(() => got === 3000);
    channel.nackAll(false);
    const dead = await collect(channel, 'dead');
    await eventually(() => dead.length === 3000);
    expect(bodiesOf(dead)).toEqual(Array.from({ length: 3000 }, (_, n) => `${n}`));
  });
});

describe('one message', () => {
  it('for 200 queues is confirmed when all have it, and those behind it follow', async () => {
    const { url } = await startHost();
    const setup = await openChannel(url);
    await setup.assertExchange('wide', 'fanout');
    const names = Array.from({ length: 200 }, (_, n) => `q${n}`);
    await Promise.all(names.map((name) => setup.assertQueue(name)));
    await Promise.all(names.map((name) => setup.bindQueue(name, 'wide', '')));
    const channel = await openConfirmChannel(url);
    const confirmed: number[] = [];
    for (let n = 0; n < 20; n += 1) {
      channel.publish('wide', '', Buffer.from(`${n}`), {}, () => confirmed.push(n));
    }
    await channel.waitForConfirms();
    expect(confirmed).toEqual(Array.from({ length: 20 }, (_, n) => n));
    for (const name of ['q0', 'q100', 'q199']) {
      const got = await collect(setup, name);
      await eventually(() => got.length === 20);
      expect(bodiesOf(got)).toEqual(Array.from({ length: 20 }, (_, at) => `${at}`));
    }
    await setup.deleteExchange('wide');
    expect((await setup.deleteQueue('q0')).messageCount).toBe(0);
  });

  it('of a transaction comes with all the others', async () => {
    const { url, port } = await startHost();
    const channel = await openChannel(url);
    await channel.assertQueue('q');
    const raw = await RawClient.connect(port);
    const publish = Buffer.concat([
      method(1, 60, 40, `0000${shortString('')}${shortString('q')}00`),
      frame(2, 1, Buffer.from('003c000000000000000000000000', 'hex')),
    ]);
    raw.send(OPENING, method(1, 90, 10), ...Array.from({ length: 2000 }, () => publish));
    // The answer to a declaration comes when all before it has been handled.
    const declare = method(1, 50, 10, `0000${shortString('q')}0100000000`);
    raw.send(declare);
    await raw.until(() => raw.methods.includes('50.11'));
    expect((await channel.checkQueue('q')).messageCount).toBe(0);
    raw.send(method(1, 90, 20));
    await raw.until(() => raw.methods.includes('90.21'));
    expect((await channel.checkQueue('q')).messageCount).toBe(2000);
  });
});

it('a channel has a thousand consumers at most', async () => {
  const { port } = await startHost();
  const raw = await RawClient.connect(port);
  const consume = (n: number): Buffer =>
    method(1, 60, 20, `0000${shortString('q')}${shortString(`c${n}`)}0800000000`);
  raw.send(OPENING, method(1, 50, 10, `0000${shortString('q')}1000000000`));
  raw.send(...Array.from({ length: 1001 }, (_, n) => consume(n)));
  expect(await raw.refusal()).toBe(
    'connection 530 NOT_ALLOWED - reached maximum (1000) of consumers per channel',
  );
});
