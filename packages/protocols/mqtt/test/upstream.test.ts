import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect } from '@jest/globals';
import { eventually, itWithTool, runTool, startServer } from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { loadTls } from '@backlot/kit';
import { afterThis, connect, startHost, type Client, type Running } from './support.js';

const V5 = { protocolVersion: 5 } as const;

/** Starts mosquitto on a free port; it is stopped after the test. */
async function startMosquitto(...lines: readonly string[]): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'mosquitto-'));
  afterThis(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'mosquitto.conf');
  const server = await startServer(
    'mosquitto',
    (port) => {
      writeFileSync(file, [`listener ${port} 127.0.0.1`, 'allow_anonymous true', ...lines, ''].join('\n'));
      return ['-v', '-c', file];
    },
    'running',
  );
  afterThis(() => server.stop());
  return server.port;
}

const recorder = (
  port: number,
  mode: string,
  mocks: readonly Json[] = [],
  more: Json = {},
): Promise<Running> => startHost({ upstream: { url: `mqtt://127.0.0.1:${port}`, mode }, mocks, ...more });

/** What the system behind the broker does: it answers by response topics, and counts. */
async function serve(port: number): Promise<Client> {
  const client = await connect(port, V5);
  let served = 0;
  client.mqtt.on('message', (topic, payload, { properties }) => {
    served += 1;
    const { responseTopic = `${topic}/response`, correlationData } = properties ?? {};
    client.mqtt.publish(responseTopic, `${topic} ${payload.toString()} ${served} {{x}}`, {
      qos: 1,
      properties: {
        ...(correlationData && { correlationData }),
        contentType: 'text/plain',
        userProperties: { 'api-token': 'hunter3', by: 'real' },
      },
    });
  });
  await client.mqtt.subscribeAsync(['rpc/#', 'plain'], { qos: 1 });
  return client;
}

/** What an application asks by MQTT 5, and is answered. */
async function work(port: number, protocol: 'mqtt' | 'ws'): Promise<readonly string[]> {
  const client = await connect(port, { ...V5, username: 'ann', password: 'hunter2' }, protocol);
  const own = `answers/${String(client.mqtt.options.clientId)}`;
  await client.mqtt.subscribeAsync([own, 'plain/response'], { qos: 1 });
  const ask = async (topic: string, payload: string, qos: 0 | 1 | 2): Promise<void> => {
    const count = client.received.length;
    await client.mqtt.publishAsync(topic, payload, {
      qos,
      properties: { responseTopic: own, correlationData: Buffer.from(`c${count}`) },
    });
    await client.receives(count + 1);
  };
  await ask('rpc/add', '1 2', 0);
  await ask('rpc/add', '1 2', 1);
  await ask('rpc/time', 'now', 2);
  await client.mqtt.publishAsync('plain', 'x', { qos: 1 });
  await client.receives(4);
  return client.received.map(
    ({ payload, packet }) =>
      `${payload} ${packet.properties?.correlationData?.toString() ?? ''} ${packet.properties?.contentType ?? ''}`,
  );
}

