import { describe, expect } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import type { NatsConnection } from '@nats-io/transport-node';
import { headers as makeHeaders } from '@nats-io/transport-node';
import { startJetStream } from './reference-server.js';
import { connect3, startHost } from './support.js';

type Step = readonly [subject: string, payload?: object | string, headers?: Readonly<Record<string, string>>];

/**
 * Who has not answered when so many requests behind it are answered, one after the other, does not answer. One would not
 * do: nats-server answers requests of different sorts in different goroutines.
 */
const MARKERS = 25;
/** Requests after which a stream has copied what it copies. */
const MOST_ASKED = 20_000;
/** What is answered only when this time is over, nanoseconds. */
const SOON = 1e6;

const stream = (name: string, more: object = {}): Step => [
  `$JS.API.STREAM.CREATE.${name}`,
  { name, subjects: [`${name}.>`], storage: 'memory', ...more },
];
const consumer = (of: string, name: string, config: object = {}): Step => [
  `$JS.API.CONSUMER.DURABLE.CREATE.${of}.${name}`,
  { stream_name: of, config: { durable_name: name, ack_policy: 'explicit', ...config } },
];
const info = (name: string, more: object | string = ''): Step => [`$JS.API.STREAM.INFO.${name}`, more];
const consumerInfo = (of: string, name: string): Step => [`$JS.API.CONSUMER.INFO.${of}.${name}`];
const next = (of: string, name: string, request: object | string = ''): Step => [
  `$JS.API.CONSUMER.MSG.NEXT.${of}.${name}`,
  request,
];
/** The acknowledgement of the message that was got last. */
const ack = (payload = ''): Step => ['<ack>', payload];
const copying = (name: string, more: object): Step => [
  `$JS.API.STREAM.CREATE.${name}`,
  { name, storage: 'memory', ...more },
];
/** Waits for what a stream copies. */
const copied = (name: string, sequence: number): Step => ['<copied>', { name, sequence }];
const put = (subject: string, payload = 'x', headers = {}): Step => [subject, payload, headers];

