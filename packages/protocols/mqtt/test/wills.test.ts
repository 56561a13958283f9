import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { connect, startHost, type Running } from './support.js';

const V5 = { protocolVersion: 5 } as const;
const KEPT = { ...V5, clean: false, properties: { sessionExpiryInterval: 600 } } as const;

/** Resolves when so many connections are left, and the broker has done with the one that was lost. */
async function isGone({ kind, port }: Running, left: number): Promise<void> {
  await eventually(() => kind.connections.list().length === left);
  const probe = await connect(port);
  for (let n = 0; n < 3; n += 1) await probe.mqtt.publishAsync('probe', '', { qos: 2 });
  await probe.mqtt.endAsync();
}

describe('the delay of a will', () => {
  const will = (delay: number) =>
    ({
      topic: 'gone',
      payload: Buffer.from('bye'),
      qos: 1,
      retain: false,
      properties: { willDelayInterval: delay },
    }) as const;

  it('passes on the clock of the server before the will is published', async () => {
    const running = await startHost();
    const { host, port } = running;
    const watcher = await connect(port);
    await watcher.mqtt.subscribeAsync(['gone', 'end']);
    const lost = await connect(port, { ...KEPT, clientId: 'lost', will: will(60) });
    lost.mqtt.stream.destroy();
    await isGone(running, 1);
    await host.clock.advance(50_000);
    await watcher.mqtt.publishAsync('end', '', { qos: 1 });
    expect(await watcher.receives(1)).toEqual(['end ']);
    await host.clock.advance(11_000);
    expect(await watcher.receives(2)).toEqual(['end ', 'gone bye']);
  });

  it('ends with the session', async () => {
    const running = await startHost();
    const { host, port } = running;
    const watcher = await connect(port);
    await watcher.mqtt.subscribeAsync('gone');
    const lost = await connect(port, { ...KEPT, clientId: 'lost', will: will(6000) });
    lost.mqtt.stream.destroy();
    await isGone(running, 1);
    await host.clock.advance(601_000);
    await watcher.receives(1);
    const without = await connect(port, { ...V5, clientId: 'without', will: will(6000) });
    without.mqtt.stream.destroy();
    await watcher.receives(2);
  });

  it.each([
    ['who comes back has none published', false, ['end ']],
    ['whose new session begins has it published at once', true, ['end ', 'gone bye']],
  ] as const)('%s', async (_name, clean, expected) => {
    const running = await startHost();
    const { host, port } = running;
    const watcher = await connect(port);
    await watcher.mqtt.subscribeAsync(['gone', 'end']);
    for (const isTaken of [false, true]) {
      const lost = await connect(port, { ...KEPT, clientId: 'lost', will: will(60) });
      if (!isTaken) lost.mqtt.stream.destroy();
      if (!isTaken) await isGone(running, 1);
      const back = await connect(port, { ...KEPT, clean, clientId: 'lost' });
      await eventually(() => !lost.mqtt.connected);
      await host.clock.advance(61_000);
      await watcher.mqtt.publishAsync('end', '', { qos: 1 });
      const sorted = [...(await watcher.receives(expected.length))].sort();
      expect(sorted).toEqual(expected);
      watcher.received.length = 0;
      await back.mqtt.endAsync();
    }
  });

  it('is forgotten in a reset, with the will', async () => {
    const running = await startHost();
    const { host, port } = running;
    const lost = await connect(port, { ...KEPT, clientId: 'lost', will: will(60) });
    lost.mqtt.stream.destroy();
    await isGone(running, 0);
    host.reset();
    const watcher = await connect(port);
    await watcher.mqtt.subscribeAsync(['gone', 'end']);
    await host.clock.advance(61_000);
    await watcher.mqtt.publishAsync('end', '', { qos: 1 });
    expect(await watcher.receives(1)).toEqual(['end ']);
  });
});
