import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from '@jest/globals';
import { itWithTool, startServer } from '@backlot/conformance';
import mqttClient from 'mqtt';
import mqttPacket, { type Packet } from 'mqtt-packet';
import { afterThis, connect, startHost, type Received } from './support.js';

const V5 = { protocolVersion: 5 } as const;

/** Starts mosquitto on a free port; it is stopped after the test. */
async function startMosquitto(): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'mosquitto-'));
  afterThis(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'mosquitto.conf');
  const server = await startServer(
    'mosquitto',
    (port) => {
      writeFileSync(file, `listener ${port} 127.0.0.1\nallow_anonymous true\n`);
      return ['-v', '-c', file];
    },
    'running',
  );
  afterThis(() => server.stop());
  return server.port;
}

function identifiersOf({ packet }: Received): readonly number[] {
  return [packet.properties?.subscriptionIdentifier ?? []].flat().toSorted((a, b) => a - b);
}

/** A message with what came beside it. How long it still lasts of its minute goes by the clock, so that only its bounds are told. */
function shown({ topic, payload, packet }: Received): unknown {
  const {
    subscriptionIdentifier: _,
    messageExpiryInterval: left,
    topicAlias: __,
    ...properties
  } = packet.properties ?? {};
  return [
    topic,
    payload,
    packet.qos,
    packet.retain,
    { ...properties },
    left === undefined ? 'for ever' : left > 0 && left <= 60,
  ];
}

const names = (prefix: string) => (name: string) => `${prefix}/${name}`;

async function identifiers(port: number): Promise<unknown> {
  const topic = names('ids');
  const [client, sender] = [await connect(port, V5), await connect(port, V5)];
  await sender.mqtt.publishAsync(topic('kept'), 'x', { retain: true, qos: 1 });
  await client.mqtt.subscribeAsync(topic('+'), { qos: 0, properties: { subscriptionIdentifier: 7 } });
  await client.receives(1);
  await client.mqtt.subscribeAsync(topic('deep/#'), {
    qos: 2,
    properties: { subscriptionIdentifier: 268_435_455 },
  });
  await client.mqtt.subscribeAsync(topic('none/x'), { qos: 1 });
  for (const name of ['1', 'deep/1', 'none/x']) await sender.mqtt.publishAsync(topic(name), 'x', { qos: 2 });
  await client.receives(4);
  // Messages of different qualities may overtake each other.
  return client.received
    .map((each) => [shown(each), identifiersOf(each)])
    .toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
}

/** The will of a client that is lost comes when its delay is over, with its properties; that of one which says so at once. */
async function wills(port: number): Promise<unknown> {
  const topic = names('wills');
  const watcher = await connect(port, V5);
  await watcher.mqtt.subscribeAsync(topic('#'), { qos: 1 });
  const willed = (name: string, willDelayInterval: number, sessionExpiryInterval: number) =>
    connect(port, {
      ...V5,
      clientId: `will-${name}`,
      properties: { sessionExpiryInterval },
      will: {
        topic: topic(name),
        payload: Buffer.from('gone'),
        qos: 1,
        retain: false,
        properties: {
          willDelayInterval,
          contentType: 'text/plain',
          userProperties: { a: 'b' },
          messageExpiryInterval: 60,
        },
      },
    });
  const [now, later, quiet] = await Promise.all([
    willed('now', 0, 60),
    willed('later', 1, 60),
    willed('quiet', 0, 0),
  ]);
  await quiet.mqtt.endAsync();
  now.mqtt.stream.destroy();
  await watcher.receives(1);
  later.mqtt.stream.destroy();
  await watcher.receives(2);
  const said = await willed('said', 0, 0);
  await said.mqtt.endAsync(false, { reasonCode: 4 });
  await watcher.receives(3);
  return watcher.received.map(shown);
}

async function expiry(port: number): Promise<unknown> {
  const topic = names('expiry');
  const sender = await connect(port, V5);
  const options = { ...V5, clean: false, clientId: 'sleeper', properties: { sessionExpiryInterval: 600 } };
  const first = await connect(port, options);
  await first.mqtt.subscribeAsync(topic('queued'), { qos: 1 });
  await first.mqtt.endAsync();
  const properties = { messageExpiryInterval: 60 };
  await sender.mqtt.publishAsync(topic('queued'), 'waits', { qos: 1, properties });
  await sender.mqtt.publishAsync(topic('queued'), 'stays', { qos: 1 });
  await sender.mqtt.publishAsync(topic('kept'), 'retained', { qos: 1, retain: true, properties });
  const again = await connect(port, options);
  await again.receives(2);
  await again.mqtt.subscribeAsync(topic('kept'), { qos: 1 });
  await again.receives(3);
  return again.received.map(shown);
}

