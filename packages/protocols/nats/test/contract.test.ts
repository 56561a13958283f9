import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { createHost } from '@backlot/core';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { nats } from '../src/index.js';
import { connect2, connect3, startHost } from './support.js';

/** Documents of the AsyncAPI Initiative, as they stand in its repository. */
const sample = (name: string): string =>
  fileURLToPath(new URL(`../../../imports/test/samples/asyncapi/${name}`, import.meta.url));
const MEASURED = 'smartylighting.streetlights.1.0.event.7.lighting.measured';
const ON = 'smartylighting.streetlights.1.0.action.7.turn.on';
const CHANNEL = 'smartylighting.streetlights.1.0.event.{streetlightId}.lighting.measured';

it.each(['streetlights-kafka.yaml', 'v2/streetlights-kafka.yaml'])('refuses messages by %s', async (name) => {
  const { port, host, kind } = await startHost({ contract: { file: sample(name) } });
  const client = await connect3(port);
  const got: string[] = [];
  const errors: string[] = [];
  void (async () => {
    for await (const status of client.status())
      if (status.type === 'error') errors.push(status.error.message);
  })();
  client.subscribe('>', { callback: (_error, message) => void got.push(message.string()) });
  client.publish(MEASURED, '{"lumens": 3}');
  client.publish(MEASURED, '{"lumens": -3}');
  client.publish('elsewhere', '{}');
  client.publish(MEASURED, '{"lumens": 4}');
  await client.flush();
  expect(got).toEqual(['{"lumens": 3}', '{"lumens": 4}']);
  await eventually(() => errors.length === 2);
  expect(errors[0]).toContain(`Permissions Violation for Publish to "${MEASURED}"`);
  expect(host.journal.list().flatMap(({ contract }) => contract?.violations ?? [])).toEqual([
    { in: 'request', path: '/payload/lumens', message: 'must be >= 0', value: -3 },
    { in: 'request', path: '/subject', message: 'must be a channel of the contract', value: 'elsewhere' },
  ]);
  expect(kind.contract?.coverage()).toMatchObject({
    operations: { total: 4, touched: 1 },
    violations: { requests: 2 },
    unknown: 1,
  });
  expect(kind.contract?.coverage().list[0]).toMatchObject({ name: CHANNEL, requests: 3 });
});

it('answers a request that is not allowed at once, and the client stays', async () => {
  const { port } = await startHost({ contract: { file: sample('streetlights-kafka.yaml') } }, [
    { id: 'echo', subject: MEASURED, response: { payload: '{{request.raw_body}}' } },
  ]);
  const client = await connect2(port);
  await expect(client.request(MEASURED, '{"lumens": "many"}', { timeout: 60_000 })).rejects.toThrow(
    /Permissions Violation/i,
  );
  expect((await client.request(MEASURED, '{"lumens": 1}')).string()).toBe('{"lumens": 1}');
});

it('holds what goes back to an inbox to the reply of the operation', async () => {
  const file = fileURLToPath(new URL('replies.asyncapi.yaml', import.meta.url));
  const { port, kind } = await startHost({ contract: { file } }, [
    { id: 'price', subject: 'prices.ask', response: { payload: '{"price": {{request.body.price}}}' } },
  ]);
  const client = await connect3(port);
  const ask = async (price: unknown): Promise<string> =>
    (await client.request('prices.ask', JSON.stringify({ product: 1, price }))).string();
  expect(await ask(7)).toBe('{"price": 7}');
  const inbox = 'mine';
  const got: string[] = [];
  client.subscribe(inbox, { callback: (_error, message) => void got.push(message.string()) });
  client.publish('prices.ask', '{"product": 1, "price": "many"}', { reply: inbox });
  client.publish('prices.ask', '{"product": 1, "price": 8}', { reply: inbox });
  await client.flush();
  expect(got).toEqual(['{"price": 8}']);
  expect(kind.contract?.coverage()).toMatchObject({
    operations: { total: 1, touched: 1 },
    answers: { total: 2, touched: 2 },
    violations: { requests: 0, answers: 1 },
  });
});

it('refuses what a stream would store, by the acknowledgement', async () => {
  const { port } = await startHost({
    contract: { file: sample('streetlights-kafka.yaml') },
    jetstream: { streams: [{ name: 'LIGHTS', subjects: ['smartylighting.>'] }] },
  });
  const client = await connect3(port);
  const streams = jetstream(client);
  expect(await streams.publish(MEASURED, '{"lumens": 3}')).toMatchObject({ stream: 'LIGHTS', seq: 1 });
  await expect(streams.publish(MEASURED, '{"lumens": -3}')).rejects.toThrow(
    'the contract does not allow it: /payload/lumens must be >= 0',
  );
  const manager = await jetstreamManager(client);
  expect((await manager.streams.info('LIGHTS')).state.messages).toBe(1);
});

it('refuses mocks and their answers, and takes all with mode warn', async () => {
  const file = sample('streetlights-kafka.yaml');
  const answer = (command: string) => ({
    id: 'on',
    subject: MEASURED,
    response: { subject: ON, payload: `{"command": "${command}"}` },
  });
  const settings = { nats: { contract: { file }, mocks: [answer('up')] } };
  await expect(createHost({ protocols: [nats], settings })).rejects.toThrow(
    /mock "on" answers what the contract does not allow: \/payload\/command must be one of "on", "off"/,
  );
  const run = async (mode: string): Promise<{ got: string[]; violations: unknown }> => {
    const { port, kind } = await startHost({ contract: { file, mode } }, [answer('{{request.body.lumens}}')]);
    const client = await connect3(port);
    const got: string[] = [];
    client.subscribe(ON, { callback: (_error, message) => void got.push(message.string()) });
    client.publish(MEASURED, '{"lumens": 1}');
    await client.flush();
    return { got, violations: kind.contract?.coverage().violations };
  };
  expect(await run('enforce')).toEqual({ got: [], violations: { requests: 0, answers: 1 } });
  expect(await run('warn')).toEqual({ got: ['{"command": "1"}'], violations: { requests: 0, answers: 1 } });
});