/** What is asked of both servers in turn, and answered by both alike. */
const SCRIPTS: Readonly<Record<string, readonly Step[]>> = {
  'an empty server': [
    ['$JS.API.STREAM.NAMES'],
    ['$JS.API.STREAM.LIST'],
    ['$JS.API.STREAM.INFO.none'],
    ['$JS.API.STREAM.DELETE.none'],
    ['$JS.API.STREAM.PURGE.none'],
    ['$JS.API.STREAM.MSG.GET.none', { seq: 1 }],
    ['$JS.API.STREAM.UPDATE.none', { name: 'none' }],
    ['$JS.API.CONSUMER.INFO.none.none'],
    ['$JS.API.CONSUMER.NAMES.none'],
    ['$JS.API.CONSUMER.MSG.NEXT.none.none'],
    ['$JS.API.DIRECT.GET.none', { seq: 1 }],
    ['$JS.API.FOO'],
    ['nowhere', 'x'],
  ],
  'streams are made': [
    stream('a'),
    stream('a'),
    stream('a', { max_msgs: 5 }),
    ['$JS.API.STREAM.CREATE.b', { name: 'c' }],
    ['$JS.API.STREAM.CREATE.b', { name: 'b', subjects: ['a.x'] }],
    ['$JS.API.STREAM.CREATE.b', { name: 'b', storage: 'memory' }],
    stream('d', { max_age: 1 }),
    stream('d', { num_replicas: 3 }),
    stream('d', { max_age: 1e9, duplicate_window: 2e9 }),
    stream('d', { deny_purge: true, allow_rollup_hdrs: true }),
    stream('d', { discard_new_per_subject: true }),
    stream('d', { discard: 'new', discard_new_per_subject: true }),
    stream('d', { max_age: 60e9, description: 'some', max_msg_size: 10, no_ack: true }),
    ['$JS.API.STREAM.NAMES', {}],
    ['$JS.API.STREAM.NAMES', { subject: 'a.x' }],
    ['$JS.API.STREAM.NAMES', { offset: 1 }],
    ['$JS.API.STREAM.LIST'],
    ['$JS.API.STREAM.UPDATE.a', { name: 'a', subjects: ['a.>', 'aa'], storage: 'memory', max_msgs: 4 }],
    ['$JS.API.STREAM.UPDATE.a', { name: 'a', subjects: ['d.>'], storage: 'memory' }],
    ['$JS.API.STREAM.UPDATE.a', { name: 'a', storage: 'file' }],
    info('a'),
    ['$JS.API.STREAM.DELETE.a'],
    ['$JS.API.STREAM.NAMES'],
  ],
  'messages are stored': [
    stream('a', { max_msg_size: 100 }),
    put('a.1', 'one'),
    put('a.2', 'two', { 'Nats-Msg-Id': 'id' }),
    put('a.2', 'two', { 'Nats-Msg-Id': 'id' }),
    put('a.2', 'x', { 'Nats-Expected-Last-Sequence': '7' }),
    put('a.2', 'x', { 'Nats-Expected-Last-Sequence': '2' }),
    put('a.2', 'x', { 'Nats-Expected-Last-Subject-Sequence': '1' }),
    put('a.2', 'x', { 'Nats-Expected-Last-Subject-Sequence': '3' }),
    put('a.9', 'x', { 'Nats-Expected-Last-Subject-Sequence': '0' }),
    put('a.2', 'x', { 'Nats-Expected-Stream': 'b' }),
    put('a.2', 'x', { 'Nats-Expected-Stream': 'a' }),
    put('a.2', 'x', { 'Nats-Expected-Last-Msg-Id': 'other' }),
    put('a.2', 'x', { 'Nats-Rollup': 'sub' }),
    put('a.2', 'x'.repeat(101)),
    info('a'),
    info('a', { subjects_filter: '>' }),
    info('a', { subjects_filter: 'a.1' }),
    ['$JS.API.STREAM.MSG.GET.a', { seq: 1 }],
    ['$JS.API.STREAM.MSG.GET.a', { seq: 99 }],
    ['$JS.API.STREAM.MSG.GET.a', { last_by_subj: 'a.2' }],
    ['$JS.API.STREAM.MSG.GET.a', { seq: 2, next_by_subj: 'a.9' }],
    ['$JS.API.STREAM.MSG.GET.a', {}],
    ['$JS.API.STREAM.MSG.GET.a', ''],
    ['$JS.API.STREAM.MSG.DELETE.a', { seq: 3 }],
    ['$JS.API.STREAM.MSG.DELETE.a', { seq: 3 }],
    info('a', { deleted_details: true }),
    ['$JS.API.DIRECT.GET.a', { seq: 1 }],
    ['$JS.API.STREAM.PURGE.a', { filter: 'a.2', keep: 1 }],
    info('a'),
    ['$JS.API.STREAM.PURGE.a', { seq: 6 }],
    ['$JS.API.STREAM.PURGE.a'],
    info('a'),
    put('a.1'),
    info('a'),
  ],
  'limits are kept': [
    stream('old', { max_msgs: 3, max_msgs_per_subject: 2 }),
    put('old.1'),
    put('old.1'),
    put('old.1'),
    put('old.2'),
    put('old.3'),
    info('old'),
    stream('new', { max_msgs: 1, discard: 'new' }),
    put('new.1'),
    put('new.1'),
    stream('bytes', { max_bytes: 100, discard: 'new' }),
    put('bytes.1', 'x'.repeat(50)),
    put('bytes.1', 'x'.repeat(50)),
    stream('each', { max_msgs_per_subject: 1, discard: 'new', discard_new_per_subject: true }),
    put('each.1'),
    put('each.1'),
    put('each.2'),
    info('each'),
    stream('roll', { allow_rollup_hdrs: true, allow_direct: true }),
    put('roll.1'),
    put('roll.2'),
    put('roll.1', 'x', { 'Nats-Rollup': 'sub' }),
    info('roll'),
    put('roll.1', 'x', { 'Nats-Rollup': 'all' }),
    ['$JS.API.DIRECT.GET.roll', { seq: 9 }],
    ['$JS.API.DIRECT.GET.roll', {}],
    ['$JS.API.DIRECT.GET.roll', ''],
    ['$JS.API.DIRECT.GET.roll.roll.1', 'x'],
    ['$JS.API.DIRECT.GET.roll.roll.7'],
  ],
  'consumers are made': [
    stream('a'),
    consumer('none', 'c'),
    consumer('a', 'c'),
    consumer('a', 'c'),
    consumer('a', 'c', { ack_policy: 'none' }),
    consumer('a', 'c', { description: 'what', max_ack_pending: 5 }),
    consumer('a', 'd', { ack_policy: 'none', replay_policy: 'original', filter_subject: 'a.1' }),
    consumer('a', 'e', { filter_subject: 'b' }),
    consumer('a', 'e', { idle_heartbeat: 1e9 }),
    consumer('a', 'e', { flow_control: true }),
    consumer('a', 'e', { deliver_subject: 'x.*' }),
    consumer('a', 'e', { deliver_subject: 'a.x' }),
    consumer('a', 'e', { deliver_subject: 'x', max_waiting: 3 }),
    consumer('a', 'e', { deliver_subject: 'x', idle_heartbeat: 1 }),
    consumer('a', 'e', { deliver_subject: 'x', flow_control: true }),
    consumer('a', 'e', { backoff: [1e9, 2e9] }),
    consumer('a', 'e', { backoff: [1e9, 2e9], max_deliver: 4 }),
    consumer('a', 'f', { deliver_policy: 'by_start_sequence' }),
    consumer('a', 'f', { deliver_policy: 'last_per_subject' }),
    consumer('a', 'f', { opt_start_seq: 4 }),
    consumer('a', 'f', {
      deliver_subject: 'push',
      deliver_group: 'g',
      idle_heartbeat: 1e9,
      flow_control: true,
    }),
    ['$JS.API.CONSUMER.DURABLE.CREATE.a.g', { stream_name: 'a', config: { durable_name: 'h' } }],
    ['$JS.API.CONSUMER.DURABLE.CREATE.a.g', { stream_name: 'b', config: { durable_name: 'g' } }],
    ['$JS.API.CONSUMER.CREATE.a', { stream_name: 'a', config: { durable_name: 'g' } }],
    ['$JS.API.CONSUMER.CREATE.a.n', { stream_name: 'a', config: { name: 'n', ack_policy: 'explicit' } }],
    ['$JS.API.CONSUMER.CREATE.a.m.a.1', { stream_name: 'a', config: { name: 'm', filter_subject: 'a.2' } }],
    ['$JS.API.CONSUMER.CREATE.a.m.a.1', { stream_name: 'a', config: { name: 'm', filter_subject: 'a.1' } }],
    ['$JS.API.CONSUMER.NAMES.a'],
    consumerInfo('a', 'c'),
    ['$JS.API.CONSUMER.DELETE.a.c'],
    consumerInfo('a', 'c'),
    stream('work', { retention: 'workqueue' }),
    consumer('work', 'a', { ack_policy: 'none' }),
    consumer('work', 'a', { deliver_policy: 'new' }),
    consumer('work', 'a', { filter_subject: 'work.1' }),
    consumer('work', 'b'),
    consumer('work', 'b', { filter_subject: 'work.*' }),
    consumer('work', 'b', { filter_subject: 'work.2' }),
  ],
  'messages are pulled': [
    stream('a'),
    put('a.1', 'one'),
    put('a.2', 'two', { Some: 'header' }),
    put('a.1', 'three'),
    consumer('a', 'c', { max_batch: 5, max_expires: 60e9, max_bytes: 1000 }),
    next('a', 'c'),
    consumerInfo('a', 'c'),
    ack(),
    consumerInfo('a', 'c'),
    next('a', 'c', { batch: 1, no_wait: true }),
    ack('-NAK'),
    next('a', 'c', { batch: 1, no_wait: true }),
    consumerInfo('a', 'c'),
    ack('+WPI'),
    ack('+TERM'),
    consumerInfo('a', 'c'),
    next('a', 'c', '1'),
    ack('+ACK'),
    next('a', 'c', { batch: 1, no_wait: true }),
    next('a', 'c', { batch: 6, no_wait: true }),
    next('a', 'c', { batch: 1, expires: 120e9 }),
    next('a', 'c', { batch: 1, max_bytes: 2000 }),
    next('a', 'c', { batch: 1, expires: 1e9, idle_heartbeat: 1e9 }),
    next('a', 'c', { batch: 1, expires: SOON }),
    consumerInfo('a', 'c'),
    consumer('a', 'small'),
    next('a', 'small', { batch: 1, max_bytes: 3 }),
    consumer('a', 'all', { ack_policy: 'all' }),
    next('a', 'all'),
    next('a', 'all'),
    consumerInfo('a', 'all'),
    ack(),
    consumerInfo('a', 'all'),
    consumer('a', 'none', { ack_policy: 'none' }),
    next('a', 'none'),
    consumerInfo('a', 'none'),
    consumer('a', 'bare', { headers_only: true, filter_subject: 'a.2' }),
    next('a', 'bare'),
    consumer('a', 'last', { deliver_policy: 'last' }),
    next('a', 'last'),
    consumer('a', 'each', { deliver_policy: 'last_per_subject', filter_subject: 'a.>' }),
    next('a', 'each'),
    consumerInfo('a', 'each'),
    next('a', 'each'),
    consumer('a', 'start', { deliver_policy: 'by_start_sequence', opt_start_seq: 2 }),
    next('a', 'start'),
    consumer('a', 'new', { deliver_policy: 'new' }),
    consumerInfo('a', 'new'),
    consumer('a', 'push', { deliver_subject: 'nobody' }),
    next('a', 'push'),
    ['$JS.ACK.a.nobody.1.1.1.1.0'],
  ],
  'messages go when they are done with': [
    stream('work', { retention: 'workqueue' }),
    put('work.1'),
    put('work.2'),
    consumer('work', 'c'),
    next('work', 'c'),
    ack(),
    info('work'),
    stream('wish', { retention: 'interest' }),
    put('wish.1'),
    info('wish'),
    consumer('wish', 'c'),
    consumer('wish', 'd'),
    put('wish.1'),
    next('wish', 'c'),
    ack(),
    info('wish'),
    next('wish', 'd'),
    ack(),
    info('wish'),
    put('wish.2'),
    ['$JS.API.CONSUMER.DELETE.wish.c'],
    ['$JS.API.CONSUMER.DELETE.wish.d'],
    info('wish'),
  ],
  'a stream is mirrored': [
    stream('a'),
    put('a.1', 'one'),
    put('a.2', 'two', { 'Nats-Msg-Id': 'id', 'x-more': 'y' }),
    put('a.1', 'three'),
    copying('m', { mirror: { name: 'a' } }),
    copied('m', 3),
    info('m'),
    ['$JS.API.STREAM.MSG.GET.m', { seq: 2 }],
    put('a.3', 'four'),
    copied('m', 4),
    info('m'),
    put('m', 'x'),
    consumer('m', 'c', { filter_subject: 'a.1' }),
    next('m', 'c'),
    next('m', 'c'),
    copying('late', { mirror: { name: 'a', opt_start_seq: 3 } }),
    copied('late', 4),
    info('late'),
    copying('some', { mirror: { name: 'a', filter_subject: 'a.1' } }),
    copied('some', 3),
    info('some'),
    ['$JS.API.STREAM.UPDATE.m', { name: 'm', storage: 'memory', mirror: { name: 'a' }, max_msgs: 2 }],
    info('m'),
    ['$JS.API.STREAM.UPDATE.m', { name: 'm', storage: 'memory', mirror: { name: 'b' } }],
    ['$JS.API.STREAM.UPDATE.m', { name: 'm', storage: 'memory' }],
    ['$JS.API.STREAM.PURGE.a'],
    info('late'),
    ['$JS.API.STREAM.PURGE.m'],
    put('a.4', 'five'),
    copied('m', 5),
    info('m'),
  ],
  'mirrors and sources are refused': [
    stream('a', { max_msg_size: 20 }),
    copying('m', { mirror: { name: 'a' }, subjects: ['x'] }),
    copying('m', { mirror: { name: 'a' }, sources: [{ name: 'a' }] }),
    copying('m', { mirror: { name: 'm' } }),
    copying('m', { mirror: { name: 'a' }, max_msg_size: 10 }),
    copying('m', { sources: [{ name: 'a' }], max_msg_size: 10 }),
    copying('m', { sources: [{ name: 'm' }] }),
    copying('m', { sources: [{ name: 'a', filter_subject: 'b.1' }] }),
    copying('m', { sources: [] }),
    copying('none', { mirror: { name: 'nobody' } }),
    copying('none2', { sources: [{ name: 'nobody' }] }),
    ['$JS.API.STREAM.NAMES'],
  ],
  'streams are the sources of another one': [
    stream('a'),
    stream('b'),
    put('a.1', 'one'),
    put('a.2', 'two', { 'Nats-Msg-Id': 'id', 'x-more': 'y' }),
    copying('s', { subjects: ['own'], sources: [{ name: 'a' }, { name: 'b', filter_subject: 'b.1' }] }),
    copied('s', 2),
    info('s'),
    ['$JS.API.STREAM.MSG.GET.s', { seq: 1 }],
    put('own', 'mine'),
    put('b.2', 'not this'),
    put('b.1', 'this'),
    copied('s', 4),
    ['$JS.API.STREAM.MSG.GET.s', { seq: 4 }],
    copying('chain', { sources: [{ name: 's', opt_start_seq: 3 }] }),
    copied('chain', 2),
    ['$JS.API.STREAM.MSG.GET.chain', { seq: 1 }],
    ['$JS.API.STREAM.MSG.GET.chain', { seq: 2 }],
    consumer('chain', 'c', { filter_subject: 'b.1' }),
    next('chain', 'c'),
  ],
  'acknowledgements are sampled': [
    stream('a'),
    put('a.1'),
    put('a.2'),
    consumer('a', 'c', { sample_freq: '100%' }),
    consumer('a', 'bad', { sample_freq: 'bad' }),
    consumer('a', 'bad', { sample_freq: '1x%' }),
    consumer('a', 'none', { sample_freq: '0' }),
    consumer('a', 'more', { sample_freq: '150' }),
    consumer('a', 'off', { sample_freq: '50', ack_policy: 'none' }),
    consumerInfo('a', 'c'),
    next('a', 'c'),
    ack(),
    ['<events>'],
    next('a', 'c'),
    ack('-NAK'),
    ['<events>'],
    next('a', 'c'),
    ack(),
    ack(),
    ['<events>'],
    next('a', 'none'),
    ack(),
    next('a', 'none'),
    ack('+TERM'),
    ['<events>'],
  ],
};

