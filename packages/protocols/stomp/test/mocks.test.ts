import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { RawClient, startHost, type Received, type Running } from './support.js';

const send = (destination: string, body: string, more = ''): string =>
  `SEND\ndestination:${destination}\n${more}\n${body}\0`;

async function subscribed(port: number, ...destinations: string[]): Promise<RawClient> {
  const client = await RawClient.connect(port);
  for (const destination of destinations)
    await client.request(`SUBSCRIBE\nid:${destination}\ndestination:${destination}\n\n\0`);
  return client;
}

async function answerTo({ port }: Running, frame: string, destination = '/topic/answers'): Promise<Received> {
  const client = await subscribed(port, destination);
  client.send(frame);
  return client.next('MESSAGE');
}

describe('a mock', () => {
  it('publishes its answer really, to whoever is subscribed', async () => {
    const running = await startHost({
      mocks: [
        {
          destination: '/queue/orders',
          response: {
            destination: '/topic/{{request.body.kind}}',
            body: '{"id": "{{request.body.id}}", "by": "{{headers.x-user}}", "to": "{{request.destination}}"}',
            headers: { 'x-call': '{{request.headers.correlation-id}}', 'a:b': 'c:d' },
          },
        },
      ],
    });
    const other = await subscribed(running.port, '/topic/new');
    const frame = send('/queue/orders', '{"kind": "new", "id": 7}', 'X-User:a"nn\ncorrelation-id:c\n');
    const { headers, body } = await answerTo(running, frame, '/topic/new');
    expect(body).toBe('{"id": "7", "by": "a\\"nn", "to": "/queue/orders"}');
    expect(headers).toMatchObject({
      destination: '/topic/new',
      'content-type': 'application/json',
      'x-call': 'c',
      'a\\cb': 'c\\cd',
    });
    expect((await other.next('MESSAGE')).body).toBe(body);
  });

  it('captures what expressions for destination, headers and body name', async () => {
    const running = await startHost({
      mocks: [
        {
          destination: 're:^/queue/(?<what>\\w+)$',
          headers: { trace: 're:^t-(?<trace>.*)$' },
          body: { any_of: ['re:^x(?<id>.)', { regex: '^(?<id>\\d+)$' }] },
          response: {
            destination: '/topic/answers',
            body: '{{request.params.what}} {{request.params.id}} {{request.params.trace}}',
          },
        },
      ],
    });
    expect((await answerTo(running, send('/queue/orders', '7', 'trace:t-1\n'), '/topic/answers')).body).toBe(
      'orders 7 1',
    );
  });

  it('matches by headers, whose names may be in any case', async () => {
    const running = await startHost({
      mocks: [
        {
          id: 'urgent',
          destination: '/queue/a',
          headers: { 'X-Level': { gte: 5 }, 'x-none': { absent: true } },
          response: { destination: '/topic/answers', body: 'urgent' },
        },
        { destination: '/queue/a', response: { destination: '/topic/answers', body: 'other' } },
      ],
    });
    const ask = async (more: string): Promise<string> =>
      (await answerTo(running, send('/queue/a', '', more))).body;
    expect(await ask('x-level:7\n')).toBe('urgent');
    expect(await ask('x-level:3\n')).toBe('other');
    expect(await ask('x-level:7\nX-None:1\n')).toBe('other');
    const explained = running.host.kind('stomp').explain({ path: '/queue/a', headers: { 'x-level': '1' } });
    expect(JSON.stringify(explained)).toMatch(/header X-Level/);
  });

  it('gives back the bytes that came', async () => {
    const running = await startHost({
      mocks: [
        {
          destination: '/queue/echo',
          response: { destination: '/topic/answers', body: '{{request.raw_body}}' },
        },
      ],
    });
    const client = await subscribed(running.port, '/topic/answers');
    const bytes = Buffer.from([0, 0xff, 13, 10, 0xfe]);
    client.send('SEND\ndestination:/queue/echo\ncontent-length:5\n\n', bytes, '\0');
    const { headers, body } = await client.next('MESSAGE');
    // As text each byte that is none would take three.
    expect([headers['content-length'], body]).toEqual(['5', '\0\uFFFD\r\n\uFFFD']);
  });

  it('escapes what it inserts as its content type says', async () => {
    const template = '"{{request.raw_body}}"';
    const types = ['application/vnd.shop+json', 'application/soap+xml', 'text/plain', undefined];
    const running = await startHost({
      mocks: types.map((type, index) => ({
        destination: `/queue/${index}`,
        response: {
          destination: '/topic/answers',
          body: template,
          ...(type === undefined ? {} : { content_type: type }),
        },
      })),
    });
    const bodies: string[] = [];
    for (const index of types.keys())
      bodies.push((await answerTo(running, send(`/queue/${index}`, 'a "b" <c>'))).body);
    expect(bodies).toEqual([
      '"a \\"b\\" <c>"',
      '"a &quot;b&quot; &lt;c&gt;"',
      '"a "b" <c>"',
      '"a \\"b\\" <c>"',
    ]);
  });

  it('answers to the reply-to of the message, else where it was sent', async () => {
    const running = await startHost({
      mocks: [{ id: 'm', destination: '/queue/rpc', response: { body: 'pong' } }],
    });
    const { headers, body } = await answerTo(
      running,
      send('/queue/rpc', 'ping', 'reply-to:/temp-queue/mine\n'),
      '/temp-queue/mine',
    );
    expect(body).toBe('pong');
    expect(headers['content-type']).toBe('text/plain');
    const client = await subscribed(running.port, '/queue/rpc');
    expect((await client.next('MESSAGE')).body).toBe('ping');
    await client.request(send('/queue/rpc', 'again'));
    expect(client.frames.map((frame) => frame.body)).toEqual(['again', 'pong']);
    expect(running.host.kind('stomp').calls.of('m').count).toBe(2);
  });

  it('takes an empty destination and an empty content type for none', async () => {
    const running = await startHost({
      mocks: [{ destination: '/queue/rpc', response: { destination: '', body: '{}', content_type: '' } }],
    });
    const { headers } = await answerTo(
      running,
      send('/queue/rpc', 'ping', 'reply-to:/temp-queue/mine\n'),
      '/temp-queue/mine',
    );
    expect(headers['content-type']).toBe('application/json');
  });

  it('puts its answer into a queue, where it waits', async () => {
    const { port } = await startHost({
      mocks: [{ destination: '/queue/in', response: { destination: '/queue/out', body: 'done' } }],
    });
    const sender = await RawClient.connect(port);
    await sender.request(send('/queue/in', 'x'));
    const consumer = await subscribed(port, '/queue/out');
    expect((await consumer.next('MESSAGE')).body).toBe('done');
  });

  it('never triggers mocks with its answer', async () => {
    const { port, host } = await startHost({
      mocks: [
        { id: 'a', destination: '/topic/a', response: { destination: '/topic/b', body: 'from a' } },
        { id: 'b', destination: '/topic/b', response: { destination: '/topic/a', body: 'from b' } },
      ],
    });
    const client = await subscribed(port, '/topic/a', '/topic/b');
    await client.request(send('/topic/a', 'go'));
    expect(client.frames.map(({ body }) => body)).toEqual(['go', 'from a']);
    expect(host.kind('stomp').calls.of('b').count).toBe(0);
    expect(host.journal.count().count).toBe(1);
    expect(host.kind('stomp').captures?.values()).toHaveLength(1);
  });

  it('matches by destination and body, the first in order', async () => {
    const running = await startHost();
    const { mocks } = running.host.kind('stomp');
    const answer = (body: string): object => ({ destination: '/topic/answers', body });
    mocks.createAll([
      { id: 'any', response: answer('any'), priority: -1 },
      { id: 'below', destination: '/queue/a.*', response: answer('below') },
      { id: 'deep', destination: '/queue/a.b.*', response: answer('deep'), priority: 1 },
      { id: 'exact', destination: '/queue/a', response: answer('exact') },
      { id: 'body', destination: '/queue/a', body: 'now', response: answer('body'), priority: 1 },
      {
        id: 'part',
        destination: '/queue/a',
        body: { contains: 'ur' },
        response: answer('part'),
        priority: 2,
      },
      { id: 'regex', destination: 're:^/queue/[0-9]+$', response: answer('regex') },
      { id: 'binary', destination: '/queue/bin', body: '/wD+', response: answer('binary') },
    ]);
    const ask = async (destination: string, body: string): Promise<string> =>
      (await answerTo(running, send(destination, body))).body;
    expect(await ask('/queue/a', 'x')).toBe('exact');
    expect(await ask('/queue/a', 'now')).toBe('body');
    expect(await ask('/queue/a', 'urgent')).toBe('part');
    expect(await ask('/queue/a.x', 'now')).toBe('below');
    expect(await ask('/queue/a.b.c', 'now')).toBe('deep');
    expect(await ask('/queue/12', '')).toBe('regex');
    expect(await ask('/queue/', 'x')).toBe('any');
    const client = await subscribed(running.port, '/topic/answers');
    client.send(
      Buffer.concat([
        Buffer.from('SEND\ndestination:/queue/bin\ncontent-length:3\n\n'),
        Buffer.of(255, 0, 254, 0),
      ]),
    );
    expect((await client.next('MESSAGE')).body).toBe('binary');
    for (const { id } of mocks.list()) mocks.remove(id);
    await client.request(send('/queue/a.b.c', 'now'));
    expect(client.frames).toEqual([]);
  });

  it('explains why it does not match', async () => {
    const { host } = await startHost({
      mocks: [
        { id: 'a', destination: '/queue/a', body: 'x', response: { body: 'y' } },
        { id: 'b', destination: '/queue/b' },
      ],
    });
    expect(host.kind('stomp').explain({ path: '/queue/a', body: 'eA==', body_encoding: 'base64' })).toEqual({
      outcome: 'matched',
      mock_id: 'a',
      others: [{ mock_id: 'b', reason: 'destination: got "/queue/a", want "/queue/b"' }],
    });
    expect(host.kind('stomp').explain({ path: '/queue/a', body: 'z' }).others).toContainEqual({
      mock_id: 'a',
      reason: 'body: got "z", want "x"',
    });
  });

  it('cannot break the frame with what it renders', async () => {
    const running = await startHost({
      mocks: [
        {
          destination: '/queue/a',
          response: {
            destination: '/topic/answers',
            body: '{{body}}',
            content_type: 'text/{{headers.type}}',
            headers: { x: '{{headers.evil}}' },
          },
        },
      ],
    });
    const { raw, body } = await answerTo(
      running,
      'SEND\ndestination:/queue/a\nevil:a\\nsubscription\\c9\\n\\nb\ntype:x\\n\\ny\ncontent-length:3\n\na\0b\0',
    );
    expect(body).toBe('a\0b');
    expect(raw).toContain('\nx:a\\nsubscription\\c9\\n\\nb\n');
    expect(raw).toContain('\ncontent-type:text/x\\n\\ny\n');
  });

  it('that cannot be rendered is an ERROR, and is journaled', async () => {
    const { port, host } = await startHost({
      mocks: [
        {
          id: 'big',
          destination: '/queue/a',
          response: {
            destination: '/topic/x',
            body: '{{#request.body}}{{lorem 10000}}{{lorem 10000}}{{/request.body}}',
          },
        },
      ],
    });
    const client = await RawClient.connect(port);
    client.send(send('/queue/a', JSON.stringify(Array.from({ length: 1_000 }, () => 1))));
    const { headers, body } = await client.next('ERROR');
    expect(headers['message']).toBe('the mock could not answer');
    expect(body).toContain('"big"');
    expect(host.journal.list()[0]).toMatchObject({ status: 'ERROR', matched_id: 'big' });
  });

  it('takes part in scenarios by body and headers', async () => {
    const running = await startHost({
      mocks: [{ id: 'm', destination: '/queue/a', response: { destination: '/topic/answers', body: 'one' } }],
    });
    running.host.scenarios.create({ id: 's', patches: [{ mock_id: 'm', body: 'two', headers: { x: 'y' } }] });
    running.host.scenarios.activate('s');
    const { body, headers } = await answerTo(running, send('/queue/a', ''));
    expect(body).toBe('two');
    expect(headers['x']).toBe('y');
  });
});

