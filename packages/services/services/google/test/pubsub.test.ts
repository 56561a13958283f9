import { afterEach, describe, expect, it } from '@jest/globals';
import { type Message, PubSub, type Subscription, type Topic, v1 } from '@google-cloud/pubsub';
import { useBacklot } from '@backlot/testing';

// Clients look for a server of Google's own else, and say that there is none.
process.env.METADATA_SERVER_DETECTION = 'none';

const backlot = useBacklot({ services: ['google'] });
const open: { close(): Promise<unknown> }[] = [];

function connect(): PubSub {
  const client = new PubSub({
    projectId: backlot.env.GOOGLE_CLOUD_PROJECT,
    apiEndpoint: backlot.env.PUBSUB_EMULATOR_HOST,
    emulatorMode: true,
  });
  open.push(client);
  return client;
}

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const NAME = 'projects/backlot/subscriptions/bills';

/** A topic and a subscription to it. */
async function pair(options: object = {}): Promise<{ topic: Topic; subscription: Subscription }> {
  const [topic] = await connect().createTopic('orders');
  const [subscription] = await topic.createSubscription('bills', options);
  return { topic, subscription };
}

/** The calls as the schema has them. */
async function subscriber(): Promise<v1.SubscriberClient> {
  const { port, ...options } = await connect().getClientConfig();
  const client = new v1.SubscriberClient({ ...options, port: Number(port) });
  open.push(client);
  return client;
}

interface Pulled {
  readonly ackId: string;
  readonly text: string;
  readonly attempt: number;
}

async function pull(client: v1.SubscriberClient, maxMessages = 10, subscription = NAME): Promise<Pulled[]> {
  const [{ receivedMessages }] = await client.pull({ subscription, maxMessages, returnImmediately: true });
  return (receivedMessages ?? []).map(({ ackId, message, deliveryAttempt }) => ({
    ackId: ackId ?? '',
    text: Buffer.from(message?.data ?? '').toString(),
    attempt: deliveryAttempt ?? 0,
  }));
}

const textsOf = (pulled: readonly Pulled[]): string[] => pulled.map(({ text }) => text);
const send = (topic: Topic, text: string, more: object = {}): Promise<string> =>
  topic.publishMessage({ data: Buffer.from(text), ...more });

/** The next messages of a subscription, each acknowledged unless it is said otherwise. */
function receive(
  subscription: Subscription,
  count: number,
  act = (one: Message): void => one.ack(),
): Promise<Message[]> {
  return new Promise((resolve, reject) => {
    const found: Message[] = [];
    subscription.on('error', reject);
    subscription.on('message', (message: Message) => {
      act(message);
      found.push(message);
      if (found.length === count) resolve(found);
    });
    open.push(subscription);
  });
}

describe('topics', () => {
  it('are made, found, listed in pages, changed and removed', async () => {
    const pubsub = connect();
    for (const name of ['orders', 'bills', 'parcels'])
      await pubsub.createTopic({ name, labels: { team: name } });
    const [orders] = await pubsub.topic('orders').getMetadata();
    expect(orders).toMatchObject({ name: 'projects/backlot/topics/orders', labels: { team: 'orders' } });
    const [page, query] = await pubsub.getTopics({ pageSize: 2, autoPaginate: false });
    expect(page.map(({ name }) => name)).toEqual([
      'projects/backlot/topics/bills',
      'projects/backlot/topics/orders',
    ]);
    expect((await pubsub.getTopics({ ...query, autoPaginate: false }))[0]).toHaveLength(1);
    await pubsub.topic('orders').setMetadata({ labels: { team: 'tea' } });
    expect((await pubsub.topic('orders').getMetadata())[0].labels).toEqual({ team: 'tea' });
    await pubsub.topic('orders').delete();
    expect(await pubsub.topic('orders').exists()).toEqual([false]);
  });

  it('are refused as Pub/Sub does', async () => {
    const pubsub = connect();
    await pubsub.createTopic('orders');
    await expect(pubsub.createTopic('orders')).rejects.toMatchObject({ code: 6 });
    await expect(pubsub.topic('none').getMetadata()).rejects.toMatchObject({
      code: 5,
      details: 'Resource not found (resource=none).',
    });
    await expect(pubsub.createTopic('goog-x')).rejects.toMatchObject({ code: 3 });
    await expect(send(pubsub.topic('none'), 'x')).rejects.toMatchObject({ code: 5 });
    await expect(pubsub.topic('orders').publishMessage({ data: Buffer.alloc(0) })).rejects.toMatchObject({
      code: 3,
    });
    const schema = { schemaSettings: { schema: 'projects/backlot/schemas/s', encoding: 1 } };
    await expect(pubsub.createTopic({ name: 'typed', ...schema })).rejects.toMatchObject({ code: 12 });
  });
});

