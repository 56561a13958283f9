import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import type { GetMessage } from 'amqplib';
import {
  bodiesOf,
  breakOff,
  collect,
  connect,
  openChannel,
  openConfirmChannel,
  startHost,
  type Running,
} from './support.js';

/** Which mocks messages with these keys met, one after the other. */
async function matchedBy(
  { host, url }: Running,
  sent: readonly [string, string, string?][],
): Promise<unknown[]> {
  const channel = await openConfirmChannel(url);
  for (const [exchange, key, body = ''] of sent) channel.publish(exchange, key, Buffer.from(body));
  await channel.waitForConfirms();
  return host.journal.list().map((entry) => entry['matched_id']);
}

describe('headers and properties', () => {
  it('are matched by name, in any case', async () => {
    const running = await startHost({
      mocks: [
        {
          id: 'both',
          routing_key: 'a',
          headers: {
            'x-user': 'ann',
            'X-Level': { gt: 5 },
            correlation_id: 're:^c',
            'x-list': { length: 2 },
          },
        },
        { id: 'user', routing_key: 'a', headers: { 'X-User': { present: true } } },
      ],
    });
    const channel = await openConfirmChannel(running.url);
    const send = (headers: object, more: object = {}): unknown =>
      channel.publish('', 'a', Buffer.from(''), { headers, ...more });
    send({ 'X-User': 'ann', 'x-level': 7, 'x-list': [1, 2] }, { correlationId: 'c1' });
    send({ 'x-user': 'ann', 'x-level': 7, 'x-list': [1, 2] });
    send({ 'x-other': 'ann' });
    await channel.waitForConfirms();
    const entries = running.host.journal.list();
    expect(entries.map((entry) => entry['matched_id'])).toEqual(['both', 'user', undefined]);
    const explained = JSON.stringify(running.host.kind('amqp').explain(entries[1] ?? {}));
    expect(explained).toMatch(/header correlation_id/);
    expect(explained).not.toMatch(/header x-user/);
  });
});

describe('what an answer carries', () => {
  it('keeps bytes in headers that are one tag, and texts there as well', async () => {
    const { url } = await startHost({
      mocks: [
        {
          routing_key: 'rpc',
          response: {
            body: '{{request.raw_body}}',
            properties: {
              headers: { raw: '{{request.raw_body}}', more: ['{{request.raw_body}}!'] },
              app_id: 'a',
            },
          },
        },
      ],
    });
    const channel = await openConfirmChannel(url);
    const { queue } = await channel.assertQueue('', { exclusive: true });
    const bytes = Buffer.from([0, 0xff, 13, 10, 0xfe]);
    channel.publish('', 'rpc', bytes, { replyTo: queue });
    channel.publish('', 'rpc', Buffer.from('text'), { replyTo: queue });
    await channel.waitForConfirms();
    const messages = await collect(channel, queue);
    await eventually(() => messages.length === 2);
    expect(messages.map(({ content }) => content)).toEqual([bytes, Buffer.from('text')]);
    expect(messages[0]?.properties.headers?.['raw']).toEqual(bytes);
    expect(messages[1]?.properties.headers).toEqual({ raw: 'text', more: ['text!'] });
  });

  it('may be JSON and bytes, and sees parts and XML of the message', async () => {
    const { url } = await startHost({
      mocks: [
        {
          routing_key: 'xml',
          response: { json: { id: '{{request.xml.order.@id}}', all: '{{request.xml}}' } },
        },
        { routing_key: 'bytes', response: { body_base64: '/wD+' } },
        { routing_key: 'echo', response: { body: '{{request.raw_body}}' } },
        { routing_key: 'parts', response: { json: '{{request.parts.0.body}}' } },
        { routing_key: 'lines', response: { json: '{{request.body}}' } },
      ],
    });
    const channel = await openConfirmChannel(url);
    const { queue } = await channel.assertQueue('', { exclusive: true });
    const asked: [string, string | Buffer, string?][] = [
      ['xml', '<order id="7"><a/></order>'],
      ['bytes', ''],
      ['echo', Buffer.from([0xff, 1])],
      [
        'parts',
        '--b\r\nContent-Type: application/json\r\n\r\n{"n":1}\r\n--b--',
        'multipart/mixed; boundary=b',
      ],
      ['lines', '1\n2\n', 'application/x-ndjson'],
    ];
    for (const [key, body, contentType] of asked) {
      channel.publish('', key, Buffer.from(body as string), {
        replyTo: queue,
        ...(contentType && { contentType }),
      });
    }
    await channel.waitForConfirms();
    const messages = await collect(channel, queue);
    await eventually(() => messages.length === asked.length);
    expect(
      messages.map(({ content, properties }) => [
        (properties as { contentType: string }).contentType,
        content.toString('latin1'),
      ]),
    ).toEqual([
      ['application/json', '{"id":"7","all":{"order":{"@id":"7","a":""}}}'],
      ['application/octet-stream', '\xff\0\xfe'],
      ['text/plain', '\xff\x01'],
      ['application/json', '{"n":1}'],
      ['application/json', '[1,2]'],
    ]);
  });
});