describe('a delay', () => {
  it('holds up what its connection sends after it, in order, and nobody else', async () => {
    const { port, host } = await startHost({
      mocks: [
        {
          id: 'slow',
          destination: '/queue/slow',
          delay: '1h',
          response: { destination: '/topic/a', body: 'slow' },
        },
      ],
    });
    const client = await subscribed(port, '/topic/a');
    client.send(`${send('/queue/slow', 'x', 'receipt:1\n')}${send('/topic/a', 'behind', 'receipt:2\n')}`);
    await host.kind('stomp').calls.wait('slow', 1, 60_000);
    const other = await subscribed(port, '/topic/a');
    await other.request(send('/topic/a', 'quick'));
    expect((await client.next('MESSAGE')).body).toBe('quick');
    expect(client.frames).toEqual([]);
    await host.clock.advance(3_600_000);
    await client.until(() => client.frames.length === 4);
    expect(
      client.frames.map(({ command, headers, body }) => [command, headers['receipt-id'] ?? body]),
    ).toEqual([
      ['MESSAGE', 'slow'],
      ['RECEIPT', '1'],
      ['MESSAGE', 'behind'],
      ['RECEIPT', '2'],
    ]);
  });

  it('lets the message itself reach its receivers at once, unless a fault is to come', async () => {
    const { port, host } = await startHost({ mocks: [{ destination: '/topic/a', delay: '1h' }] });
    const watcher = await subscribed(port, '/topic/a');
    const client = await RawClient.connect(port);
    client.send(send('/topic/a', 'one'));
    expect((await watcher.next('MESSAGE')).body).toBe('one');
    host.faults.set('stomp', { delay: '1h' });
    const other = await RawClient.connect(port);
    other.send(send('/topic/a', 'two'));
    expect((await watcher.next('MESSAGE')).body).toBe('two');
    host.faults.set('stomp', { delay: '1h', message: 'late' });
    const third = await RawClient.connect(port);
    third.send(send('/topic/a', 'three'));
    await host.kind('stomp').calls.wait(String(host.kind('stomp').mocks.list()[0]?.id), 3, 60_000);
    expect(third.frames).toEqual([]);
    await host.clock.advance(2 * 3_600_000);
    expect((await third.next('ERROR')).headers['message']).toBe('late');
    expect(watcher.frames).toEqual([]);
  });

  it('of a fault holds back a message that no mock answers, and keeps it when its client leaves', async () => {
    const { port, host } = await startHost();
    const watcher = await subscribed(port, '/topic/a');
    host.faults.set('stomp', { delay: '1h' });
    // The server has read the second frame of one write when it has answered the first.
    const begin = 'BEGIN\ntransaction:t\nreceipt:1\n\n\0';
    const client = await RawClient.connect(port);
    client.send(`${begin}${send('/topic/a', 'late')}`);
    await client.next('RECEIPT');
    const other = await RawClient.connect(port);
    other.send(`${begin}${send('/topic/a', 'left')}`);
    await other.next('RECEIPT');
    expect(watcher.frames).toEqual([]);
    other.socket.resetAndDestroy();
    expect((await watcher.next('MESSAGE')).body).toBe('left');
    await host.clock.advance(3_600_000);
    expect((await watcher.next('MESSAGE')).body).toBe('late');
  });

  it('that a reset overtakes leaves nothing in a queue', async () => {
    const { port, host } = await startHost({
      mocks: [
        {
          id: 'm',
          destination: '/topic/a',
          delay: '1h',
          response: { destination: '/queue/out', body: 'old' },
        },
      ],
    });
    const client = await RawClient.connect(port);
    client.send(send('/topic/a', 'x', 'receipt:1\n'));
    await host.kind('stomp').calls.wait('m', 1, 60_000);
    host.reset();
    await host.clock.advance(3_600_000);
    await client.next('RECEIPT');
    await client.request('SUBSCRIBE\nid:1\ndestination:/queue/out\n\n\0');
    await client.request('UNSUBSCRIBE\nid:1\n\n\0');
    expect(client.frames).toEqual([]);
  });

  it('bounds what waits behind it', async () => {
    const { port, host } = await startHost({
      mocks: [{ id: 'slow', destination: '/queue/slow', delay: '1h' }],
    });
    const client = await RawClient.connect(port);
    client.send(send('/queue/slow', 'x'));
    await host.kind('stomp').calls.wait('slow', 1, 60_000);
    const many = send('/topic/a', 'y'.repeat(100_000));
    for (let n = 0; n < 200; n += 1) client.send(many);
    client.send(send('/topic/a', 'last', 'receipt:last\n'));
    // The kernel's buffers take some; the rest stays with the client.
    for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(client.socket.writableLength).toBeGreaterThan(1_000_000);
    await host.clock.advance(3_600_000);
    expect((await client.next('RECEIPT')).headers['receipt-id']).toBe('last');
    expect(host.journal.count().count).toBe(202);
  });

  it('keeps a session with heart-beats alive', async () => {
    const { port, host } = await startHost({
      mocks: [{ id: 'slow', destination: '/queue/slow', delay: '1h' }],
    });
    const client = await RawClient.connect(port, '1.2', 'heart-beat:50,50\n');
    const beat = setInterval(() => client.send('\n'), 20);
    client.send(send('/queue/slow', 'x', 'receipt:1\n'));
    await client.until(() => client.beats >= 8);
    expect(client.isClosed).toBe(false);
    await host.clock.advance(3_600_000);
    await client.next('RECEIPT');
    clearInterval(beat);
  });

  it('of a transaction holds back its receipt', async () => {
    const { port, host } = await startHost({ mocks: [{ id: 'slow', destination: '/topic/a', delay: '1h' }] });
    const client = await subscribed(port, '/topic/a');
    await client.request('BEGIN\ntransaction:t\n\n\0');
    for (const body of ['one', 'two']) await client.request(send('/topic/a', body, 'transaction:t\n'));
    client.send('COMMIT\ntransaction:t\nreceipt:c\n\n\0');
    await client.until(() => client.frames.length === 2);
    expect(client.frames.map(({ body }) => body)).toEqual(['one', 'two']);
    await host.clock.advance(3_600_000);
    await client.until(() => client.frames.length === 3);
    expect(client.frames[2]?.command).toBe('RECEIPT');
  });
});

