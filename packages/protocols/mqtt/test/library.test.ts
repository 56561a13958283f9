import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describePrivateNames, eventually, type PrivateName } from '@backlot/conformance';
import { Aedes, type Client } from 'aedes';
import { generate, parser, type Packet } from 'mqtt-packet';
import { BrokerSide } from '../src/broker/broker-side.js';
import { Emitter } from '../src/broker/emitter.js';
import { Envelope } from '../src/broker/envelope.js';
import { Persistence } from '../src/broker/persistence.js';
import { Retained } from '../src/broker/retained.js';
import { Sessions } from '../src/broker/sessions.js';
import { SharedSubscriptions } from '../src/broker/shared-subscriptions.js';

type Members = Readonly<Record<string, unknown>>;

/** What aedes calls, and what it asks for that is not there. */
const called = new Set<string>();
const missing = new Set<string>();
const order: string[] = [];
/** As long as a timer takes it, also as the multiple that aedes makes of it. */
const NO_HEARTBEAT = 2 ** 28;
/** What aedes calls only where it is there. */
const OPTIONAL = new Set(['cleanIncoming', 'broker', 'then']);

function watch<T extends object>(holder: T, what: string): T {
  return new Proxy(holder, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name, target);
      if (typeof name !== 'string') return found;
      if (found === undefined && !OPTIONAL.has(name)) missing.add(`${what}.${name}`);
      called.add(`${what}.${name}`);
      order.push(name);
      // It has to stay an async function where it is one.
      return typeof found === 'function' && name !== 'setup' ? (found.bind(target) as unknown) : found;
    },
  });
}

const clock = { now: () => 0, setTimeout: () => () => undefined } as never;
const envelope = new Envelope();
const shared = new SharedSubscriptions(() => new Emitter());
const persistence = watch(
  new Persistence(new Retained(envelope, clock), new Sessions(clock, shared, envelope), envelope),
  'persistence',
);
let broker: Aedes;
let client: Client;
const answers: Packet[] = [];

beforeAll(async () => {
  broker = await Aedes.createBroker({
    id: 'test',
    persistence,
    mq: watch(new Emitter(), 'mq'),
    concurrency: 0,
    heartbeatInterval: NO_HEARTBEAT,
    authorizePublish: (_client, _packet, done) => done(null),
  });
  broker.on('subscribe', () => order.push('event "subscribe"'));
  const reading = parser().on('packet', (packet) => answers.push(packet));
  const side = new BrokerSide({ onBytes: (bytes) => reading.parse(bytes), onGone: () => undefined });
  client = broker.handle(side);
  const send = (packet: Packet): void => side.feed(generate(packet));
  send({
    cmd: 'connect',
    protocolId: 'MQTT',
    protocolVersion: 4,
    clean: false,
    clientId: 'c',
    keepalive: 0,
    will: { topic: 'will', payload: Buffer.from('w'), qos: 0, retain: false },
  });
  await eventually(() => has('connack'));
  client.subscribe(
    { cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'a/#', qos: 2, granted: 1 }] } as never,
    () => undefined,
  );
  await eventually(() => has('suback'));
  (broker as unknown as Publishes).publish(
    { cmd: 'publish', topic: 'a/b', payload: Buffer.from('x'), qos: 1, retain: true, dup: false },
    client,
    () => undefined,
  );
  await eventually(() => has('publish'));
  const delivered = answers.find(({ cmd }) => cmd === 'publish');
  send({ cmd: 'puback', messageId: delivered?.messageId ?? 0 });
  client.unsubscribe(
    { cmd: 'unsubscribe', messageId: 2, unsubscriptions: ['a/#'] } as never,
    () => undefined,
  );
  await eventually(() => has('unsuback'));
});

afterAll(() => new Promise<void>((resolve) => broker.close(() => resolve())));

interface Publishes {
  publish(packet: object, client: Client | null, done: (error?: Error) => void): void;
}

function has(cmd: Packet['cmd']): boolean {
  return answers.some((packet) => packet.cmd === cmd);
}

function of(holder: 'persistence' | 'mq', name: string, use: string): PrivateName {
  const file = holder === 'mq' ? 'emitter' : 'persistence';
  return {
    name: `call of ${holder}.${name}`,
    use: `${use}, in src/broker/${file}.ts`,
    type: 'boolean',
    find: () => called.has(`${holder}.${name}`) || undefined,
  };
}

function inBroker(name: string, use: string, find: () => unknown): PrivateName {
  return { name, use: `${use}, in src/broker/broker.ts`, find };
}

describePrivateNames({ name: 'aedes', testUrl: import.meta.url }, [
  inBroker('Aedes.publish(packet, client, done)', 'publishes for a client', () => {
    const { publish } = broker as unknown as Members;
    return (publish as { length: number }).length === 3 ? publish : undefined;
  }),
  inBroker('Client.subscribe of a SUBSCRIBE', 'subscribes, and lets aedes send the SUBACK', () =>
    has('suback') ? client.subscribe : undefined,
  ),
  inBroker('Client.unsubscribe of an UNSUBSCRIBE', 'unsubscribes, and lets aedes send the UNSUBACK', () =>
    has('unsuback') ? client.unsubscribe : undefined,
  ),
  inBroker('event "subscribe", then createRetainedStreamCombi', 'says who gets retained messages', () => {
    const told = order.indexOf('event "subscribe"');
    const asked = order.indexOf('createRetainedStreamCombi');
    return told >= 0 && asked > told ? () => undefined : undefined;
  }),
  of('persistence', 'setup', 'is an async function that opens nothing'),
  of('persistence', 'storeRetained', 'keeps a retained message'),
  of('persistence', 'createRetainedStreamCombi', 'finds retained messages'),
  of('persistence', 'addSubscriptions', 'keeps subscriptions'),
  of('persistence', 'removeSubscriptions', 'forgets subscriptions'),
  of('persistence', 'subscriptionsByClient', 'finds those of a client that is back'),
  of('persistence', 'subscriptionsByTopic', 'finds who wants a message'),
  of('persistence', 'outgoingEnqueueCombi', 'queues a message'),
  of('persistence', 'outgoingUpdate', 'notes that a message was sent'),
  of('persistence', 'outgoingClearMessageId', 'forgets what was acknowledged'),
  of('persistence', 'outgoingStream', 'sends again what a client has not had'),
  of('persistence', 'putWill', 'keeps a will'),
  of('persistence', 'delWill', 'forgets a will'),
  of('mq', 'on', 'listens'),
  of('mq', 'removeListener', 'stops listening'),
  of('mq', 'emit', 'hands a message on'),
]);

describe('aedes', () => {
  it('asks of its storage and of its emitter nothing that ours have not', () => {
    expect([...missing]).toEqual([]);
  });
});
