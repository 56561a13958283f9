import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { createHost } from '@backlot/core';
import { mqtt } from '../src/index.js';
import { connect, startHost } from './support.js';

/** A document of the AsyncAPI Initiative, as it stands in its repository. */
const file = fileURLToPath(
  new URL('../../../imports/test/samples/asyncapi/streetlights-mqtt.yaml', import.meta.url),
);
const MEASURED = 'smartylighting/streetlights/1/0/event/7/lighting/measured';
const ON = 'smartylighting/streetlights/1/0/action/7/turn/on';

it('refuses messages that their channel does not have', async () => {
  const { port, host } = await startHost({ contract: { file } });
  const client = await connect(port, { protocolVersion: 5 });
  await client.mqtt.subscribeAsync('#');
  const publish = (topic: string, payload: string): Promise<unknown> =>
    client.mqtt.publishAsync(topic, payload, { qos: 1 }).then(
      () => 'taken',
      (error: { code?: number }) => error.code,
    );
  expect(await publish(MEASURED, '{"lumens": 3}')).toBe('taken');
  expect(await publish(MEASURED, '{"lumens": -3}')).toBe(0x99);
  expect(await publish(MEASURED, 'bright')).toBe(0x99);
  expect(await publish('elsewhere', '{}')).toBe(0x90);
  expect(await publish(MEASURED, '{"lumens": 4}')).toBe('taken');
  expect(await client.receives(2)).toEqual([`${MEASURED} {"lumens": 3}`, `${MEASURED} {"lumens": 4}`]);
  const channel = 'smartylighting/streetlights/1/0/event/{streetlightId}/lighting/measured';
  const noted = host.journal
    .list()
    .flatMap(({ method, contract }) => (method === 'PUBLISH' ? [contract] : []));
  expect(noted).toEqual([
    { operation: channel },
    {
      operation: channel,
      violations: [{ in: 'request', path: '/payload/lumens', message: 'must be >= 0', value: -3 }],
    },
    {
      operation: channel,
      violations: [{ in: 'request', path: '/payload', message: 'must be JSON', value: 'bright' }],
    },
    {
      violations: [
        { in: 'request', path: '/topic', message: 'must be a channel of the contract', value: 'elsewhere' },
      ],
    },
    { operation: channel },
  ]);
  expect(host.kind('mqtt').contract?.coverage()).toMatchObject({
    operations: { total: 4, touched: 1 },
    violations: { requests: 3, answers: 0 },
    unknown: 1,
  });
});

it('takes and drops for clients before MQTT 5, which cannot be told', async () => {
  const { port } = await startHost({ contract: { file } });
  const client = await connect(port);
  await client.mqtt.subscribeAsync('#');
  await client.mqtt.publishAsync(MEASURED, '{"lumens": -3}', { qos: 1 });
  await client.mqtt.publishAsync(MEASURED, '{"lumens": 4}', { qos: 1 });
  expect(await client.receives(1)).toEqual([`${MEASURED} {"lumens": 4}`]);
});

it('hands everything on with mode warn', async () => {
  const { port, host } = await startHost({ contract: { file, mode: 'warn' } });
  const client = await connect(port, { protocolVersion: 5 });
  await client.mqtt.subscribeAsync('#');
  await client.mqtt.publishAsync(MEASURED, '{"lumens": -3}', { qos: 1 });
  expect(await client.receives(1)).toEqual([`${MEASURED} {"lumens": -3}`]);
  expect(host.kind('mqtt').contract?.coverage().violations).toEqual({ requests: 1, answers: 0 });
});

it('refuses mocks and their answers', async () => {
  const answer = (response: object) => ({ id: 'on', topic: MEASURED, response });
  const settings = { mqtt: { contract: { file }, mocks: [answer({ topic: ON, json: { command: 'up' } })] } };
  await expect(createHost({ protocols: [mqtt], settings })).rejects.toThrow(
    /mock "on" answers what the contract does not allow: \/payload\/command must be one of "on", "off"/,
  );
  const mocks = [answer({ topic: ON, json: { command: '{{request.user_properties.command}}' } })];
  const { port, host } = await startHost({ contract: { file }, mocks });
  const client = await connect(port, { protocolVersion: 5 });
  await client.mqtt.subscribeAsync(ON);
  for (const command of ['up', 'on'])
    await client.mqtt.publishAsync(MEASURED, '{"lumens": 1}', {
      qos: 1,
      properties: { userProperties: { command } },
    });
  expect(await client.receives(1)).toEqual([`${ON} {"command":"on"}`]);
  expect(host.kind('mqtt').contract?.coverage().violations).toEqual({ requests: 0, answers: 1 });
});

it('takes what is too long to be held to its schema, or would take too long, and says so', async () => {
  const { port, host } = await startHost({ contract: { file } });
  const client = await connect(port, { protocolVersion: 5 });
  await client.mqtt.subscribeAsync('#');
  const publish = (payload: string): Promise<unknown> =>
    client.mqtt.publishAsync(MEASURED, payload, { qos: 1 }).then(
      () => 'taken',
      (error: { code?: number }) => error.code,
    );
  const padded = (bytes: number): string => `{"lumens": -3}${' '.repeat(bytes - 14)}`;
  expect(await publish(padded(256 * 1024))).toBe(0x99);
  expect(await publish(padded(256 * 1024 + 1))).toBe('taken');
  expect((await client.receives(1)).map((text) => text.length)).toEqual([
    MEASURED.length + 1 + 256 * 1024 + 1,
  ]);
  const noted = host.journal
    .list()
    .flatMap(({ method, contract }) => (method === 'PUBLISH' ? [contract] : []));
  const operation = 'smartylighting/streetlights/1/0/event/{streetlightId}/lighting/measured';
  expect(noted).toEqual([
    { operation, violations: [expect.objectContaining({ path: '/payload/lumens' })] },
    { operation, unchecked: ['request'] },
  ]);
});

it('does not hold a message to a schema with which its check would take long, and says so', async () => {
  const oneOf = Array.from({ length: 20 }, (_, index) => ({ const: index }));
  const messages = { list: { payload: { type: 'array', items: { oneOf } } } };
  const channels = { lists: { address: 'lists', messages } };
  const costly = join(mkdtempSync(join(tmpdir(), 'contract-')), 'lists.json');
  const document = { asyncapi: '3.0.0', info: { title: 'Lists', version: '1' }, channels };
  writeFileSync(costly, JSON.stringify(document));
  const { port, host } = await startHost({ contract: { file: costly } });
  rmSync(dirname(costly), { recursive: true });
  const client = await connect(port, { protocolVersion: 5 });
  const publish = (count: number, item: number): Promise<unknown> => {
    const payload = JSON.stringify([...Array.from({ length: count }, () => 1), item]);
    return client.mqtt.publishAsync('lists', payload, { qos: 1 }).then(
      () => 'taken',
      (error: { code?: number }) => error.code,
    );
  };
  expect(await publish(10, 20)).toBe(0x99);
  expect(await publish(50_000, 20)).toBe('taken');
  expect(host.journal.list().flatMap(({ contract }) => contract?.unchecked ?? [])).toEqual(['request']);
});