describe('a mock', () => {
  it('matches by exchange, routing key, queue and body', async () => {
    const running = await startHost({
      exchanges: [
        { name: 'orders', type: 'topic' },
        { name: 'other', type: 'fanout' },
      ],
      bindings: [{ exchange: 'other', queue: 'audit' }],
      mocks: [
        { id: 'urgent', exchange: 'orders', routing_key: 'order.*', body: { contains: 'urgent' } },
        { id: 'word', exchange: 'orders', routing_key: 'order.*.created' },
        { id: 'words', exchange: 'orders', routing_key: 'all.#' },
        { id: 'glob', routing_key: 'plain*' },
        { id: 'regex', routing_key: 're:^[0-9]+$' },
        { id: 'exact', routing_key: 'a.b' },
        { id: 'queue', queue: 'audit' },
        { id: 'queues', queue: { prefix: 'aud' }, priority: -1 },
        { id: 'default', exchange: 're:^$', routing_key: { suffix: '!' } },
      ],
    });
    const matched = await matchedBy(running, [
      ['orders', 'order.x', 'an urgent one'],
      ['orders', 'order.x', 'a calm one'],
      ['orders', 'order.eu.created'],
      ['orders', 'order.eu.west.created'],
      ['orders', 'all'],
      ['orders', 'all.of.them'],
      ['', 'plain.and.simple'],
      ['', '12345'],
      ['orders', 'a.b'],
      ['other', 'whatever'],
      ['', 'audit'],
      ['orders', 'hey!'],
      ['', 'hey!'],
    ]);
    expect(matched).toEqual([
      'urgent',
      undefined,
      'word',
      undefined,
      'words',
      'words',
      'glob',
      'regex',
      'exact',
      'queue',
      'queue',
      undefined,
      'default',
    ]);
  });

  it('names words of the key for its answer, which may go anywhere, with properties', async () => {
    const { url } = await startHost({
      exchanges: [{ name: 'orders', type: 'topic' }],
      mocks: [
        {
          exchange: 'orders',
          routing_key: 'order.{region}.created',
          response: {
            exchange: 'orders',
            routing_key: 'order.{{request.params.region}}.confirmed',
            body: '{"id": "{{request.body.id}}", "of": "{{request.properties.app_id}}", "by": "{{request.headers.user}}"}',
            properties: {
              type: 'confirmation',
              priority: 3,
              headers: { source: 'mock', key: '{{request.routing_key}}', n: 5 },
            },
          },
        },
      ],
    });
    const channel = await openChannel(url);
    const { queue } = await channel.assertQueue('', { exclusive: true });
    await channel.bindQueue(queue, 'orders', 'order.*.confirmed');
    const received = await collect(channel, queue);
    channel.publish('orders', 'order.eu.created', Buffer.from('{"id": "o-1"}'), {
      appId: 'shop',
      headers: { User: 'ann' },
    });
    await eventually(() => received.length === 1);
    const [message] = received as [GetMessage];
    expect(message.fields.routingKey).toBe('order.eu.confirmed');
    expect(message.content.toString()).toBe('{"id": "o-1", "of": "shop", "by": "ann"}');
    expect(message.properties).toMatchObject({
      contentType: 'application/json',
      type: 'confirmation',
      priority: 3,
      headers: { source: 'mock', key: 'order.eu.created', n: 5 },
    });
  });

  it('asks of a mock for a queue its routing key too, and its exchange', async () => {
    const running = await startHost({
      exchanges: [{ name: 'all', type: 'fanout' }],
      queues: [{ name: 'jobs' }],
      bindings: [{ exchange: 'all', queue: 'jobs' }],
      mocks: [
        { id: 'key', queue: 'jobs', routing_key: 'a' },
        { id: 'topic', queue: 'jobs', routing_key: 'b.*' },
        { id: 'exchange', exchange: 'other', routing_key: 'c' },
      ],
    });
    const sent = ['a', 'b.x', 'b', 'c'].map((key) => ['all', key] as [string, string]);
    expect(await matchedBy(running, sent)).toEqual(['key', 'topic', undefined, undefined]);
  });

  it('captures what expressions for routing key, headers and body name', async () => {
    const { url } = await startHost({
      queues: [{ name: 'out' }],
      mocks: [
        {
          routing_key: 're:^order\\.(?<region>[a-z]+)$',
          headers: { 'x-trace': 're:^(?<trace>[a-f]+)-' },
          body: { any_of: ['re:^no (?<trace>.*)', { json: { partial: { id: 0 } } }, 're:^(?<id>\\d+)$'] },
          response: {
            routing_key: 'out',
            body: '{{request.params.region}} {{request.params.id}} {{request.params.trace}}',
          },
        },
      ],
    });
    const channel = await openChannel(url);
    const received = await collect(channel, 'out');
    channel.publish('', 'order.eu', Buffer.from('7'), { headers: { 'x-trace': 'abc-1' } });
    await eventually(() => received.length === 1);
    expect((received[0] as GetMessage).content.toString()).toBe('eu 7 abc');
  });

  it('captures what an expression for the queue names, of the queue that matches', async () => {
    const { url } = await startHost({
      exchanges: [{ name: 'all', type: 'fanout' }],
      queues: [{ name: 'audit' }, { name: 'jobs.eu' }, { name: 'out' }],
      bindings: [
        { exchange: 'all', queue: 'audit' },
        { exchange: 'all', queue: 'jobs.eu' },
      ],
      mocks: [
        {
          queue: 're:^jobs\\.(?<region>[a-z]+)$',
          response: { routing_key: 'out', body: '{{request.params.region}}' },
        },
      ],
    });
    const channel = await openChannel(url);
    const received = await collect(channel, 'out');
    channel.publish('all', '', Buffer.from('7'));
    await eventually(() => received.length === 1);
    expect((received[0] as GetMessage).content.toString()).toBe('eu');
  });

  it('answers to a reply queue with the same correlation id', async () => {
    const { url } = await startHost({ mocks: [{ routing_key: 'rpc', response: { body: 'pong' } }] });
    const channel = await openChannel(url);
    const { queue } = await channel.assertQueue('', { exclusive: true });
    const received = await collect(channel, queue);
    channel.sendToQueue('rpc', Buffer.from('ping'), { replyTo: queue, correlationId: '17' });
    await eventually(() => received.length === 1);
    const [message] = received as [GetMessage];
    expect([
      message.content.toString(),
      message.properties.correlationId,
      message.properties.contentType,
    ]).toEqual(['pong', '17', 'text/plain']);
  });

  it('answers into its queue, or under the key of the message, where nothing says where to', async () => {
    const { url } = await startHost({
      bindings: [{ exchange: 'in', routing_key_pattern: 'a', queue: 'q' }],
      mocks: [
        { queue: 'q', response: { body: 'to the queue' } },
        { routing_key: 'other', response: { body: 'to the key' } },
      ],
    });
    const channel = await openChannel(url);
    await channel.assertQueue('other');
    channel.publish('in', 'a', Buffer.from('message'));
    channel.sendToQueue('other', Buffer.from('message'));
    const received = await collect(channel, 'q');
    const others = await collect(channel, 'other');
    await eventually(() => received.length === 2 && others.length === 2);
    expect(bodiesOf(received)).toEqual(['message', 'to the queue']);
    expect(bodiesOf(others)).toEqual(['message', 'to the key']);
  });

  it('is never triggered by an answer', async () => {
    const { host, url } = await startHost({
      mocks: [
        { id: 'a', routing_key: 'a', response: { routing_key: 'b', body: 'from a' } },
        { id: 'b', routing_key: 'b', response: { routing_key: 'a', body: 'from b' } },
      ],
    });
    const channel = await openConfirmChannel(url);
    for (const name of ['a', 'b']) await channel.assertQueue(name);
    channel.sendToQueue('a', Buffer.from('start'));
    await channel.waitForConfirms();
    expect((await channel.checkQueue('a')).messageCount).toBe(1);
    expect((await channel.checkQueue('b')).messageCount).toBe(1);
    expect(host.journal.list()).toHaveLength(1);
    expect(host.kind('amqp').captures?.values()).toHaveLength(1);
  });

  it('with a delay answers later; the message is in its queue and confirmed at once, and nothing else waits', async () => {
    const { host, url } = await startHost({
      queues: [{ name: 'rpc' }],
      mocks: [
        { id: 'slow', routing_key: 'rpc', delay: '1h', response: { routing_key: 'answers', body: 'late' } },
      ],
    });
    host.clock.freeze(true);
    const channel = await openConfirmChannel(url);
    await channel.assertQueue('answers');
    channel.sendToQueue('rpc', Buffer.from('x'));
    await channel.waitForConfirms();
    channel.sendToQueue('answers', Buffer.from('direct'));
    await channel.waitForConfirms();
    expect((await channel.checkQueue('rpc')).messageCount).toBe(1);
    const received = await collect(channel, 'answers');
    await channel.checkQueue('rpc');
    expect(bodiesOf(received)).toEqual(['direct']);
    await host.clock.advance(3_600_000);
    await eventually(() => received.length === 2);
    expect(bodiesOf(received)).toEqual(['direct', 'late']);
  });

  it('does not answer a client that has left, whose message stays', async () => {
    const { host, url } = await startHost({
      queues: [{ name: 'rpc' }, { name: 'answers' }],
      mocks: [
        { id: 'slow', routing_key: 'rpc', delay: '1h', response: { routing_key: 'answers', body: 'late' } },
      ],
    });
    const other = await openChannel(url);
    const client = await connect(url);
    const channel = await client.createConfirmChannel();
    channel.sendToQueue('rpc', Buffer.from('x'));
    await channel.waitForConfirms();
    breakOff(client);
    await eventually(() => host.kind('amqp').calls.of('slow').calls[0]?.['aborted'] === true);
    await host.clock.advance(3_600_000);
    expect((await other.checkQueue('rpc')).messageCount).toBe(1);
    expect((await other.checkQueue('answers')).messageCount).toBe(0);
  });

  it('whose answer cannot be carried says so in the journal, and harms nobody', async () => {
    const { host, url, log } = await startHost({
      mocks: [
        { routing_key: 'long', response: { routing_key: '{{request.body}}', body: 'x' } },
        { routing_key: 'nowhere', response: { exchange: 'missing', body: 'x' } },
        { routing_key: 'lost', response: { routing_key: 'nobody', body: 'x' } },
      ],
    });
    const channel = await openConfirmChannel(url);
    channel.publish('', 'long', Buffer.alloc(300, 'a'));
    channel.publish('', 'nowhere', Buffer.from(''));
    channel.publish('', 'lost', Buffer.from(''));
    await channel.waitForConfirms();
    expect(host.journal.list().map((entry) => (entry['response'] as { status: unknown }).status)).toEqual([
      541, 404, 312,
    ]);
    expect(log).toEqual([expect.stringContaining('routing_key has 300 bytes; AMQP carries at most 255')]);
  });
});

