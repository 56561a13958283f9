import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import type { IClientOptions } from 'mqtt';
import { connect, startHost, type Client } from './support.js';

const versions: readonly (readonly [string, IClientOptions, 'mqtt' | 'ws'])[] = [
  ['3.1', { protocolId: 'MQIsdp', protocolVersion: 3 }, 'mqtt'],
  ['3.1.1', {}, 'mqtt'],
  ['5', { protocolVersion: 5 }, 'mqtt'],
  ['3.1.1 over WebSocket', {}, 'ws'],
  ['5 over WebSocket', { protocolVersion: 5 }, 'ws'],
];

describe.each(versions)('mqtt.js %s', (_name, options, protocol) => {
  it.each([0, 1, 2] as const)('publishes and receives with QoS %i', async (qos) => {
    const { port, log } = await startHost();
    const [one, other] = [await connect(port, options, protocol), await connect(port, options, protocol)];
    await one.mqtt.subscribeAsync('rooms/+/temp', { qos });
    for (let n = 0; n < 20; n += 1) await other.mqtt.publishAsync(`rooms/${n}/temp`, `${n}`, { qos });
    expect(await one.receives(20)).toEqual(Array.from({ length: 20 }, (_, n) => `rooms/${n}/temp ${n}`));
    expect(one.received.every(({ packet }) => packet.qos === qos && !packet.retain && !packet.dup)).toBe(
      true,
    );
    expect(log).toEqual([]);
  });

  it('gets retained messages with its subscription, and none after an empty one', async () => {
    const { port } = await startHost();
    const client = await connect(port, options, protocol);
    await client.mqtt.publishAsync('lamps/1', 'on', { retain: true, qos: 1 });
    await client.mqtt.publishAsync('lamps/2', 'off', { retain: true });
    await client.mqtt.publishAsync('lamps/2', '', { retain: true, qos: 1 });
    await client.mqtt.subscribeAsync('lamps/#');
    await client.receives(1);
    await client.mqtt.publishAsync('lamps/3', 'last', { qos: 1, retain: true });
    expect(await client.receives(2)).toEqual(['lamps/1 on', 'lamps/3 last']);
    expect(client.received.map(({ packet }) => packet.retain)).toEqual([true, false]);
  });

  it('has its will published when it is lost, and only then', async () => {
    const { port } = await startHost({
      mocks: [{ topic: 'gone/#', response: { topic: 'noted', payload: 'ok' } }],
    });
    const watcher = await connect(port, options, protocol);
    await watcher.mqtt.subscribeAsync(['gone/#', 'noted']);
    const will = { payload: Buffer.from('bye'), qos: 1, retain: false } as const;
    const leaving = await connect(port, { ...options, will: { ...will, topic: 'gone/no' } }, protocol);
    const lost = await connect(port, { ...options, will: { ...will, topic: 'gone/yes' } }, protocol);
    await leaving.mqtt.endAsync();
    lost.mqtt.stream.destroy();
    expect(await watcher.receives(2)).toEqual(['gone/yes bye', 'noted ok']);
  });
});

describe('subscriptions', () => {
  it('take what MQTT says they take', async () => {
    const { port } = await startHost();
    const client = await connect(port);
    const granted = await client.mqtt.subscribeAsync({
      '+/a': { qos: 0 },
      'x/#': { qos: 1 },
      '$own/#': { qos: 2 },
    });
    expect(granted.map(({ qos }) => qos)).toEqual([0, 1, 2]);
    for (const topic of ['1/a', '/a', 'x', 'x/', 'x/y/z', '$own/1', '$x/a', '1/a/2', 'y']) {
      await client.mqtt.publishAsync(topic, '', { qos: 2 });
    }
    await client.mqtt.publishAsync('$own/end', '', { qos: 2 });
    await eventually(() => client.texts.includes('$own/end '));
    expect([...client.texts].sort()).toEqual(['$own/1 ', '$own/end ', '/a ', '1/a ', 'x ', 'x/ ', 'x/y/z ']);
    const highest = new Map(client.received.map(({ topic, packet }) => [topic, packet.qos]));
    expect([highest.get('1/a'), highest.get('x/y/z'), highest.get('$own/1')]).toEqual([0, 1, 2]);
  });

  it('end with UNSUBSCRIBE', async () => {
    const { port } = await startHost();
    const client = await connect(port, { protocolVersion: 5 });
    await client.mqtt.subscribeAsync(['a', 'b']);
    await client.mqtt.unsubscribeAsync('a');
    await client.mqtt.publishAsync('a', '1', { qos: 1 });
    await client.mqtt.publishAsync('b', '2', { qos: 1 });
    expect(await client.receives(1)).toEqual(['b 2']);
  });

  it('are shared by a group: each message goes to one of it', async () => {
    const { port } = await startHost();
    const members = [await connect(port, { protocolVersion: 5 }), await connect(port)];
    const all = await connect(port);
    await all.mqtt.subscribeAsync('jobs/#');
    for (const member of members) await member.mqtt.subscribeAsync('$share/workers/jobs/+', { qos: 1 });
    for (let n = 0; n < 10; n += 1) await all.mqtt.publishAsync(`jobs/${n}`, 'do', { qos: 1 });
    await all.receives(10);
    await eventually(() => members.every(({ received }) => received.length === 5));
    const [first, second] = members;
    await first?.mqtt.endAsync();
    await all.mqtt.publishAsync('jobs/last', 'do', { qos: 1 });
    await second?.receives(6);
    expect(second?.texts.at(-1)).toBe('jobs/last do');
  });

  it('of MQTT 5 have its options', async () => {
    const { port } = await startHost();
    const client = await connect(port, { protocolVersion: 5 });
    const other = await connect(port, { protocolVersion: 5 });
    await other.mqtt.publishAsync('kept/1', 'old', { retain: true, qos: 1 });
    await client.mqtt.subscribeAsync('kept/1', { qos: 1, rh: 2 });
    await client.mqtt.subscribeAsync('kept/+', { qos: 1, rh: 1 });
    await client.receives(1);
    await client.mqtt.subscribeAsync('kept/+', { qos: 1, rh: 1 });
    await client.mqtt.subscribeAsync('news', { qos: 1, rap: true, nl: true });
    await client.mqtt.publishAsync('news', 'own', { qos: 1 });
    await other.mqtt.publishAsync('news', 'kept', { qos: 1, retain: true });
    expect(await client.receives(2)).toEqual(['kept/1 old', 'news kept']);
    expect(client.received[1]?.packet.retain).toBe(true);
  });
});

