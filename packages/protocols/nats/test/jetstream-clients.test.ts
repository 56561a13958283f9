import { expect } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import {
  AckPolicy,
  DeliverPolicy,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  type JsMsg,
} from '@nats-io/jetstream';
import { Kvm, type KvEntry } from '@nats-io/kv';
import { Objm } from '@nats-io/obj';
import { headers, type NatsConnection } from '@nats-io/transport-node';
import { startJetStream } from './reference-server.js';
import { connect3, startHost } from './support.js';

/** What a call gives, or why it fails: the same of both servers. */
async function outcome(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await call();
  } catch (thrown) {
    return `fails: ${(thrown as Error).message}`;
  }
}

/** The first so many of what comes, each as what is shown of it. */
async function take<Item>(
  source: AsyncIterable<Item>,
  count: number,
  show: (item: Item) => unknown,
): Promise<unknown[]> {
  const taken: unknown[] = [];
  for await (const item of source) {
    taken.push(show(item));
    if (taken.length === count) break;
  }
  return taken;
}

const delivered = (message: JsMsg): unknown => [
  message.subject,
  message.seq,
  message.string(),
  message.info.deliverySequence,
  message.info.deliveryCount,
  message.info.pending,
  message.redelivered,
  message.headers?.get('x') ?? '',
];

/** Consumers to which the server pushes: acknowledged, refused, ended, held back by max_ack_pending, of headers alone. */
async function push(client: NatsConnection): Promise<unknown[]> {
  const [js, manager] = [jetstream(client), await jetstreamManager(client)];
  await manager.streams.add({ name: 's', subjects: ['s.>'] });
  const sent = headers();
  sent.set('x', 'y');
  for (let n = 1; n <= 6; n += 1) await js.publish(`s.${n % 2}`, String(n), n === 1 ? { headers: sent } : {});
  const consumerOf = async (
    name: string,
    more: object,
  ): Promise<ReturnType<typeof js.consumers.getPushConsumer>> => {
    await manager.consumers.add('s', {
      durable_name: name,
      deliver_subject: `to.${name}`,
      ack_policy: AckPolicy.Explicit,
      ...more,
    });
    return js.consumers.getPushConsumer('s', name);
  };
  const all = await (await consumerOf('all', { max_ack_pending: 2 })).consume();
  const seen = await take(all, 7, (message) => {
    if (message.seq === 2 && !message.redelivered) message.nak();
    else if (message.seq === 3) message.term();
    else message.ack();
    return delivered(message);
  });
  // What was refused comes again when it does, so that the order is not said.
  const numbers = seen.map((each) => (each as unknown[])[1]).toSorted((a, b) => Number(a) - Number(b));
  const odd = await (
    await consumerOf('odd', { filter_subject: 's.1', ack_policy: AckPolicy.None })
  ).consume();
  const last = await (
    await consumerOf('last', {
      deliver_policy: DeliverPolicy.LastPerSubject,
      filter_subject: 's.>',
      ack_policy: AckPolicy.All,
    })
  ).consume();
  const bare = await (
    await consumerOf('bare', {
      headers_only: true,
      ack_policy: AckPolicy.None,
      opt_start_seq: 5,
      deliver_policy: DeliverPolicy.StartSequence,
    })
  ).consume();
  const answers = [
    numbers,
    await take(odd, 3, delivered),
    await take(last, 2, (message) => {
      if (message.seq === 6) message.ack();
      return delivered(message);
    }),
    await take(bare, 2, (message) => [message.string(), message.headers?.get('Nats-Msg-Size')]),
  ];
  await client.flush();
  const info = await manager.consumers.info('s', 'all');
  answers.push([info.num_ack_pending, info.num_pending, info.ack_floor.stream_seq, info.push_bound]);
  const refused = [
    { durable_name: 'no', deliver_subject: 's.1', ack_policy: AckPolicy.None },
    { durable_name: 'no', deliver_subject: 'to.*', ack_policy: AckPolicy.None },
    { durable_name: 'no', deliver_subject: 'to', ack_policy: AckPolicy.None, max_waiting: 5 },
    { durable_name: 'no', deliver_subject: 'to', ack_policy: AckPolicy.None, flow_control: true },
    { durable_name: 'all', deliver_subject: 'to', ack_policy: AckPolicy.None },
  ];
  for (const config of refused)
    answers.push([await outcome(() => manager.consumers.add('s', config).then(() => 'made'))]);
  return answers;
}

