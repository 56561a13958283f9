import { describe, expect, it } from '@jest/globals';
import { eventually, itWithTool, runTool } from '@backlot/conformance';
import mqttClient from 'mqtt';
import { connect, startHost, type Client, type Received } from './support.js';

const V5 = { protocolVersion: 5 } as const;
const KEPT = { ...V5, clean: false, properties: { sessionExpiryInterval: 600 } } as const;

function identifiersOf({ packet }: Received): readonly number[] {
  const { subscriptionIdentifier: found } = packet.properties ?? {};
  return found === undefined ? [] : [found].flat();
}

describe('subscription identifiers', () => {
  it('come with every message, those of all subscriptions that take it, and with retained ones', async () => {
    const { port } = await startHost();
    const [client, sender] = [await connect(port, V5), await connect(port)];
    await sender.mqtt.publishAsync('a/kept', 'x', { retain: true, qos: 1 });
    await client.mqtt.subscribeAsync('a/+', { qos: 0, properties: { subscriptionIdentifier: 7 } });
    await client.receives(1);
    await client.mqtt.subscribeAsync('a/1', { qos: 2, properties: { subscriptionIdentifier: 268_435_455 } });
    await client.mqtt.subscribeAsync('b', { qos: 1 });
    for (const topic of ['a/1', 'a/2', 'b']) await sender.mqtt.publishAsync(topic, 'x', { qos: 2 });
    await client.receives(4);
    expect(
      client.received.map((each) => [each.topic, each.packet.qos, [...identifiersOf(each)].sort()]),
    ).toEqual([
      ['a/kept', 0, [7]],
      ['a/1', 2, [268_435_455, 7]],
      ['a/2', 0, [7]],
      ['b', 1, []],
    ]);
    // The same filter again takes the place of the first one, with what it says.
    await client.mqtt.subscribeAsync('a/+', { qos: 1, rh: 2 });
    await sender.mqtt.publishAsync('a/2', 'x', { qos: 2 });
    await client.receives(5);
    expect([client.received[4]?.packet.qos, identifiersOf(client.received[4] as Received)]).toEqual([1, []]);
  });

  it('outlive a connection, and come with messages that were kept', async () => {
    const { port } = await startHost();
    const options = { ...KEPT, clientId: 'sleeper' };
    const sender = await connect(port);
    let client: Client = await connect(port, options);
    await client.mqtt.subscribeAsync('a', { qos: 1, properties: { subscriptionIdentifier: 3 } });
    await client.mqtt.endAsync();
    await sender.mqtt.publishAsync('a', 'kept', { qos: 1 });
    client = await connect(port, options);
    await client.receives(1);
    await sender.mqtt.publishAsync('a', 'now', { qos: 1 });
    await client.receives(2);
    expect(client.received.map(identifiersOf)).toEqual([[3], [3]]);
  });

  itWithTool('mosquitto_sub', 'reach mosquitto_sub', async () => {
    const { host, port } = await startHost();
    const common = ['-h', '127.0.0.1', '-p', String(port), '-V', '5'];
    const asking = ['-t', 'a', '-C', '1', '-D', 'subscribe', 'subscription-identifier', '9'];
    const watching = runTool('mosquitto_sub', [...common, ...asking, '-F', '%S %p', '-W', '10']);
    await eventually(() => host.journal.list().some(({ method }) => method === 'SUBSCRIBE'));
    await runTool('mosquitto_pub', [...common, '-t', 'a', '-m', 'm']);
    expect((await watching).out).toBe('9 m\n');
  });

  it('of 0 end the connection', async () => {
    const { port } = await startHost();
    const client = await connect(port, V5);
    client.mqtt.subscribe('a', { qos: 0, properties: { subscriptionIdentifier: 0 } }, () => undefined);
    await eventually(() => client.disconnected !== undefined);
    expect(client.disconnected).toBe(0x82);
  });
});