describe('MQTT 5', () => {
  it('carries the properties of a message unaltered, retained and as a will too', async () => {
    const { port } = await startHost();
    const options = { protocolVersion: 5 } as const;
    const [one, old] = [await connect(port, options), await connect(port)];
    const properties = {
      contentType: 'application/json',
      responseTopic: 'answers/1',
      correlationData: Buffer.from([0, 1, 255]),
      userProperties: { a: ['1', '2'], constructor: 'x' },
      payloadFormatIndicator: true,
      messageExpiryInterval: 4_000_000_000,
    };
    await one.mqtt.subscribeAsync('all/#', { qos: 2 });
    await old.mqtt.subscribeAsync('all/#', { qos: 2 });
    for (const qos of [0, 1, 2] as const)
      await one.mqtt.publishAsync(`all/${qos}`, 'text', { qos, properties });
    await one.mqtt.publishAsync('all/kept', 'text', { qos: 1, retain: true, properties });
    const will = {
      topic: 'all/will',
      payload: Buffer.from('text'),
      qos: 1,
      retain: false,
      properties,
    } as const;
    const lost = await connect(port, { ...options, will });
    lost.mqtt.stream.destroy();
    await one.receives(5);
    await old.receives(5);
    const late = await connect(port, options);
    await late.mqtt.subscribeAsync('all/kept');
    await late.receives(1);
    const plain = { ...properties, userProperties: { ...properties.userProperties } };
    for (const { packet, payload } of [...one.received, ...late.received]) {
      expect({ ...packet.properties, userProperties: { ...packet.properties?.userProperties } }).toEqual(
        plain,
      );
      expect(payload).toBe('text');
    }
    expect(old.received.map(({ payload, packet }) => [payload, packet.properties])).toEqual(
      Array.from({ length: 5 }, () => ['text', undefined]),
    );
  });

  it('gives a client without an id one, and takes topic aliases', async () => {
    const { port } = await startHost();
    const client = await connect(port, { protocolVersion: 5, clientId: '', autoAssignTopicAlias: true });
    await client.mqtt.subscribeAsync('a/long/topic');
    for (let n = 0; n < 5; n += 1) await client.mqtt.publishAsync('a/long/topic', `${n}`, { qos: 1 });
    expect(await client.receives(5)).toEqual([0, 1, 2, 3, 4].map((n) => `a/long/topic ${n}`));
  });

  it('keeps to the receive maximum and the packet size of the client', async () => {
    const { port } = await startHost();
    const properties = { receiveMaximum: 2, maximumPacketSize: 200 };
    const client = await connect(port, { protocolVersion: 5, properties });
    const sender = await connect(port);
    await client.mqtt.subscribeAsync('a', { qos: 2 });
    for (let n = 0; n < 50; n += 1) {
      await sender.mqtt.publishAsync('a', 'x'.repeat(n === 20 ? 300 : 10), { qos: n % 2 === 0 ? 1 : 2 });
    }
    await client.receives(49);
    expect(client.received.some(({ payload }) => payload.length > 10)).toBe(false);
    expect(client.mqtt.connected).toBe(true);
  });
});