describe('what is recorded', () => {
  it('is exact in captures and journal, base64 for what is no text', async () => {
    const { host, url } = await startHost({
      exchanges: [{ name: 'e', type: 'fanout' }],
      bindings: [{ exchange: 'e', queue: 'q' }],
    });
    const channel = await openConfirmChannel(url);
    channel.publish('e', 'k', Buffer.from('text'), {
      correlationId: 'c',
      headers: { 'X-Tenant': 'a', n: 1 },
      timestamp: 1_700_000_000,
    });
    channel.publish('', 'k', Buffer.from([0xff, 0xfe]));
    await channel.waitForConfirms();
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const captured = JSON.parse(JSON.stringify(host.kind('amqp').captures?.values())) as unknown;
    expect(captured).toEqual([
      {
        id: expect.any(String),
        exchange: 'e',
        routing_key: 'k',
        body: 'text',
        properties: { correlation_id: 'c', headers: { 'X-Tenant': 'a', n: 1 }, timestamp: 1_700_000_000 },
        timestamp: time,
      },
      {
        id: expect.any(String),
        exchange: '',
        routing_key: 'k',
        body: '//4=',
        body_encoding: 'base64',
        // amqplib always sends a table of headers.
        properties: { headers: {} },
        timestamp: time,
      },
    ]);
    expect(host.journal.list()).toMatchObject([
      {
        method: 'PUBLISH',
        path: 'k',
        body: 'text',
        headers: { exchange: 'e', queue: ['q'], correlation_id: 'c', 'x-tenant': 'a', n: '1' },
      },
      { method: 'PUBLISH', path: 'k', body: '//4=', body_encoding: 'base64', headers: { exchange: '' } },
    ]);
  });

  it('can be explained, by exchange and queue too', async () => {
    const { host, url } = await startHost({
      exchanges: [{ name: 'e', type: 'fanout' }],
      bindings: [{ exchange: 'e', queue: 'q' }],
      mocks: [
        { id: 'no', exchange: 'e', routing_key: 'other' },
        { id: 'yes', exchange: 'e', queue: 'q' },
      ],
    });
    const channel = await openConfirmChannel(url);
    channel.publish('e', 'k', Buffer.from('x'));
    await channel.waitForConfirms();
    expect(host.kind('amqp').explain(host.journal.list()[0])).toEqual({
      outcome: 'matched',
      mock_id: 'yes',
      others: [{ mock_id: 'no', reason: 'routing_key: got "k", want "other"' }],
    });
  });
});