/** What `<events>` shows: those that concern a message. */
const EVENTS = [
  '$JS.EVENT.METRIC.>',
  '$JS.EVENT.ADVISORY.CONSUMER.MSG_NAKED.>',
  '$JS.EVENT.ADVISORY.CONSUMER.MSG_TERMINATED.>',
];

/** Waits until a stream has copied up to a sequence: nobody says when it does. */
async function untilCopied(client: NatsConnection, name: string, sequence: number): Promise<void> {
  for (let asked = 0; asked < MOST_ASKED; asked += 1) {
    const answer = await client.request(`$JS.API.STREAM.INFO.${name}`);
    const {
      state,
      mirror,
      sources = [mirror],
    } = answer.json<{
      state: { last_seq: number };
      mirror: { lag: number };
      sources?: { lag: number }[];
    }>();
    if (state.last_seq === sequence && sources.every(({ lag }) => lag === 0)) return;
  }
  throw new Error(`${name} has not copied up to ${sequence}`);
}

/** Asks all steps in turn; gives what is answered without what differs from run to run. */
async function play(client: NatsConnection, steps: readonly Step[]): Promise<readonly unknown[]> {
  const answers: unknown[] = [];
  let reply = '';
  let got: ((answer: unknown) => void) | undefined;
  const inbox = 'answers';
  client.subscribe(inbox, {
    callback: (_error, message) => {
      if (message.reply) ({ reply } = message);
      const status = message.headers?.code ? `${message.headers.code} ${message.headers.description}` : '';
      const headers = Array.from(message.headers ?? [], ([name, values]) => [name, ...values]);
      got?.(
        plain({ subject: message.subject, reply: message.reply, status, headers, body: message.string() }),
      );
    },
  });
  const events: unknown[] = [];
  for (const subject of EVENTS)
    client.subscribe(subject, {
      callback: (_error, message) => {
        const { id: _, timestamp: __, ack_time: took, ...event } = message.json<Record<string, unknown>>();
        events.push([message.subject, event, typeof took]);
      },
    });
  for (const [subject, payload = '', given = {}] of steps) {
    if (subject === '<copied>') {
      const { name, sequence } = payload as { name: string; sequence: number };
      await untilCopied(client, name, sequence);
      continue;
    }
    if (subject === '<events>') {
      answers.push(['events', ...events.splice(0)]);
      continue;
    }
    const answered = new Promise((resolve) => {
      got = resolve;
    });
    const headers = makeHeaders();
    for (const [name, value] of Object.entries(given)) headers.set(name, value);
    const data = typeof payload === 'string' ? payload : JSON.stringify(payload);
    client.publish(subject === '<ack>' ? reply : subject, data, {
      reply: inbox,
      ...(Object.keys(given).length > 0 ? { headers } : {}),
    });
    const isTimed = typeof payload === 'object' && 'expires' in payload && payload.expires === SOON;
    const silence = isTimed ? answered : followUp(client, answered);
    answers.push([subject, data, await Promise.race([answered, silence])]);
  }
  return answers;
}