/** A topic that is told once, and meant by its number from then on. */
async function aliases(port: number): Promise<unknown> {
  const topic = names('aliases');
  const watcher = await connect(port, V5);
  await watcher.mqtt.subscribeAsync(topic('#'), { qos: 1 });
  const sender = await connect(port, V5);
  const send = (name: string, alias: number): Promise<unknown> =>
    sender.mqtt.publishAsync(name, String(alias), { qos: 1, properties: { topicAlias: alias } });
  await send(topic('one'), 1);
  await send('', 1);
  await send(topic('two'), 2);
  await send(topic('three'), 1);
  await send('', 1);
  await send('', 2);
  await watcher.receives(6);
  return watcher.received.map(shown);
}

async function requests(port: number): Promise<unknown> {
  const topic = names('rpc');
  const [server, client] = [await connect(port, V5), await connect(port, V5)];
  await server.mqtt.subscribeAsync(topic('ask'), { qos: 1 });
  await client.mqtt.subscribeAsync(topic('answers'), { qos: 1 });
  await client.mqtt.publishAsync(topic('ask'), 'how much', {
    qos: 1,
    properties: {
      responseTopic: topic('answers'),
      correlationData: Buffer.from([0, 255]),
      contentType: 'text/plain',
      payloadFormatIndicator: true,
      userProperties: { trace: ['1', '2'], other: 'x' },
    },
  });
  await server.receives(1);
  const { responseTopic = '', correlationData } = server.received[0]?.packet.properties ?? {};
  await server.mqtt.publishAsync(responseTopic, '5', {
    qos: 1,
    properties: correlationData === undefined ? {} : { correlationData },
  });
  await client.receives(1);
  return [...server.received, ...client.received].map(shown);
}

/** Each message of a shared subscription goes to one of its members, and to one who subscribed by himself as well. */
async function shared(port: number): Promise<unknown> {
  const topic = names('shared');
  const members = [await connect(port, V5), await connect(port, V5)];
  const [alone, sender] = [await connect(port, V5), await connect(port, V5)];
  for (const member of members) await member.mqtt.subscribeAsync(`$share/g/${topic('#')}`, { qos: 1 });
  await alone.mqtt.subscribeAsync(topic('#'), { qos: 1 });
  for (let n = 0; n < 10; n += 1) await sender.mqtt.publishAsync(topic('t'), String(n), { qos: 1 });
  await alone.receives(10);
  const parts = (): readonly string[] => members.flatMap((member) => member.texts).toSorted();
  await members[0]?.mqtt.publishAsync(topic('end'), 'end', { qos: 1 });
  while (parts().length < 11) await members[0]?.mqtt.subscribeAsync(topic('none'), { qos: 0 });
  // No Retain for shared subscriptions, and no message twice.
  return [parts(), alone.texts, members.map(({ received }) => received.length > 0)];
}

/** What may be in an answer. */
interface Answer {
  readonly cmd: string;
  readonly returnCode?: number;
  readonly reasonCode?: number;
  readonly granted?: readonly number[];
}

/** Nothing is answered as late as this, in milliseconds. */
const NEVER = 60_000;

/**
 * What a broker answers to packets, until all are answered or it ends the connection; in no order.
 *
 * @throws Error with what has come when neither happens
 */
function converse(port: number, packets: readonly Packet[], hex = ''): Promise<readonly unknown[]> {
  const got: unknown[] = [];
  let open = packets.filter(({ cmd }) => cmd !== 'connect').length;
  const parser = mqttPacket.parser({ protocolVersion: 5 });
  parser.on('packet', (packet) => {
    const { cmd, reasonCode, returnCode, granted } = packet as Answer;
    got.push([cmd, reasonCode ?? returnCode ?? 0, ...(granted ?? [])].join(' '));
    if (cmd !== 'connack' && cmd !== 'publish') open -= 1;
    if (open === 0 && hex === '') socket.end();
  });
  const socket = net.connect(port, '127.0.0.1');
  afterThis(() => socket.destroy());
  socket.on('data', (bytes) => void parser.parse(bytes));
  for (const packet of packets) socket.write(mqttPacket.generate(packet, { protocolVersion: 5 }));
  socket.write(Buffer.from(hex, 'hex'));
  return new Promise((resolve, reject) => {
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(got.toSorted()));
    socket.setTimeout(NEVER, () => {
      const asked = packets.map(({ cmd }) => cmd).join(', ');
      reject(new Error(`${asked} ${hex}: neither answered nor closed, after ${JSON.stringify(got)}`));
      socket.destroy();
    });
  });
}

let made = 0;
const hello = (more: object = {}): Packet => ({
  cmd: 'connect',
  protocolId: 'MQTT',
  protocolVersion: 5,
  clean: true,
  clientId: `raw-${(made += 1)}`,
  keepalive: 0,
  ...more,
});
const subscribe = (topic: string, more: object = {}): Packet => ({
  cmd: 'subscribe',
  messageId: 1,
  subscriptions: [{ topic, qos: 1, nl: false, rap: false, rh: 0, ...more }],
});
const publish = (topic: string, more: object = {}): Packet => ({
  cmd: 'publish',
  topic,
  payload: 'x',
  qos: 1,
  messageId: 2,
  dup: false,
  retain: false,
  ...more,
});