describe('a reset', () => {
  it('empties queues and puts the configured topology back while clients stay connected', async () => {
    const { host, url } = await startHost({
      exchanges: [{ name: 'orders', type: 'topic' }],
      queues: [{ name: 'jobs' }, { name: 'watched' }],
      bindings: [{ exchange: 'orders', routing_key: '#', queue: 'jobs' }],
    });
    const gone = await openChannel(url);
    await gone.assertQueue('left-behind');
    await gone.bindQueue('watched', 'orders', 'left.behind');
    const channel = await openConfirmChannel(url);
    await channel.assertQueue('mine');
    await channel.bindQueue('mine', 'orders', 'mine');
    const received = await collect(channel, 'mine', {});
    channel.publish('orders', 'mine', Buffer.from('before'));
    channel.sendToQueue('left-behind', Buffer.from('before'));
    await channel.waitForConfirms();
    await eventually(() => received.length === 1);
    await gone.deleteQueue('watched');
    await channel.deleteExchange('orders');
    host.reset();
    expect((await channel.checkQueue('jobs')).messageCount).toBe(0);
    expect((await channel.checkQueue('watched')).messageCount).toBe(0);
    // An acknowledgement of a message from before harms nothing.
    channel.ack(received[0] as never);
    channel.publish('orders', 'any', Buffer.from('after'));
    channel.sendToQueue('mine', Buffer.from('after'));
    await channel.waitForConfirms();
    await eventually(() => received.length === 2);
    expect(bodiesOf(received)).toEqual(['before', 'after']);
    expect((await channel.checkQueue('jobs')).messageCount).toBe(1);
  });

  it('drops what clients that have left had declared, and never brings back what was handed out before', async () => {
    const { host, url } = await startHost({ queues: [{ name: 'jobs' }] });
    const client = await connect(url);
    const channel = await client.createChannel();
    await channel.assertQueue('left-behind');
    await channel.assertExchange('left-behind', 'fanout');
    await channel.bindQueue('jobs', 'amq.topic', 'left.behind');
    await client.close();
    const other = await connect(url);
    const taker = await other.createChannel();
    taker.sendToQueue('jobs', Buffer.from('before'));
    expect(await taker.get('jobs')).toBeTruthy();
    host.reset();
    await other.close();
    const last = await openConfirmChannel(url);
    expect((await last.checkQueue('jobs')).messageCount).toBe(0);
    last.publish('amq.topic', 'left.behind', Buffer.from('x'));
    await last.waitForConfirms();
    expect((await last.checkQueue('jobs')).messageCount).toBe(0);
    await expect(last.checkQueue('left-behind')).rejects.toThrow('NOT_FOUND');
  });
});