describe('a fault', () => {
  it('answers with its ERROR, publishes nothing, and closes', async () => {
    const { port, host } = await startHost({
      mocks: [{ id: 'm', destination: '/topic/a', response: { destination: '/topic/a', body: 'answer' } }],
    });
    host.faults.set('stomp', { message: 'disk: full\nreally' });
    const watcher = await subscribed(port, '/topic/a');
    const client = await RawClient.connect(port);
    client.send(send('/topic/a', 'x', 'receipt:9\n'));
    const { headers, body } = await client.next('ERROR');
    expect(headers).toMatchObject({ message: 'disk\\c full\\nreally', 'receipt-id': '9' });
    expect(body).toBe('disk: full\nreally');
    await client.closes();
    expect(watcher.frames).toEqual([]);
    expect(host.kind('stomp').captures?.values()).toEqual([]);
    expect(host.journal.list()[0]).toMatchObject({ matched_id: 'm', fault: true, status: 'ERROR' });
    host.faults.clear('stomp');
    await watcher.request(send('/topic/a', 'x'));
    expect(watcher.frames.map((frame) => frame.body)).toEqual(['x', 'answer']);
  });

  it('hits what is sent, and no other frame', async () => {
    const { port, host } = await startHost();
    host.faults.set('stomp', {});
    const client = await subscribed(port, '/queue/a');
    await client.request('BEGIN\ntransaction:t\n\n\0');
    await client.request(send('/queue/a', 'x', 'transaction:t\n'));
    await client.request('ABORT\ntransaction:t\n\n\0');
    await client.request('UNSUBSCRIBE\nid:/queue/a\n\n\0');
    await client.request('DISCONNECT\n\n\0');
  });

  it('undoes a whole transaction', async () => {
    const { port, host } = await startHost();
    host.faults.set('stomp', { error_rate: 0.3 });
    const watcher = await subscribed(port, '/topic/a');
    const client = await RawClient.connect(port);
    await client.request('BEGIN\ntransaction:t\n\n\0');
    for (let n = 0; n < 30; n += 1) client.send(send('/topic/a', String(n), 'transaction:t\n'));
    client.send('COMMIT\ntransaction:t\n\n\0');
    expect((await client.next('ERROR')).headers['message']).toBe('fault injected');
    await client.closes();
    expect(watcher.frames).toEqual([]);
    const entries = host.journal.list();
    expect(entries).toHaveLength(30);
    expect(entries.filter((entry) => entry['fault'] === true).length).toBeGreaterThan(0);
    expect(entries.filter((entry) => entry['fault'] === true).length).toBeLessThan(30);
  });

  it('fires at its rate', async () => {
    const { port, host } = await startHost();
    host.faults.set('stomp', { error_rate: 0.5 });
    let faulted = 0;
    for (let n = 0; n < 60; n += 1) {
      const client = await RawClient.connect(port);
      client.send(`${send('/topic/a', 'x')}DISCONNECT\nreceipt:1\n\n\0`);
      await client.until(() => client.frames.length > 0);
      if (client.frames[0]?.command === 'ERROR') faulted += 1;
    }
    expect(faulted).toBeGreaterThan(15);
    expect(faulted).toBeLessThan(45);
  });
});