describe('subscriptions', () => {
  it('are made, found, listed, changed and removed', async () => {
    const { topic, subscription } = await pair({ ackDeadlineSeconds: 20, labels: { team: 'tea' } });
    await topic.createSubscription('audits');
    expect((await subscription.getMetadata())[0]).toMatchObject({
      name: NAME,
      topic: 'projects/backlot/topics/orders',
      ackDeadlineSeconds: 20,
      labels: { team: 'tea' },
    });
    const [page] = await connect().getSubscriptions({ pageSize: 1, autoPaginate: false });
    expect(page.map(({ name }) => name)).toEqual(['projects/backlot/subscriptions/audits']);
    expect((await topic.getSubscriptions())[0].map(({ name }) => name)).toHaveLength(2);
    await subscription.setMetadata({
      ackDeadlineSeconds: 30,
      retryPolicy: { minimumBackoff: { seconds: 5 } },
    });
    expect((await subscription.getMetadata())[0]).toMatchObject({
      ackDeadlineSeconds: 30,
      labels: { team: 'tea' },
      retryPolicy: { minimumBackoff: { seconds: '5' } },
    });
    await subscription.delete();
    expect(await subscription.exists()).toEqual([false]);
    await topic.delete();
    expect((await connect().subscription('audits').getMetadata())[0].topic).toBe('_deleted-topic_');
  });

  it('are refused as Pub/Sub does', async () => {
    const { topic } = await pair();
    await expect(topic.createSubscription('bills')).rejects.toMatchObject({ code: 6 });
    await expect(topic.createSubscription('short', { ackDeadlineSeconds: 5 })).rejects.toMatchObject({
      code: 3,
    });
    await expect(connect().topic('none').createSubscription('x-y')).rejects.toMatchObject({ code: 5 });
    await expect(topic.createSubscription('bad', { filter: 'attributes.a ~ "b"' })).rejects.toMatchObject({
      code: 3,
    });
    await expect(topic.createSubscription('push', { pushEndpoint: 'http://x' })).rejects.toMatchObject({
      code: 12,
    });
    await expect(connect().subscription('none').getMetadata()).rejects.toMatchObject({ code: 5 });
  });
});