describe('an upstream of MQTT', () => {
  for (const protocol of ['mqtt', 'ws'] as const)
    itWithTool('mosquitto', `is recorded with mqtt.js by ${protocol}, and replayed without it`, async () => {
      const port = await startMosquitto();
      const real = await serve(port);
      const recording = await recorder(port, 'record_new');
      const answers = await work(recording.port, protocol);
      expect(answers).toEqual([
        'rpc/add 1 2 1 {{x}} c0 text/plain',
        'rpc/add 1 2 2 {{x}} c1 text/plain',
        'rpc/time now 3 {{x}} c2 text/plain',
        'plain x 4 {{x}}  text/plain',
      ]);
      await eventually(() => recording.kind.mocks.list().length === 4);
      const mocks = recording.kind.mocks.list();
      expect(mocks[0]).toEqual({
        id: 'recorded:rpc-add',
        topic: 'rpc/add',
        payload: '1 2',
        times: 1,
        response: {
          payload: 'rpc/add 1 2 1 {{raw "{{"}}x}}',
          qos: 1,
          content_type: 'text/plain',
          user_properties: { 'api-token': 'REDACTED', by: 'real' },
        },
      });
      const kept = JSON.stringify([recording.host.journal.list(), mocks]);
      expect(kept).not.toMatch(/hunter/);
      await real.mqtt.endAsync(true);
      const replayed = await startHost({ upstream: { mode: 'replay' }, mocks: structuredClone(mocks) });
      expect(await work(replayed.port, protocol)).toEqual(answers);
      expect(replayed.host.journal.list({ unmatched: true })).toEqual([]);
    });

  itWithTool(
    'mosquitto_pub',
    'passes what mosquitto_pub and mosquitto_sub say, with TLS on both sides',
    async () => {
      const folder = mkdtempSync(path.join(tmpdir(), 'mqtt-tls-'));
      afterThis(() => rmSync(folder, { recursive: true, force: true }));
      const { cert, key } = await loadTls({ self_signed: true });
      const [certFile, keyFile] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')];
      // mosquitto gives up the rights of root.
      chmodSync(folder, 0o755);
      writeFileSync(certFile, cert);
      writeFileSync(keyFile, key);
      const port = await startMosquitto(`certfile ${certFile}`, `keyfile ${keyFile}`);
      const through = await startHost({
        upstream: { url: `mqtts://localhost:${port}`, mode: 'passthrough', ca: certFile },
        tls: { self_signed: true },
      });
      const common = ['-h', 'localhost', '-p', String(through.port), '--cafile', certFile, '-V', '5'];
      const tool = async (name: string, ...words: readonly string[]): Promise<string> => {
        const { code, out, err } = await runTool(name, [...common, ...words]);
        if (code !== 0) throw new Error(`${name}: ${err}`);
        return out;
      };
      for (const qos of ['0', '1', '2'])
        await tool('mosquitto_pub', '-t', `lamps/${qos}`, '-m', 'on', '-q', qos, '-r');
      const heard = await tool('mosquitto_sub', '-t', 'lamps/#', '-q', '1', '-C', '3', '-F', '%t %p %r');
      expect(heard.trim().split('\n').toSorted()).toEqual(['lamps/0 on 1', 'lamps/1 on 1', 'lamps/2 on 1']);
      const methods = through.host.journal.list().map(({ method, path: topic }) => `${method} ${topic}`);
      expect(methods.toSorted()).toEqual(
        ['0', '1', '2'].flatMap((qos) => [`DELIVER lamps/${qos}`, `PUBLISH lamps/${qos}`]).toSorted(),
      );
    },
  );

  itWithTool(
    'mosquitto',
    'gets the answers of mocks in place of the messages, also with aliases',
    async () => {
      const port = await startMosquitto();
      const real = await connect(port, V5);
      await real.mqtt.subscribeAsync('#', { qos: 2 });
      const spy = await recorder(port, 'spy', [
        { id: 'lamp', topic: 'lamps/1/set', response: { topic: 'lamps/1/state', payload: 'mocked' } },
        { id: 'quiet', topic: 'quiet' },
      ]);
      const client = await connect(spy.port, V5);
      const properties = { topicAlias: 3 };
      await client.mqtt.publishAsync('lamps/1/set', 'on', { qos: 1, properties });
      await client.mqtt.publishAsync('quiet', 'x', { qos: 2 });
      await client.mqtt.publishAsync('', 'again', { qos: 2, properties });
      await client.mqtt.publishAsync('other', 'passes', { qos: 2 });
      expect(await real.receives(3)).toEqual([
        'lamps/1/state mocked',
        'lamps/1/state mocked',
        'other passes',
      ]);
      expect(spy.kind.calls.of('quiet').count).toBe(1);
    },
  );
});
