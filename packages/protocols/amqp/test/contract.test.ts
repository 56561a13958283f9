import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { createHost } from '@backlot/core';
import { amqp } from '../src/index.js';
import { bodiesOf, channelError, collect, openChannel, openConfirmChannel, startHost } from './support.js';

/** Documents of the AsyncAPI Initiative, as they stand in its repository. */
const sample = (name: string): string =>
  fileURLToPath(new URL(`../../../imports/test/samples/asyncapi/${name}`, import.meta.url));

it.each(['rpc-server.yaml', 'v2/rpc-server.yaml'])('refuses messages by %s', async (name) => {
  const mocks = [
    { id: 'sum', queue: 'rpc_queue', response: { json: { result: '{{request.headers.sum}}' } } },
  ];
  const { url, kind, host } = await startHost({
    contract: { file: sample(name) },
    mocks,
    queues: [{ name: 'rpc_queue' }],
  });
  const channel = await openConfirmChannel(url);
  const send = (queue: string, body: string): Promise<string> =>
    new Promise((resolve) => {
      channel.sendToQueue(queue, Buffer.from(body), {}, (error) => resolve(error === null ? 'ack' : 'nack'));
    });
  expect(await send('rpc_queue', '{"numbers": [4, 3]}')).toBe('ack');
  expect(await send('rpc_queue', '{"numbers": ["four"]}')).toBe('nack');
  expect(await send('rpc_queue', '{"numbers": []}')).toBe('ack');
  expect(host.journal.list().flatMap(({ contract }) => contract?.violations ?? [])).toContainEqual({
    in: 'request',
    path: '/payload/numbers/0',
    message: 'must be a number',
    value: 'four',
  });
  const plain = await openChannel(url);
  const closed = channelError(plain);
  plain.sendToQueue('rpc_queue', Buffer.from('nothing'));
  expect(await closed).toMatchObject({
    code: 406,
    message: expect.stringContaining('the contract does not allow it: /payload must be JSON'),
  });
  expect(kind.contract?.coverage()).toMatchObject({
    operations: { total: 2, touched: 1 },
    violations: { requests: 2 },
  });
});

it('checks answers, those of a mock too', async () => {
  const file = sample('rpc-server.yaml');
  const answer = (response: object) => ({ id: 'sum', queue: 'rpc_queue', response });
  const settings = { amqp: { contract: { file }, mocks: [answer({ routing_key: 'other', body: '7' })] } };
  await expect(createHost({ protocols: [amqp], settings })).rejects.toThrow(
    /mock "sum" answers what the contract does not allow: \/payload must be an object/,
  );
  const { url, kind } = await startHost({
    contract: { file },
    queues: [{ name: 'rpc_queue' }],
    mocks: [answer({ body: '{"result": {{request.headers.sum}}}' })],
  });
  const channel = await openChannel(url);
  const { queue } = await channel.assertQueue('', { exclusive: true });
  const answers = await collect(channel, queue);
  for (const sum of ['"seven"', '7'])
    channel.sendToQueue('rpc_queue', Buffer.from('{"numbers": [4, 3]}'), {
      replyTo: queue,
      headers: { sum },
    });
  await eventually(() => answers.length === 1);
  expect(bodiesOf(answers)).toEqual(['{"result": 7}']);
  expect(kind.contract?.coverage().violations).toEqual({ requests: 0, answers: 1 });
});

it('notes with mode warn, and hands on', async () => {
  const { url, kind } = await startHost({
    contract: { file: sample('rpc-server.yaml'), mode: 'warn' },
    queues: [{ name: 'rpc_queue' }],
  });
  const channel = await openChannel(url);
  const messages = await collect(channel, 'rpc_queue');
  channel.sendToQueue('rpc_queue', Buffer.from('nothing'));
  await eventually(() => messages.length === 1);
  expect(kind.contract?.coverage().violations).toEqual({ requests: 1, answers: 0 });
});

it('finds channels by their exchange', async () => {
  const { url, kind } = await startHost({
    contract: { file: fileURLToPath(new URL('exchanges.asyncapi.yaml', import.meta.url)) },
    exchanges: [
      { name: 'orders', type: 'topic' },
      { name: 'news', type: 'fanout' },
      { name: 'other', type: 'topic' },
    ],
  });
  const channel = await openConfirmChannel(url);
  const send = (exchange: string, key: string, body: string): Promise<string> =>
    new Promise((resolve) => {
      channel.publish(exchange, key, Buffer.from(body), {}, (error) =>
        resolve(error === null ? 'ack' : 'nack'),
      );
    });
  expect(await send('orders', 'order.eu.created', '{"id": 1}')).toBe('ack');
  expect(await send('orders', 'order.eu.created', '{"id": "1"}')).toBe('nack');
  expect(await send('other', 'order.eu.created', '{"id": 1}')).toBe('nack');
  expect(await send('news', 'whatever', '"hello"')).toBe('ack');
  expect(await send('news', '', '7')).toBe('nack');
  expect(await send('other', 'anywhere.logged', '"hello"')).toBe('ack');
  expect(kind.contract?.coverage().operations).toEqual({ total: 3, touched: 3 });
});