describe('sessions', () => {
  const kinds: readonly (readonly [string, IClientOptions])[] = [
    ['3.1.1', { clean: false }],
    ['5', { protocolVersion: 5, clean: false, properties: { sessionExpiryInterval: 600 } }],
  ];
  it.each(kinds)('of %s keep subscriptions and messages', async (_name, more) => {
    const { host, port } = await startHost();
    const options = { ...more, clientId: 'sleeper' };
    let client: Client = await connect(port, options);
    await client.mqtt.subscribeAsync({ 'q/#': { qos: 2 }, zero: { qos: 0 } });
    await client.mqtt.endAsync();
    const sender = await connect(port, { protocolVersion: 5 });
    const properties = { contentType: 'text/plain' };
    for (const qos of [0, 1, 2] as const)
      await sender.mqtt.publishAsync(`q/${qos}`, 'm', { qos, properties });
    client = await connect(port, options);
    expect(await client.receives(2)).toEqual(['q/1 m', 'q/2 m']);
    await sender.mqtt.publishAsync('zero', 'now', { qos: 1 });
    await client.receives(3);
    await client.mqtt.endAsync();
    await host.clock.advance(3_600_000);
    await sender.mqtt.publishAsync('q/1', 'late', { qos: 1 });
    client = await connect(port, options);
    await client.mqtt.subscribeAsync('end');
    await sender.mqtt.publishAsync('end', '', { qos: 1 });
    // An hour is more than the ten minutes of the second kind.
    const kept = more.protocolVersion === 5 ? [] : ['q/1 late'];
    expect(await client.receives(kept.length + 1)).toEqual([...kept, 'end ']);
  });

  it('end with a clean start', async () => {
    const { port } = await startHost();
    let client = await connect(port, { clientId: 's', clean: false });
    await client.mqtt.subscribeAsync('a', { qos: 1 });
    await client.mqtt.endAsync();
    client = await connect(port, { clientId: 's', clean: true });
    await client.mqtt.subscribeAsync('b', { qos: 1 });
    await client.mqtt.publishAsync('a', '1', { qos: 1 });
    await client.mqtt.publishAsync('b', '2', { qos: 1 });
    expect(await client.receives(1)).toEqual(['b 2']);
  });

  it('are taken over by a client with the same id', async () => {
    const { port } = await startHost();
    const first = await connect(port, { clientId: 's', protocolVersion: 5 });
    const second = await connect(port, { clientId: 's', protocolVersion: 5 });
    await eventually(() => !first.mqtt.connected);
    expect(first.disconnected).toBe(0x8e);
    const third = await connect(port, { clientId: 's', protocolVersion: 5 });
    await eventually(() => !second.mqtt.connected);
    await third.mqtt.subscribeAsync('a');
    await third.mqtt.publishAsync('a', 'x');
    await third.receives(1);
  });

  it('of a client that is still connected lose their messages in a reset, and keep their subscriptions', async () => {
    const { host, port } = await startHost();
    const asleep = await connect(port, { clientId: 'asleep', clean: false });
    await asleep.mqtt.subscribeAsync('a', { qos: 1 });
    await asleep.mqtt.endAsync();
    const awake = await connect(port, { clientId: 'awake', clean: false });
    await awake.mqtt.subscribeAsync('a', { qos: 1 });
    await awake.mqtt.publishAsync('a', 'before', { qos: 1, retain: true });
    await awake.receives(1);
    const { id } = host.snapshots.create();
    host.reset();
    await awake.mqtt.publishAsync('a', 'after', { qos: 1 });
    expect(await awake.receives(2)).toEqual(['a before', 'a after']);
    const fresh = await connect(port);
    await fresh.mqtt.subscribeAsync('#');
    const again = await connect(port, { clientId: 'asleep', clean: false });
    await again.mqtt.publishAsync('a', 'end', { qos: 1 });
    expect(await fresh.receives(1)).toEqual(['a end']);
    expect(again.texts).toEqual([]);
    await again.mqtt.endAsync();
    host.snapshots.restore(id);
    const restored = await connect(port, { clientId: 'asleep', clean: false });
    expect(await restored.receives(1)).toEqual(['a before']);
  });
});

describe('logins', () => {
  const users = [{ username: 'ann', password: 'secret' }];
  it('are asked for with `users`', async () => {
    const { port, host } = await startHost({ users });
    await connect(port, { username: 'ann', password: 'secret' });
    await expect(connect(port, { username: 'ann', password: 'wrong' })).rejects.toMatchObject({ code: 4 });
    await expect(connect(port)).rejects.toMatchObject({ code: 5 });
    const five = { protocolVersion: 5 } as const;
    await expect(connect(port, { ...five, username: 'bob', password: 'secret' })).rejects.toMatchObject({
      code: 0x86,
    });
    await expect(connect(port, five)).rejects.toMatchObject({ code: 0x87 });
    expect(host.journal.list().map((entry) => entry['status'])).toEqual([0, 4, 5, 0x86, 0x87]);
  });

  it('all pass without it', async () => {
    const { port } = await startHost();
    await connect(port, { username: 'anybody', password: 'anything' });
  });
});

it('speaks MQTT over TLS', async () => {
  const { port } = await startHost({ tls: { self_signed: true } });
  const client = await connect(port, { rejectUnauthorized: false }, 'mqtts');
  await client.mqtt.subscribeAsync('a');
  await client.mqtt.publishAsync('a', 'x', { qos: 1 });
  expect(await client.receives(1)).toEqual(['a x']);
});