/** Sends requests behind another one until it is answered, or there were enough of them. */
async function followUp(client: NatsConnection, answered: Promise<unknown>): Promise<unknown> {
  let isOver = false;
  void answered.then(() => {
    isOver = true;
  });
  for (let count = 0; count < MARKERS && !isOver; count += 1) await client.request('$JS.API.INFO');
  return isOver ? answered : 'no answer';
}

/** Leaves out dates, which no two servers have alike. */
function plain({ body, reply, ...answer }: Readonly<Record<string, unknown>>): unknown {
  const text = String(body);
  const shown = text.startsWith('{') ? JSON.parse(text, plainValue) : text;
  return { ...answer, reply: String(reply).replace(/\.\d{19}\./, '.<date>.'), body: shown };
}

function plainValue(name: string, value: unknown): unknown {
  if (/^(created|time|first_ts|last_ts|last_active)$/.test(name)) return '<date>';
  if (name === 'active' && Number(value) >= 0) return '<date>';
  // How far sources are is listed from a map of Go, in another order each time.
  if (name === 'sources' && Array.isArray(value) && value.every((source) => Object.hasOwn(source, 'active')))
    return value.toSorted((one, two) => (one.name < two.name ? -1 : 1));
  return value;
}

describe('nats-server -js', () => {
  for (const [name, steps] of Object.entries(SCRIPTS)) {
    itWithTool('nats-server', `answers alike: ${name}`, async () => {
      const ours = await connect3((await startHost({ jetstream: true })).port, { noAsyncTraces: true });
      const theirs = await connect3(await startJetStream(), { noAsyncTraces: true });
      const [one, two] = await Promise.all([play(ours, steps), play(theirs, steps)]);
      expect(one).toEqual(two);
    });
  }
});
