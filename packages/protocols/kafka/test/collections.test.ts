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

it('a record changes several collections, or none', async () => {
  const running = await startHost({
    topics: [{ name: 'payments' }, { name: 'answers' }],
    mocks: [
      {
        topic: 'payments',
        collection: [
          { name: 'orders', update: '{{request.key}}', value: { paid: true }, as: 'order' },
          { name: 'accounts', get: '{{order.account}}', as: 'account' },
          { name: 'accounts', update: '{{account.id}}', value: { left: '{{sub account.left order.total}}' } },
        ],
        response: {
          topic: 'answers',
          key: '{{order.id}}',
          json: { order: '{{order}}', left: '{{row.left}}' },
        },
      },
      { topic: 'payments', response: { topic: 'answers', key: '{{request.key}}', value: 'refused' } },
    ],
  });
  const { host } = running;
  host.collection('accounts').setAll([{ id: 'ann', left: 10 }]);
  host.collection('orders').setAll([
    { id: 'o1', account: 'ann', total: 4 },
    { id: 'o2', account: 'nobody', total: 1 },
  ]);
  const producer = await startProducer(connectKafkaJs(running));
  for (const key of ['o1', 'o2', 'o3'])
    await producer.send({ topic: 'payments', messages: [{ key, value: '{}' }] });
  const { messages } = await startConsumer(connectKafkaJs(running), 'readers', ['answers']);
  await eventually(() => messages.length === 3);
  expect(messages.map(({ key, value }) => [String(key), String(value)])).toEqual([
    ['o1', '{"order":{"id":"o1","account":"ann","total":4,"paid":true},"left":6}'],
    ['o2', 'refused'],
    ['o3', 'refused'],
  ]);
  expect(host.collection('orders').get('o2')).toEqual({ id: 'o2', account: 'nobody', total: 1 });
  expect(host.collection('accounts').get('ann')).toEqual({ id: 'ann', left: 6 });
});
