import { expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { connectKafkaJs, startConsumer, startHost, startProducer } from './support.js';

it('records that arrive become rows, and are answered with rows', async () => {
  const running = await startHost({
    topics: [{ name: 'orders' }, { name: 'lookups' }, { name: 'answers' }],
    mocks: [
      {
        topic: 'orders',
        collection: { name: 'orders', upsert: '{{request.key}}', value: '{{request.body}}' },
        response: { topic: 'answers', key: '{{row.id}}', value: '{{row}}' },
      },
      {
        topic: 'lookups',
        collection: { name: 'orders', get: '{{request.key}}' },
        response: { topic: 'answers', key: '{{row.id}}', value: 'total {{row.total}}' },
      },
      { topic: 'lookups', response: { topic: 'answers', key: '{{request.key}}', value: 'none' } },
    ],
  });
  const client = connectKafkaJs(running);
  const producer = await startProducer(client);
  const send = (topic: string, key: string, value: object = {}): Promise<unknown> =>
    producer.send({ topic, messages: [{ key, value: JSON.stringify(value) }] });
  await send('orders', 'o1', { total: 5, lines: [{ sku: 'a' }] });
  await send('lookups', 'o1');
  await send('lookups', 'o2');
  const { messages } = await startConsumer(client, 'readers', ['answers']);
  await eventually(() => messages.length === 3);
  expect(messages.map(({ key, value }) => [String(key), String(value)])).toEqual([
    ['o1', '{"id":"o1","total":5,"lines":[{"sku":"a"}]}'],
    ['o1', 'total 5'],
    ['o2', 'none'],
  ]);
  expect(running.host.collection('orders').list()).toEqual([{ id: 'o1', total: 5, lines: [{ sku: 'a' }] }]);
});
