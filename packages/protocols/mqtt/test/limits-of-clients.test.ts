import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { eventually, itWithTool, runTool, startServer } from '@backlot/conformance';
import mqttClient, { type IClientOptions, type IConnackPacket } from 'mqtt';
import { afterThis, type Client, connect, startHost } from './support.js';

const V5 = { protocolVersion: 5 } as const;

const LIMITS = {
  receive_maximum: 20,
  maximum_packet_size: 2000,
  topic_alias_maximum: 5,
  maximum_qos: 1,
  retain_available: false,
  server_keep_alive: 30,
};
/** The same for mosquitto. */
const MOSQUITTO = [
  'max_inflight_messages 20',
  'max_packet_size 2000',
  'max_topic_alias 5',
  'max_qos 1',
  'retain_available false',
  'max_keepalive 30',
  'allow_anonymous true',
];

async function startMosquitto(): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'mosquitto-'));
  afterThis(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'mosquitto.conf');
  const server = await startServer(
    'mosquitto',
    (port) => {
      writeFileSync(file, `listener ${port} 127.0.0.1\n${MOSQUITTO.join('\n')}\n`);
      return ['-c', file];
    },
    'running',
  );
  afterThis(() => server.stop());
  return server.port;
}

/** The CONNACK of a new connection, and how it ended where it was refused. */
async function connack(port: number, options: IClientOptions): Promise<IConnackPacket> {
  const client = mqttClient.connect(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 0, ...V5, ...options });
  client.on('error', () => undefined);
  afterThis(() => client.endAsync(true));
  return new Promise((resolve) =>
    client.on('packetreceive', (packet) => {
      if (packet.cmd === 'connack') resolve(packet);
    }),
  );
}

/** The reason of the DISCONNECT that follows upon something. */
async function endOf(port: number, act: (client: Client) => void): Promise<number | undefined> {
  const client = await connect(port, V5);
  act(client);
  await eventually(() => client.disconnected !== undefined || !client.mqtt.connected);
  return client.disconnected;
}

/** Sends what the library would not, since it was told that it is not taken. */
function forced(topic: string, qos: 0 | 1 | 2, retain: boolean): (client: Client) => void {
  return ({ mqtt }) =>
    void mqtt.stream.write(
      Buffer.concat([
        Buffer.from([0x30 | (qos << 1) | (retain ? 1 : 0), 2 + topic.length + (qos > 0 ? 2 : 0) + 2]),
        Buffer.from([0, topic.length]),
        Buffer.from(topic),
        Buffer.from(qos > 0 ? [0, 9] : []),
        Buffer.from([0, 0x78]),
      ]),
    );
}

/** What a client finds of limits. */
async function find(port: number): Promise<unknown> {
  const { reasonCode, properties } = await connack(port, { keepalive: 60 });
  const refusedWill = await connack(port, {
    will: { topic: 'w', payload: Buffer.from('x'), qos: 2, retain: false },
  });
  const retainedWill = await connack(port, {
    will: { topic: 'w', payload: Buffer.from('x'), qos: 0, retain: true },
  });
  const client = await connect(port, V5);
  const grants = await client.mqtt.subscribeAsync({ a: { qos: 2 }, b: { qos: 0 } });
  const large = await endOf(port, ({ mqtt }) => void mqtt.publish('a', 'x'.repeat(3000)));
  return {
    reasonCode,
    properties,
    wills: [refusedWill.reasonCode, retainedWill.reasonCode],
    grants: grants.map(({ topic, qos }) => [topic, qos]),
    ends: [await endOf(port, forced('a', 2, false)), await endOf(port, forced('a', 0, true)), large],
  };
}

