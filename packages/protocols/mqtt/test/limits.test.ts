import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { WebSocket } from 'ws';
import { checkWell, connect, CONNECT_4, RawClient, startHost } from './support.js';

const SUBSCRIBE_A_QOS_0 = '820600010001' + '6100';
const LARGE = Buffer.alloc(200_000, 'x');

describe('a subscriber that does not read', () => {
  it('is cut, and holds up nobody', async () => {
    const running = await startHost();
    const slow = await RawClient.connect(running.port);
    slow.send(CONNECT_4, SUBSCRIBE_A_QOS_0);
    await slow.receives(9);
    slow.socket.pause();
    const webSocket = new WebSocket(`ws://127.0.0.1:${running.port}`, 'mqtt');
    await new Promise((resolve) => webSocket.once('open', resolve));
    webSocket.send(Buffer.from(CONNECT_4.replace(/61$/, '62') + SUBSCRIBE_A_QOS_0, 'hex'));
    await eventually(
      () => running.host.journal.list().filter(({ method }) => method === 'SUBSCRIBE').length === 2,
    );
    webSocket.pause();
    webSocket.on('error', () => undefined);
    const reader = await connect(running.port);
    await reader.mqtt.subscribeAsync('a');
    const writer = await connect(running.port);
    let sent = 0;
    const connections = (): unknown => running.host.kind('mqtt').status().connections;
    while (connections() !== 2 && sent < 500) {
      await writer.mqtt.publishAsync('a', LARGE, { qos: 1 });
      sent += 1;
    }
    expect(connections()).toBe(2);
    await reader.receives(sent);
    webSocket.terminate();
    await checkWell(running);
    expect(running.log).toEqual([]);
  });

  it('for a moment is not cut, however large the messages are', async () => {
    const { port } = await startHost();
    const slow = await RawClient.connect(port);
    slow.send(CONNECT_4, SUBSCRIBE_A_QOS_0);
    await slow.receives(9);
    slow.socket.pause();
    const writer = await connect(port);
    const large = Buffer.alloc(8 * 1024 * 1024);
    for (const payload of [large, large, 'small']) await writer.mqtt.publishAsync('a', payload, { qos: 1 });
    slow.socket.resume();
    await slow.receives(2 * large.length + 'small'.length);
    expect(slow.bytes.subarray(-5).toString()).toBe('small');
  });

  it('but sleeps has at most 1,000 messages kept', async () => {
    const { port } = await startHost();
    const options = { clientId: 'sleeper', clean: false };
    const sleeper = await connect(port, options);
    await sleeper.mqtt.subscribeAsync({ a: { qos: 1 }, end: { qos: 1 } });
    await sleeper.mqtt.endAsync();
    const writer = await connect(port);
    await Promise.all(
      Array.from({ length: 1100 }, (_, n) => writer.mqtt.publishAsync('a', `${n}`, { qos: 1 })),
    );
    const again = await connect(port, options);
    await writer.mqtt.publishAsync('end', '', { qos: 1 });
    await again.receives(1001);
    expect(again.texts.filter((text) => text !== 'end ').at(-1)).toBe('a 999');
  });

  it('of MQTT 5 that acknowledges nothing is cut', async () => {
    const { port } = await startHost();
    const silent = await RawClient.connect(port);
    // Receive maximum 1, a subscription of QoS 1.
    silent.send('101100044d5154540502000003210001000161', '82070001000001' + '6101');
    await silent.receives(16 + 6);
    const writer = await connect(port);
    let sent = 0;
    for (; sent < 20 && !silent.isClosed; sent += 1) await writer.mqtt.publishAsync('a', LARGE, { qos: 1 });
    expect((await silent.closes()).slice(-8)).toBe('e0029700');
    expect(sent).toBeLessThan(20);
  });
});

describe('a publisher', () => {
  it('may send much at once, and every message arrives in order', async () => {
    const { port } = await startHost();
    const [reader, writer] = [await connect(port), await connect(port)];
    await reader.mqtt.subscribeAsync('a', { qos: 1 });
    const numbers = Array.from({ length: 5000 }, (_, n) => n);
    for (const n of numbers)
      writer.mqtt.publish('a', `${n}`, { qos: n % 2 === 0 ? 0 : 1, retain: n % 3 === 0 });
    await reader.receives(numbers.length);
    expect(reader.texts).toEqual(numbers.map((n) => `a ${n}`));
  });

  it('of QoS 2 that never releases is cut', async () => {
    const { port } = await startHost();
    const raw = await RawClient.connect(port);
    const publishes = Array.from(
      { length: 1001 },
      (_, n) => `34050001${'61'}${(n + 1).toString(16).padStart(4, '0')}`,
    );
    raw.send(CONNECT_4, ...publishes);
    const answer = await raw.closes();
    expect(answer.length).toBe(2 * 4 * 1001);
  });

  it.each(['delay', 'response.delay'])(
    'whose answers wait (%s) is read no further after 1,000, and lives on',
    async (field) => {
      const mock =
        field === 'delay'
          ? { delay: '1h', response: { payload: 'x' } }
          : { response: { payload: 'x', delay: '1h' } };
      const { host, port } = await startHost({ mocks: [{ id: 'm', topic: 'a', ...mock }] });
      const writer = await connect(port);
      for (let n = 0; n < 1500; n += 1) writer.mqtt.publish('a', `${n}`);
      await eventually(() => host.kind('mqtt').calls.of('m').count === 1000);
      await host.clock.advance(3_600_000);
      await eventually(() => host.kind('mqtt').calls.of('m').count === 1500);
      expect(writer.mqtt.connected).toBe(true);
    },
  );
});

it('tells MQTT 5 clients that it stops, and sends no wills then', async () => {
  const { host, port } = await startHost();
  const will = { topic: 'w', payload: Buffer.from('bye'), qos: 1, retain: false } as const;
  const one = await connect(port, { protocolVersion: 5, will });
  const other = await connect(port, { protocolVersion: 5, will });
  await one.mqtt.subscribeAsync('w');
  await other.mqtt.subscribeAsync('w');
  await host.stop(1000);
  await eventually(() => one.disconnected !== undefined && other.disconnected !== undefined);
  expect([one.disconnected, other.disconnected]).toEqual([0x8b, 0x8b]);
  expect([...one.texts, ...other.texts]).toEqual([]);
});