describe('what is captured and journaled', () => {
  it('has exactly the fields of the specification', async () => {
    const { port, host } = await startHost();
    const client = await RawClient.connect(port);
    await client.request(send('/queue/a', 'héllo', 'content-type:text/plain\nX:1\n'));
    client.send(
      Buffer.concat([Buffer.from('SEND\ndestination:/queue/b\ncontent-length:2\n\n'), Buffer.of(255, 0, 0)]),
    );
    const captures = host.kind('stomp').captures;
    await eventually(() => captures?.values().length === 2);
    const [text, binary] = captures?.values() as Record<string, unknown>[];
    expect(text).toEqual({
      id: expect.stringMatching(/./),
      destination: '/queue/a',
      body: 'héllo',
      headers: expect.objectContaining({ destination: '/queue/a', 'content-type': 'text/plain', X: '1' }),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(binary).toMatchObject({ destination: '/queue/b', body: '/wA=', body_encoding: 'base64' });
    expect(host.journal.list()).toMatchObject([
      { protocol: 'stomp', method: 'SEND', path: '/queue/a', body: 'héllo', headers: { x: '1' } },
      { protocol: 'stomp', method: 'SEND', path: '/queue/b', body: '/wA=', body_encoding: 'base64' },
    ]);
  });

  it('shows the answer', async () => {
    const { port, host } = await startHost({
      mocks: [{ id: 'm', response: { destination: '/topic/x', body: 'hi', headers: { a: 'b' } } }],
    });
    const client = await RawClient.connect(port);
    await client.request(send('/queue/a', ''));
    expect(host.journal.list()[0]).toMatchObject({
      matched_id: 'm',
      response: { headers: { destination: '/topic/x', 'content-type': 'text/plain', a: 'b' }, body: 'hi' },
    });
  });

  it('is no entry for other frames', async () => {
    const { port, host } = await startHost();
    const client = await subscribed(port, '/queue/a', '/topic/b');
    await client.request('UNSUBSCRIBE\nid:/topic/b\n\n\0');
    expect(host.journal.count().count).toBe(0);
  });
});