/** Conversations of which the reason codes are compared, side by side: each has topics of its own. */
const CODES: Readonly<Record<string, readonly Packet[]>> = {
  'a client without a name': [hello({ clientId: '' })],
  'an authentication method': [hello({ properties: { authenticationMethod: 'SCRAM-SHA-1' } })],
  'a method and a password': [
    hello({
      username: 'a',
      password: Buffer.from('b'),
      properties: { authenticationMethod: 'X', authenticationData: Buffer.from('d') },
    }),
  ],
  'granted qualities': [
    hello(),
    subscribe('granted/a', { qos: 2 }),
    { ...subscribe('granted/b', { qos: 0 }), messageId: 4 },
  ],
  'unsubscribed from what was not subscribed': [
    hello(),
    { cmd: 'unsubscribe', messageId: 3, unsubscriptions: ['none/a'] },
  ],
  'published to nobody': [hello(), publish('nobody/a')],
  'published to nobody twice as sure': [
    hello(),
    publish('nobody/b', { qos: 2 }),
    { cmd: 'pubrel', messageId: 2 },
  ],
  'published to somebody': [hello(), subscribe('somebody/a', { qos: 0 }), publish('somebody/a')],
  'released what was not there': [hello(), { cmd: 'pubrel', messageId: 9 }],
  'an alias that was not told': [hello(), publish('', { properties: { topicAlias: 1 } })],
  'an alias beyond the most': [hello(), publish('beyond/a', { properties: { topicAlias: 60_000 } })],
  'a second CONNECT': [hello(), hello()],
  'No Local for a group': [hello(), subscribe('$share/g/local/a', { nl: true })],
  'a group without a topic': [hello(), subscribe('$share/g')],
};
/** The same as bytes, for what the library refuses to write; each ends the connection. */
const BYTES: Readonly<Record<string, string>> = {
  'published to a topic with a wildcard': '32080003612f2300050078',
  'an identifier of 0': '82090001020b0000016101',
  'packets that there are not': '0000',
  'quality 3': '36070001610001 0078'.replace(' ', ''),
};
/** Where mosquitto may answer something else: what is answered here, which is what MQTT 5 says. */
const WANTED: Readonly<Record<string, readonly string[]>> = {
  // Section 3.4.2.1: 16, no matching subscribers, may be told in place of 0.
  'published to nobody': ['connack 0', 'puback 0'],
  // Section 3.7.2.1: 146, packet identifier not found.
  'released what was not there': ['connack 0', 'pubcomp 146'],
  // Section 4.13.1: why a connection ends is told as it does.
  'a second CONNECT': ['connack 0', 'disconnect 130'],
  // Section 3.8.3.1: a protocol error.
  'No Local for a group': ['connack 0', 'disconnect 130'],
  // Section 4.8.2: such a filter is not valid.
  'a group without a topic': ['connack 0', 'suback 0 143'],
  // Section 3.3.2.1: 144, topic name invalid, says more than a protocol error.
  'published to a topic with a wildcard': ['connack 0', 'disconnect 144'],
  // Section 3.8.2.1.2: a protocol error, and no malformed packet.
  'an identifier of 0': ['connack 0', 'disconnect 130'],
};

async function compareCodes(ours: number, theirs: number): Promise<void> {
  const conversations = [
    ...Object.entries(CODES).map(([name, packets]) => ({ name, packets, hex: '' })),
    ...Object.entries(BYTES).map(([name, hex]) => ({ name, packets: [hello()], hex })),
  ];
  await Promise.all(
    conversations.map(async ({ name, packets, hex }) => {
      const [own, wanted] = await Promise.all([
        converse(ours, packets, hex),
        WANTED[name] ?? converse(theirs, packets, hex),
      ]);
      expect([name, own]).toEqual([name, wanted]);
    }),
  );
}

/** Who takes the name of another, and what is left of a session. */
async function sessions(port: number): Promise<unknown> {
  const options = { ...V5, clean: false, clientId: 'taken', properties: { sessionExpiryInterval: 60 } };
  const first = await connect(port, options);
  await first.mqtt.subscribeAsync('sessions/a', { qos: 1 });
  const left = new Promise<void>((resolve) => first.mqtt.once('close', () => resolve()));
  const second = mqttClient.connect(`mqtt://127.0.0.1:${port}`, { ...options, reconnectPeriod: 0 });
  afterThis(() => second.endAsync(true));
  const present = await new Promise((resolve) =>
    second.once('connect', ({ sessionPresent }) => resolve(sessionPresent)),
  );
  await left;
  return present;
}

itWithTool(
  'mosquitto',
  'mqtt.js gets the same as from mosquitto',
  async () => {
    const [{ port: ours }, theirs] = await Promise.all([startHost(), startMosquitto()]);
    // Each has topics and names of clients of its own.
    await Promise.all([
      ...[identifiers, wills, expiry, aliases, requests, shared, sessions].map(async (calls) => {
        const [own, real] = await Promise.all([calls(ours), calls(theirs)]);
        expect(own).toEqual(real);
      }),
      compareCodes(ours, theirs),
    ]);
  },
  2 * NEVER,
);