/** A bucket of keys and values, as nats.js makes one of streams. */
async function keysAndValues(client: NatsConnection): Promise<unknown[]> {
  const kvm = new Kvm(client);
  const kv = await kvm.create('settings', { history: 3, maxValueSize: 100 });
  const shown = (entry: KvEntry): unknown => [
    entry.key,
    entry.operation,
    entry.revision,
    entry.delta,
    entry.string(),
  ];
  const read = async (key: string, revision?: number): Promise<unknown> => {
    const entry = await kv.get(key, revision === undefined ? undefined : { revision });
    return entry === null ? null : [entry.key, entry.operation, entry.revision, entry.string()];
  };
  const answers: unknown[] = [
    await kv.put('a.b', '1'),
    await kv.put('a.c', '2'),
    await kv.create('n', '3'),
    await outcome(() => kv.create('n', '4')),
    await outcome(() => kv.update('n', '5', 1)),
    await outcome(() => kv.update('n', '5', 3)),
    await outcome(() => kv.put('large', 'x'.repeat(200))),
    await outcome(() => kv.put('bad key', '')),
    await outcome(() => kv.put('', '')),
    await read('a.b'),
    await read('a.b', 1),
    await outcome(() => read('a.b', 2)),
    await outcome(() => read('a.b', 999)),
    await read('none'),
  ];
  for (const value of ['6', '7', '8', '9']) await kv.put('a.b', value);
  await kv.delete('a.c');
  answers.push(
    await read('a.c'),
    await take(await kv.history({ key: 'a.*' }), 4, shown),
    await take(await kv.watch({ key: 'a.>' }), 2, shown),
    await take(await kv.keys(), 2, String),
    await kv.create('a.c', 'again'),
  );
  await kv.purge('a.b');
  answers.push(await read('a.b'), await take(await kv.history({ key: 'a.b' }), 1, shown));
  const { bucket, values, history, size: _, ttl, storage } = await kv.status();
  answers.push([bucket, values, history, ttl, storage]);
  answers.push(
    await outcome(async () => (await (await kvm.create('settings', { history: 5 })).status()).history),
  );
  answers.push(await outcome(async () => (await kvm.open('none')).get('a')));
  // Nobody answers for a bucket that is gone: who asks it waits until he gives up.
  const brief = await new Kvm(jetstream(client, { timeout: 250 })).open('settings');
  answers.push(await kv.destroy(), await outcome(() => brief.get('n')));
  return answers;
}

/** A bucket of objects. */
async function objects(client: NatsConnection): Promise<unknown[]> {
  const store = await new Objm(client).create('files', { description: 'some' });
  const blob = new Uint8Array(300_000).map((_, at) => at % 251);
  const shown = (
    info: { name: string; size: number; chunks: number; digest: string; deleted?: boolean } | null,
  ): unknown => info && [info.name, info.size, info.chunks, info.digest, info.deleted ?? false];
  const put = async (name: string, bytes: Uint8Array, size = 100_000): Promise<unknown> =>
    shown(await store.putBlob({ name, options: { max_chunk_size: size } }, bytes));
  const answers: unknown[] = [
    await put('a', blob),
    await put('b', new Uint8Array([1, 2])),
    await put('empty', new Uint8Array()),
    await put('a', blob.subarray(0, 150_000)),
    shown(await store.info('a')),
    Buffer.from((await store.getBlob('a')) ?? []).equals(blob.subarray(0, 150_000)),
    await store.getBlob('none'),
    await store.info('none'),
    (await store.list()).map((each) => shown(each)).toSorted(),
  ];
  const info = await store.info('b');
  if (info !== null)
    answers.push(shown(await store.link('link', info)), [...((await store.getBlob('link')) ?? [])]);
  answers.push(
    await outcome(() => store.update('b', { name: 'a' })),
    await outcome(() => store.update('b', { name: 'c', description: 'new' }).then(() => 'done')),
    shown(await store.info('c')),
    await store.delete('a'),
    shown(await store.info('a')),
    await store.getBlob('a'),
  );
  const { bucket, description, sealed, storage } = await store.status();
  answers.push([bucket, description, sealed, storage]);
  answers.push((await store.seal()).sealed, await outcome(() => put('late', new Uint8Array([1]))));
  answers.push(await store.destroy());
  return answers;
}

/** A queue of work, from which nats.js pulls. */
async function work(client: NatsConnection): Promise<unknown[]> {
  const [js, manager] = [jetstream(client), await jetstreamManager(client)];
  await manager.streams.add({ name: 'w', subjects: ['w'], retention: RetentionPolicy.Workqueue });
  await manager.consumers.add('w', { durable_name: 'c', ack_policy: AckPolicy.Explicit, max_deliver: 2 });
  const answers: unknown[] = [];
  for (const id of ['1', '2', '2']) {
    const { seq, duplicate, stream } = await js.publish('w', id, { msgID: id });
    answers.push([seq, duplicate, stream]);
  }
  answers.push(await outcome(() => js.publish('w', '', { expect: { lastSequence: 9 } })));
  answers.push(await outcome(() => js.publish('w', '', { expect: { streamName: 'x' } })));
  const consumer = await js.consumers.get('w', 'c');
  const first = await consumer.next();
  answers.push(first && delivered(first), await first?.ackAck());
  const second = await consumer.next();
  second?.nak();
  const again = await consumer.next();
  answers.push(second && delivered(second), again && delivered(again), await again?.ackAck());
  const { state } = await manager.streams.info('w');
  answers.push([state.messages, state.first_seq, state.last_seq]);
  answers.push(
    await outcome(() => manager.consumers.add('w', { durable_name: 'd', ack_policy: AckPolicy.Explicit })),
  );
  return answers;
}

itWithTool(
  'nats-server',
  'nats.js gets the same of pushes, buckets, objects and work queues as from nats-server',
  async () => {
    const ours = await connect3((await startHost({ jetstream: true })).port, { noAsyncTraces: true });
    const theirs = await connect3(await startJetStream(), { noAsyncTraces: true });
    for (const calls of [push, keysAndValues, objects, work]) {
      const [own, real] = await Promise.all([calls(ours), calls(theirs)]);
      expect(own).toEqual(real);
    }
  },
);
