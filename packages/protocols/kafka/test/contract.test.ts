import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { createHost } from '@backlot/core';
import { kafka } from '../src/index.js';
import { produce } from '../src/wire/apis/produce.js';
import { batchOf, connectKafkaJs, RawClient, startConsumer, startHost, startProducer } from './support.js';

/** Documents of the AsyncAPI Initiative, as they stand in its repository. */
const sample = (name: string): string =>
  fileURLToPath(new URL(`../../../imports/test/samples/asyncapi/${name}`, import.meta.url));
const MEASURED = 'smartylighting.streetlights.1.0.event.7.lighting.measured';
const ON = 'smartylighting.streetlights.1.0.action.7.turn.on';
const CHANNEL = 'smartylighting.streetlights.1.0.event.{streetlightId}.lighting.measured';

it.each(['streetlights-kafka.yaml', 'v2/streetlights-kafka.yaml'])('refuses records by %s', async (name) => {
  const running = await startHost({ contract: { file: sample(name) } });
  const client = connectKafkaJs(running, { retry: { retries: 0 } });
  const producer = await startProducer(client);
  const send = (topic: string, ...values: (string | null)[]): Promise<unknown> =>
    producer.send({ topic, messages: values.map((value) => ({ value })) }).then(
      () => 'stored',
      (error: { type?: string }) => error.type,
    );
  expect(await send(MEASURED, '{"lumens": 3}', null)).toBe('stored');
  expect(await send(MEASURED, '{"lumens": 3}', '{"lumens": -3}')).toBe('INVALID_RECORD');
  expect(await send('elsewhere', '{}')).toBe('INVALID_RECORD');
  const { messages } = await startConsumer(client, 'readers', [MEASURED]);
  expect(await send(MEASURED, '{"lumens": 4}')).toBe('stored');
  await eventually(() => messages.length === 3);
  expect(messages.map(({ value }) => value?.toString())).toEqual([
    '{"lumens": 3}',
    undefined,
    '{"lumens": 4}',
  ]);
  const noted = running.host.journal.list().flatMap(({ contract }) => contract?.violations ?? []);
  expect(noted).toEqual([
    { in: 'request', path: '/payload/lumens', message: 'must be >= 0', value: -3 },
    { in: 'request', path: '/topic', message: 'must be a channel of the contract', value: 'elsewhere' },
  ]);
  expect(running.kind.contract?.coverage()).toMatchObject({
    operations: { total: 4, touched: 1 },
    answers: { touched: 1 },
    violations: { requests: 2, answers: 0 },
    unknown: 1,
  });
  expect(running.kind.contract?.coverage().list).toContainEqual(
    expect.objectContaining({ name: CHANNEL, requests: 5 }),
  );
});

it('says which records of a batch are wrong', async () => {
  const { port } = await startHost({
    contract: { file: sample('streetlights-kafka.yaml') },
    topics: [{ name: MEASURED }],
  });
  const client = await RawClient.connect(port);
  const records = batchOf(['{"lumens": 1}', '{"lumens": "many"}']);
  const { responses } = await client.call(produce, 9, {
    transactionalId: null,
    acks: 1,
    timeoutMs: 1000,
    topicData: [{ name: MEASURED, partitionData: [{ index: 0, records: [records] }] }],
  });
  const reason = '/payload/lumens must be an integer';
  expect(responses[0]?.partitionResponses[0]).toMatchObject({
    errorCode: 87,
    recordErrors: [{ batchIndex: 1, batchIndexErrorMessage: reason }],
    errorMessage: `the contract does not allow record 1: ${reason}`,
  });
});

it('notes with mode warn, and stores', async () => {
  const file = sample('streetlights-kafka.yaml');
  const running = await startHost({ contract: { file, mode: 'warn' } });
  const producer = await startProducer(connectKafkaJs(running));
  await producer.send({ topic: MEASURED, messages: [{ value: '{"lumens": -3}' }] });
  expect(running.kind.contract?.coverage().violations).toEqual({ requests: 1, answers: 0 });
});

it('refuses mocks, their records and their answers', async () => {
  const file = sample('streetlights-kafka.yaml');
  const answer = (value: string) => ({ id: 'on', topic: MEASURED, response: { topic: ON, value } });
  const made = (mock: { id: string; topic: string; records?: { value: string }[] }): Promise<unknown> =>
    createHost({ protocols: [kafka], settings: { kafka: { contract: { file }, mocks: [mock] } } });
  await expect(made(answer('{"command": "up"}'))).rejects.toThrow(
    /mock "on" answers what the contract does not allow: \/payload\/command must be one of "on", "off"/,
  );
  await expect(made({ id: 'data', topic: MEASURED, records: [{ value: 'no' }] })).rejects.toThrow(
    /\/records\/0: mock "data" answers what the contract does not allow: \/payload must be JSON/,
  );
  const mocks = [answer('{"command": "{{request.headers.command}}"}')];
  const running = await startHost({ contract: { file }, mocks, topics: [{ name: ON }] });
  const client = connectKafkaJs(running);
  const { messages } = await startConsumer(client, 'readers', [ON]);
  const producer = await startProducer(client);
  for (const command of ['up', 'off'])
    await producer.send({ topic: MEASURED, messages: [{ value: '{"lumens": 1}', headers: { command } }] });
  await eventually(() => messages.length === 1);
  expect(messages[0]?.value?.toString()).toBe('{"command": "off"}');
  expect(running.kind.contract?.coverage()).toMatchObject({
    operations: { touched: 2 },
    violations: { requests: 0, answers: 1 },
  });
});
