import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect } from '@jest/globals';
import { collectCleanups, eventually, itWithTool, startServer } from '@backlot/conformance';
import { connect, startHost, type Client } from './support.js';

const afterThis = collectCleanups();

/** Starts mosquitto as a bridge to the broker. */
async function startBridge(port: number, version: string): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'backlot-bridge-'));
  afterThis(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'mosquitto.conf');
  const server = await startServer(
    'mosquitto',
    (own) => {
      const lines = [
        `listener ${own} 127.0.0.1`,
        'allow_anonymous true',
        'connection backlot',
        `address 127.0.0.1:${port}`,
        `bridge_protocol_version ${version}`,
        'remote_clientid bridge',
        'notifications false',
        'restart_timeout 1',
        'topic # both 2 near/ far/',
      ];
      writeFileSync(file, lines.join('\n'));
      return ['-v', '-c', file];
    },
    'Received SUBACK',
  );
  afterThis(() => server.stop());
  return server.port;
}

function seen({ received }: Client): readonly unknown[] {
  return received.map(({ topic, payload, packet }) => [topic, payload, packet.qos, packet.retain]);
}

describe.each(['mqttv311', 'mqttv50'])('mosquitto as a bridge, %s', (version) => {
  itWithTool('mosquitto', 'hands messages on both ways, as retained and once', async () => {
    const { host, port } = await startHost({
      mocks: [
        { topic: 'far/ask', response: { topic: 'far/told', payload: 'hi {{request.payload}}', qos: 1 } },
      ],
    });
    const bridged = await startBridge(port, version);
    const [here, there] = [await connect(port), await connect(bridged)];
    await here.mqtt.subscribeAsync('far/#', { qos: 2 });
    await there.mqtt.subscribeAsync('near/#', { qos: 2 });
    await here.mqtt.publishAsync('far/kept', 'down', { qos: 1, retain: true });
    await there.receives(1);
    await there.mqtt.publishAsync('near/kept', 'up', { qos: 2, retain: true });
    await there.mqtt.publishAsync('near/ask', 'you', { qos: 1 });
    await here.receives(4);
    await there.receives(4);
    expect([...here.texts].sort()).toEqual([
      'far/ask you',
      'far/kept down',
      'far/kept up',
      'far/told hi you',
    ]);
    expect([...there.texts].sort()).toEqual([
      'near/ask you',
      'near/kept down',
      'near/kept up',
      'near/told hi you',
    ]);
    // Retained at both ends.
    const [late, lateThere] = [await connect(port), await connect(bridged)];
    await late.mqtt.subscribeAsync('far/kept', { qos: 2 });
    await lateThere.mqtt.subscribeAsync('near/kept', { qos: 2 });
    await late.receives(1);
    await lateThere.receives(1);
    expect([seen(late), seen(lateThere)]).toEqual([
      [['far/kept', 'up', 2, true]],
      [['near/kept', 'up', 2, true]],
    ]);
    // Nothing has gone round: each message was published to the broker once.
    const published = (): number => host.kind('mqtt').captures?.values().length ?? 0;
    expect(published()).toBe(3);
    await here.mqtt.publishAsync('far/cleared', 'x', { qos: 1, retain: true });
    await here.mqtt.publishAsync('far/cleared', '', { qos: 1, retain: true });
    await eventually(() => there.texts.includes('near/cleared '));
    const none = await connect(bridged);
    await none.mqtt.subscribeAsync(['near/cleared', 'near/kept']);
    await none.receives(1);
    expect(none.texts).toEqual(['near/kept up']);
  });
});