describe('a message that expires', () => {
  const properties = { messageExpiryInterval: 60 };

  it('counts down while it is retained, and is gone then', async () => {
    const { host, port } = await startHost();
    const [client, sender] = [await connect(port, V5), await connect(port, V5)];
    await sender.mqtt.publishAsync('a', 'x', { qos: 1, retain: true, properties });
    await host.clock.advance(20_000);
    await client.mqtt.subscribeAsync('a');
    await client.receives(1);
    const left = client.received[0]?.packet.properties?.messageExpiryInterval ?? 0;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(40);
    await host.clock.advance(41_000);
    const [late, old] = [await connect(port, V5), await connect(port)];
    for (const each of [late, old]) await each.mqtt.subscribeAsync(['a', 'end']);
    await sender.mqtt.publishAsync('end', '', { qos: 1 });
    expect([await late.receives(1), await old.receives(1)]).toEqual([['end '], ['end ']]);
  });

  it.each([
    ['of a client of MQTT 5', KEPT],
    ['of a client of MQTT 3.1.1', { clean: false }],
  ] as const)('is not given to a session that wakes too late: %s', async (_name, more) => {
    const { host, port } = await startHost();
    const sender = await connect(port, V5);
    let client: Client = await connect(port, { ...more, clientId: 'sleeper' });
    await client.mqtt.subscribeAsync('a', { qos: 2 });
    await client.mqtt.endAsync();
    for (const qos of [1, 2] as const) await sender.mqtt.publishAsync('a', 'short', { qos, properties });
    await sender.mqtt.publishAsync('a', 'long', { qos: 2 });
    await host.clock.advance(61_000);
    client = await connect(port, { ...more, clientId: 'sleeper' });
    expect(await client.receives(1)).toEqual(['a long']);
    await sender.mqtt.publishAsync('a', 'end', { qos: 2 });
    expect(await client.receives(2)).toEqual(['a long', 'a end']);
    await client.mqtt.endAsync();
    client = await connect(port, { ...more, clientId: 'sleeper' });
    await sender.mqtt.publishAsync('a', 'again', { qos: 2 });
    expect(await client.receives(1)).toEqual(['a again']);
  });

  it('makes room in a session that is full', async () => {
    const { host, port } = await startHost();
    const sender = await connect(port, V5);
    let client: Client = await connect(port, { ...KEPT, clientId: 'sleeper' });
    await client.mqtt.subscribeAsync('a', { qos: 1 });
    await client.mqtt.endAsync();
    await Promise.all(
      Array.from({ length: 1000 }, () => sender.mqtt.publishAsync('a', 'x', { qos: 1, properties })),
    );
    await host.clock.advance(61_000);
    await sender.mqtt.publishAsync('a', 'last', { qos: 1 });
    client = await connect(port, { ...KEPT, clientId: 'sleeper' });
    expect(await client.receives(1)).toEqual(['a last']);
  });
});

describe('options of a subscription', () => {
  it('No Local holds for messages that are kept for the session too', async () => {
    const { port } = await startHost();
    const [sender, probe] = [await connect(port), await connect(port, V5)];
    const options = { ...KEPT, clientId: 'own' };
    let client: Client = await connect(port, options);
    await client.mqtt.subscribeAsync({ a: { qos: 1, nl: true }, b: { qos: 1 } });
    await client.mqtt.publishAsync('a', 'own', { qos: 1 });
    await client.mqtt.publishAsync('b', 'own', { qos: 1 });
    await sender.mqtt.publishAsync('a', 'other', { qos: 1 });
    expect(await client.receives(2)).toEqual(['b own', 'a other']);
    await client.mqtt.endAsync();
    client = await connect(port, options);
    await probe.mqtt.publishAsync('a', 'end', { qos: 1 });
    expect(await client.receives(1)).toEqual(['a end']);
  });

  it('Retain As Published holds for messages that are kept, which are acknowledged as any', async () => {
    const { port } = await startHost();
    const sender = await connect(port);
    const options = { ...KEPT, clientId: 'sleeper' };
    let client: Client = await connect(port, options);
    await client.mqtt.subscribeAsync({ a: { qos: 1, rap: true }, b: { qos: 1 } });
    await client.mqtt.endAsync();
    for (const topic of ['a', 'b']) {
      await sender.mqtt.publishAsync(topic, 'flag', { qos: 1, retain: true });
      await sender.mqtt.publishAsync(topic, 'none', { qos: 1 });
    }
    client = await connect(port, options);
    await client.receives(4);
    await sender.mqtt.publishAsync('a', 'now', { qos: 1, retain: true });
    await client.receives(5);
    expect(client.received.map(({ topic, packet }) => [topic, packet.retain])).toEqual([
      ['a', true],
      ['a', false],
      ['b', false],
      ['b', false],
      ['a', true],
    ]);
    await client.mqtt.endAsync();
    client = await connect(port, options);
    await sender.mqtt.publishAsync('b', 'end', { qos: 1 });
    expect(await client.receives(1)).toEqual(['b end']);
  });

  it.each([
    [0, 2],
    [1, 1],
    [2, 0],
  ] as const)(
    'Retain Handling %i sends what is retained %i times for two subscriptions',
    async (rh, count) => {
      const { port } = await startHost();
      const client = await connect(port, V5);
      await client.mqtt.publishAsync('a', 'kept', { qos: 1, retain: true });
      for (let n = 0; n < 2; n += 1) await client.mqtt.subscribeAsync('a', { qos: 1, rh });
      await client.mqtt.publishAsync('a', 'end', { qos: 1 });
      await eventually(() => client.texts.includes('a end'));
      expect(client.texts.filter((text) => text === 'a kept')).toHaveLength(count);
    },
  );
});