describe('messages', () => {
  it('reach all subscribers by streams, with bytes and attributes', async () => {
    const { topic, subscription } = await pair();
    const [audits] = await topic.createSubscription('audits');
    const both = [receive(subscription, 1), receive(audits, 1)];
    const data = Buffer.from([0, 255, 1]);
    const id = await topic.publishMessage({ data, attributes: { kind: 'new' } });
    for (const [message] of await Promise.all(both))
      expect(message).toMatchObject({ id, data, attributes: { kind: 'new' } });
    expect(backlot.collection('google:messages').get(id)).toMatchObject({ attributes: { kind: 'new' } });
  });

  it('wait for who subscribes later, many at once', async () => {
    const { topic, subscription } = await pair();
    await Promise.all(Array.from({ length: 150 }, (_, index) => send(topic, String(index))));
    const found = await receive(subscription, 150);
    expect(new Set(found.map(({ data }) => data.toString())).size).toBe(150);
  });

  it('are gone once they are acknowledged, and come again when they are not', async () => {
    const { topic, subscription } = await pair();
    await send(topic, 'a');
    let isFirst = true;
    const found = await receive(subscription, 2, (message) => {
      if (isFirst) message.nack();
      else message.ack();
      isFirst = false;
    });
    expect(found.map(({ data }) => data.toString())).toEqual(['a', 'a']);
    await subscription.close();
    expect(backlot.collection('google:deliveries').size).toBe(0);
  });

  it('are pulled, acknowledged and given back', async () => {
    const { topic } = await pair();
    const client = await subscriber();
    for (const text of ['a', 'b', 'c']) await send(topic, text);
    const [a, b] = await pull(client, 2);
    expect([a?.text, b?.text]).toEqual(['a', 'b']);
    expect(textsOf(await pull(client))).toEqual(['c']);
    await client.acknowledge({ subscription: NAME, ackIds: [a?.ackId ?? ''] });
    await client.modifyAckDeadline({ subscription: NAME, ackIds: [b?.ackId ?? ''], ackDeadlineSeconds: 0 });
    expect(textsOf(await pull(client))).toEqual(['b']);
    await expect(pull(client, 0)).rejects.toMatchObject({ code: 3 });
  });

  it('are waited for by a pull', async () => {
    const { topic } = await pair();
    const client = await subscriber();
    const waiting = client.pull({ subscription: NAME, maxMessages: 1 });
    await send(topic, 'late');
    expect((await waiting)[0].receivedMessages).toHaveLength(1);
  });

  it('come again when their deadline is over, by the virtual clock', async () => {
    const { topic } = await pair({ ackDeadlineSeconds: 10 });
    const client = await subscriber();
    await send(topic, 'a');
    const [first] = await pull(client);
    await backlot.clock.advance(9000);
    expect(await pull(client)).toEqual([]);
    await client.modifyAckDeadline({
      subscription: NAME,
      ackIds: [first?.ackId ?? ''],
      ackDeadlineSeconds: 60,
    });
    await backlot.clock.advance(50_000);
    expect(await pull(client)).toEqual([]);
    await backlot.clock.advance(11_000);
    const [again] = await pull(client);
    expect(again?.text).toBe('a');
    // The first id is over.
    await client.acknowledge({ subscription: NAME, ackIds: [first?.ackId ?? ''] });
    expect(backlot.collection('google:deliveries').size).toBe(1);
  });

  it('come again after the pauses of a retry policy', async () => {
    await pair({ retryPolicy: { minimumBackoff: { seconds: 10 }, maximumBackoff: { seconds: 15 } } });
    const client = await subscriber();
    await send(connect().topic('orders'), 'a');
    for (const pause of [10, 15]) {
      const [got] = await pull(client);
      await client.modifyAckDeadline({
        subscription: NAME,
        ackIds: [got?.ackId ?? ''],
        ackDeadlineSeconds: 0,
      });
      await backlot.clock.advance((pause - 1) * 1000);
      expect(await pull(client)).toEqual([]);
      await backlot.clock.advance(2000);
    }
    expect(textsOf(await pull(client))).toEqual(['a']);
  });

  it('with an ordering key come in order, and again in order', async () => {
    const { topic } = await pair({ enableMessageOrdering: true });
    const client = await subscriber();
    const ordered = connect().topic('orders', { messageOrdering: true });
    for (const text of ['1', '2', '3']) await send(ordered, text, { orderingKey: 'k' });
    await send(topic, 'other');
    const [one, two, ...rest] = await pull(client, 2);
    expect([one?.text, two?.text, rest]).toEqual(['1', '2', []]);
    await client.modifyAckDeadline({ subscription: NAME, ackIds: [one?.ackId ?? ''], ackDeadlineSeconds: 0 });
    expect(textsOf(await pull(client))).toEqual(['1', '2', '3', 'other']);
  });

  it('pass a filter', async () => {
    const filter = 'attributes.kind = "new" AND NOT (attributes:test OR hasPrefix(attributes.from, "x-"))';
    const { topic } = await pair({ filter });
    await send(topic, 'yes', { attributes: { kind: 'new', from: 'a' } });
    await send(topic, 'no', { attributes: { kind: 'old' } });
    await send(topic, 'no', { attributes: { kind: 'new', test: '' } });
    await send(topic, 'no', { attributes: { kind: 'new', from: 'x-1' } });
    expect(textsOf(await pull(await subscriber()))).toEqual(['yes']);
  });

  it('that fail too often go to another topic, with the number of attempts', async () => {
    const pubsub = connect();
    const [dead] = await pubsub.createTopic('dead');
    const [last] = await dead.createSubscription('failed');
    const { topic } = await pair({
      deadLetterPolicy: { deadLetterTopic: dead.name, maxDeliveryAttempts: 5 },
    });
    const client = await subscriber();
    await send(topic, 'bad');
    const attempts: number[] = [];
    for (let got = await pull(client); got.length > 0; got = await pull(client)) {
      attempts.push(...got.map(({ attempt }) => attempt));
      const ackIds = got.map(({ ackId }) => ackId);
      await client.modifyAckDeadline({ subscription: NAME, ackIds, ackDeadlineSeconds: 0 });
    }
    expect(attempts).toEqual([1, 2, 3, 4, 5]);
    const [message] = await receive(last, 1);
    expect(message?.data.toString()).toBe('bad');
    expect(message?.attributes).toMatchObject({
      CloudPubSubDeadLetterSourceDeliveryCount: '5',
      CloudPubSubDeadLetterSourceSubscription: 'bills',
    });
  });

  it('of exactly-once delivery say whether an acknowledgement came in time', async () => {
    const { topic, subscription } = await pair({ enableExactlyOnceDelivery: true });
    await send(topic, 'a');
    const answers: string[] = [];
    await new Promise<void>((resolve, reject) => {
      subscription.on('message', (message: Message) => {
        message.ackWithResponse().then((answer) => {
          answers.push(String(answer));
          resolve();
        }, reject);
      });
      open.push(subscription);
    });
    expect(answers).toEqual(['SUCCESS']);
    const client = await subscriber();
    const late = client.acknowledge({ subscription: NAME, ackIds: ['none'] });
    await expect(late).rejects.toMatchObject({ code: 9, reason: 'PERMANENT_FAILURE_INVALID_ACK_ID' });
  });

  it('are delivered again from a time on', async () => {
    const { topic, subscription } = await pair({ retainAckedMessages: true });
    const client = await subscriber();
    await send(topic, 'old');
    await backlot.clock.advance(60_000);
    const time = new Date(backlot.clock.now());
    await send(topic, 'new');
    const got = await pull(client);
    await client.acknowledge({ subscription: NAME, ackIds: got.map(({ ackId }) => ackId) });
    await subscription.seek(time);
    expect(textsOf(await pull(client))).toEqual(['new']);
    await expect(subscription.seek('snapshot')).rejects.toMatchObject({ code: 12 });
  });

  it('are no longer delivered by a subscription that is detached', async () => {
    const { topic, subscription } = await pair();
    await connect().detachSubscription('bills');
    await send(topic, 'a');
    expect(await subscription.detached()).toEqual([true]);
    await expect(pull(await subscriber())).rejects.toMatchObject({ code: 9 });
  });
});

describe('scenarios of Pub/Sub', () => {
  it.each([
    ['rate-limited', 8],
    ['outage', 14],
    ['expired-credentials', 16],
  ])('%s', async (name, code) => {
    backlot.scenarios.activate(`google:${name}`);
    const client = await subscriber();
    const once = { retry: null, timeout: 5000 };
    await expect(client.getSubscription({ subscription: NAME }, once)).rejects.toMatchObject({ code });
  });

  it('rate-limited-twice is overcome by the retries of the client', async () => {
    const { topic } = await pair();
    backlot.scenarios.activate('google:rate-limited-twice');
    expect(await send(topic, 'a')).toBe('1');
  });

  it('redelivery delivers each message once more', async () => {
    const { topic, subscription } = await pair();
    backlot.scenarios.activate('google:redelivery');
    await send(topic, 'a');
    const found = await receive(subscription, 2);
    expect(found.map(({ data }) => data.toString())).toEqual(['a', 'a']);
  });
});