describe('a snapshot', () => {
  it('brings messages and topology back', async () => {
    const { host, url } = await startHost({ queues: [{ name: 'jobs' }] });
    const channel = await openConfirmChannel(url);
    await channel.assertExchange('e', 'fanout');
    await channel.assertQueue('mine');
    await channel.bindQueue('mine', 'e', '');
    for (const body of ['a', 'b']) channel.sendToQueue('jobs', Buffer.from(body));
    channel.publish('e', '', Buffer.from('c'));
    await channel.waitForConfirms();
    await channel.get('jobs');
    const { id } = host.snapshots.create();
    await channel.purgeQueue('jobs');
    await channel.deleteQueue('mine');
    await channel.deleteExchange('e');
    host.snapshots.restore(id);
    const jobs = [await channel.get('jobs'), await channel.get('jobs')] as GetMessage[];
    expect(bodiesOf(jobs)).toEqual(['a', 'b']);
    expect((await channel.checkQueue('mine')).messageCount).toBe(1);
    channel.publish('e', '', Buffer.from('d'));
    await channel.waitForConfirms();
    expect((await channel.checkQueue('mine')).messageCount).toBe(2);
  });
});

describe('a configuration that cannot be', () => {
  it.each([
    [{ queues: [{ name: 'a' }, { name: 'a' }] }, '/settings/amqp/queues/1/name'],
    [{ exchanges: [{ name: 'amq.mine' }] }, '/settings/amqp/exchanges/0/name'],
    [{ bindings: [{ exchange: 'a' }] }, '/settings/amqp/bindings/0'],
    [
      { bindings: [{ exchange: 'a', queue: 'b', routing_key: '', routing_key_pattern: '' }] },
      '/settings/amqp/bindings/0',
    ],
    [{ queues: [{ name: 'a', arguments: { 'x-max-length': 'many' } }] }, '/settings/amqp'],
    [{ exchanges: [{ name: 'a', type: 'sideways' }] }, '/settings/amqp/exchanges/0/type'],
  ])('%j is refused at %s', async (settings, path) => {
    await expect(startHost(settings)).rejects.toMatchObject({
      details: expect.arrayContaining([expect.objectContaining({ path })]) as unknown,
    });
  });
});