describe('mosquitto_sub', () => {
  itWithTool('mosquitto_sub', 'gets the retain flag where it asks for it', async () => {
    const { host, port } = await startHost();
    const common = ['-h', '127.0.0.1', '-p', String(port), '-V', '5', '-t', 'a'];
    const asking = ['-C', '1', '--retain-as-published', '-F', '%r %p', '-W', '10'];
    const watching = runTool('mosquitto_sub', [...common, ...asking]);
    await eventually(() => host.journal.list().some(({ method }) => method === 'SUBSCRIBE'));
    await runTool('mosquitto_pub', [...common, '-m', 'new', '-r']);
    expect((await watching).out).toBe('1 new\n');
  });
});

describe('shared subscriptions', () => {
  it('are kept by a session: its messages wait while nobody of the group is there', async () => {
    const { port } = await startHost();
    const sender = await connect(port);
    const options = { ...KEPT, clientId: 'worker' };
    let worker: Client = await connect(port, options);
    await worker.mqtt.subscribeAsync('$share/g/jobs/+', {
      qos: 1,
      properties: { subscriptionIdentifier: 4 },
    });
    await worker.mqtt.endAsync();
    const other = await connect(port, V5);
    await other.mqtt.subscribeAsync('$share/g/jobs/+', { qos: 1 });
    await sender.mqtt.publishAsync('jobs/1', 'for the other', { qos: 1 });
    await other.receives(1);
    await other.mqtt.endAsync();
    await sender.mqtt.publishAsync('jobs/2', 'kept', { qos: 1 });
    await sender.mqtt.publishAsync('jobs/3', 'not kept', { qos: 0 });
    await sender.mqtt.publishAsync('jobs/4', 'kept', { qos: 2 });
    worker = await connect(port, options);
    expect(await worker.receives(2)).toEqual(['jobs/2 kept', 'jobs/4 kept']);
    await sender.mqtt.publishAsync('jobs/5', 'now', { qos: 1 });
    expect(await worker.receives(3)).toEqual(['jobs/2 kept', 'jobs/4 kept', 'jobs/5 now']);
    expect(worker.received.map(identifiersOf)).toEqual([[4], [4], [4]]);
    await worker.mqtt.unsubscribeAsync('$share/g/jobs/+');
    await worker.mqtt.endAsync();
    await sender.mqtt.publishAsync('jobs/6', 'for nobody', { qos: 1 });
    worker = await connect(port, options);
    await worker.mqtt.subscribeAsync('end');
    await sender.mqtt.publishAsync('end', '', { qos: 1 });
    expect(await worker.receives(1)).toEqual(['end ']);
  });

  it('survive a takeover, and end with the session', async () => {
    const { host, port } = await startHost();
    const sender = await connect(port);
    const options = { ...KEPT, clientId: 'worker' };
    const first = await connect(port, options);
    await first.mqtt.subscribeAsync('$share/g/a', { qos: 1 });
    const second = await connect(port, options);
    await eventually(() => !first.mqtt.connected);
    for (let n = 0; n < 3; n += 1) await sender.mqtt.publishAsync('a', `${n}`, { qos: 1 });
    expect(await second.receives(3)).toEqual(['a 0', 'a 1', 'a 2']);
    await second.mqtt.endAsync();
    await host.clock.advance(601_000);
    await sender.mqtt.publishAsync('a', 'late', { qos: 1 });
    const third = await connect(port, options);
    await third.mqtt.subscribeAsync('a', { qos: 1 });
    await sender.mqtt.publishAsync('a', 'end', { qos: 1 });
    expect(await third.receives(1)).toEqual(['a end']);
  });

  it('are in snapshots', async () => {
    const { host, port } = await startHost();
    const sender = await connect(port);
    const options = { ...KEPT, clientId: 'worker' };
    let worker: Client = await connect(port, options);
    await worker.mqtt.subscribeAsync('$share/g/a', { qos: 1 });
    await worker.mqtt.endAsync();
    const { id } = host.snapshots.create();
    host.reset();
    await sender.mqtt.publishAsync('a', 'for nobody', { qos: 1 });
    host.snapshots.restore(id);
    await sender.mqtt.publishAsync('a', 'kept', { qos: 1 });
    worker = await connect(port, options);
    expect(await worker.receives(1)).toEqual(['a kept']);
  });
});

describe('enhanced authentication', () => {
  it('is refused as a method that is not known, before a name and a password are looked at', async () => {
    const { port } = await startHost();
    const refused = mqttClient.connectAsync(`mqtt://127.0.0.1:${port}`, {
      ...V5,
      reconnectPeriod: 0,
      username: 'ann',
      properties: { authenticationMethod: 'SCRAM-SHA-1', authenticationData: Buffer.from('n,,n=ann') },
    });
    await expect(refused).rejects.toMatchObject({ code: 0x8c });
    const { mqtt } = await connect(port, V5);
    expect(mqtt.connected).toBe(true);
  });
});