describe('limits of MQTT 5 clients', () => {
  itWithTool('mosquitto', 'are told and kept as mosquitto does', async () => {
    const { port } = await startHost({ limits: LIMITS });
    const ours = await find(port);
    expect(ours).toMatchObject({
      reasonCode: 0,
      properties: {
        receiveMaximum: 20,
        maximumPacketSize: 2000,
        topicAliasMaximum: 5,
        maximumQoS: 1,
        retainAvailable: false,
        serverKeepAlive: 30,
      },
    });
    expect(ours).toEqual(await find(await startMosquitto()));
  });

  it('leave out what is not there: wildcards, groups, identifiers, long sessions', async () => {
    const { port } = await startHost({
      limits: {
        wildcard_subscription_available: false,
        shared_subscription_available: false,
        subscription_identifiers_available: false,
        session_expiry_maximum: 60,
        topic_alias_maximum: 0,
        receive_maximum: 1,
      },
    });
    const { properties } = await connack(port, { properties: { sessionExpiryInterval: 3600 } });
    expect(properties).toEqual({
      receiveMaximum: 1,
      maximumPacketSize: 10_485_760,
      topicAliasMaximum: 0,
      wildcardSubscriptionAvailable: false,
      sharedSubscriptionAvailable: false,
      subscriptionIdentifiersAvailable: false,
      sessionExpiryInterval: 60,
    });
    const subscribing =
      (topic: string, identifier?: number): ((client: Client) => void) =>
      ({ mqtt }) =>
        void mqtt.subscribe(
          topic,
          {
            qos: 0,
            ...(identifier === undefined ? {} : { properties: { subscriptionIdentifier: identifier } }),
          },
          () => undefined,
        );
    expect(await endOf(port, subscribing('a/#'))).toBe(0xa2);
    expect(await endOf(port, subscribing('$share/g/a'))).toBe(0x9e);
    expect(await endOf(port, subscribing('a', 7))).toBe(0xa1);
    // Two of QoS 2 at once, of which none is released.
    expect(
      await endOf(port, (client) => {
        const packet = (id: number): Buffer => Buffer.from([0x34, 6, 0, 1, 0x61, 0, id, 0]);
        client.mqtt.stream.write(Buffer.concat([packet(1), packet(2)]));
      }),
    ).toBe(0x93);
  });

  it('end a session when they say, and are not for clients that cannot be told', async () => {
    const { port, host } = await startHost({ limits: { session_expiry_maximum: 60, maximum_qos: 0 } });
    host.clock.freeze(true);
    const kept = { ...V5, clientId: 'k', clean: false, properties: { sessionExpiryInterval: 3600 } };
    const client = await connect(port, kept);
    await client.mqtt.subscribeAsync('a');
    await client.mqtt.endAsync();
    await eventually(() => host.kind('mqtt').connections.list().length === 0);
    await host.clock.advance(59_000);
    const back = await connack(port, kept);
    expect(back.sessionPresent).toBe(true);
    const old = await connect(port);
    await old.mqtt.subscribeAsync('b', { qos: 2 });
    await old.mqtt.publishAsync('b', 'x', { qos: 2, retain: true });
    await old.receives(1);
    expect(old.received[0]?.packet.qos).toBe(2);
  });

  itWithTool('mosquitto_pub', 'are respected by mosquitto_pub', async () => {
    const { port, host } = await startHost({ limits: { receive_maximum: 2, maximum_qos: 1 } });
    const common = ['-h', '127.0.0.1', '-p', String(port), '-V', '5', '-t', 'a'];
    const sent = await runTool('mosquitto_pub', [...common, '-q', '1', '-m', 'x', '--repeat', '20']);
    expect(sent.code).toBe(0);
    expect(host.kind('mqtt').captures?.values()).toHaveLength(20);
    const refused = await runTool('mosquitto_pub', [...common, '-q', '2', '-m', 'x']);
    expect(refused.err).toContain('Message QoS not supported on broker');
    expect(host.kind('mqtt').captures?.values()).toHaveLength(20);
  });
});

describe('topic aliases towards clients', () => {
  it('stand for topics that a client has been told, as many as it takes', async () => {
    const { port } = await startHost();
    const client = await connect(port, { ...V5, properties: { topicAliasMaximum: 2 } });
    const plain = await connect(port, V5);
    const seen: unknown[] = [];
    client.mqtt.on('packetreceive', (packet) => {
      if (packet.cmd === 'publish') seen.push([packet.topic, packet.properties?.topicAlias]);
    });
    for (const each of [client, plain]) await each.mqtt.subscribeAsync('#', { qos: 1 });
    const sender = await connect(port);
    for (const topic of ['long/one', 'long/two', 'long/one', 'long/three', 'abc', 'long/two'])
      await sender.mqtt.publishAsync(topic, `of ${topic}`, { qos: 1 });
    await client.receives(6);
    await plain.receives(6);
    // Before the library has put the topics in: what stands for a topic has none.
    expect(client.texts).toEqual(plain.texts);
    expect(client.received.map(({ packet }) => packet.properties?.topicAlias)).toEqual([
      1,
      2,
      1,
      undefined,
      undefined,
      2,
    ]);
    expect(plain.received.every(({ packet }) => packet.properties?.topicAlias === undefined)).toBe(true);
    expect(seen).toHaveLength(6);
  });

  it('begin anew with a connection, also for messages that were kept', async () => {
    const { port } = await startHost();
    const options = {
      ...V5,
      clientId: 'k',
      clean: false,
      properties: { topicAliasMaximum: 10, sessionExpiryInterval: 600 },
    };
    const sender = await connect(port);
    for (const round of [1, 2]) {
      const client = await connect(port, options);
      if (round === 1) await client.mqtt.subscribeAsync('a/topic', { qos: 1 });
      await sender.mqtt.publishAsync('a/topic', 'now', { qos: 1 });
      await client.receives(round);
      expect(client.texts.at(-1)).toBe('a/topic now');
      expect(client.received[0]?.packet.properties?.topicAlias).toBe(1);
      await client.mqtt.endAsync();
      await sender.mqtt.publishAsync('a/topic', 'kept', { qos: 1 });
    }
  });
});
