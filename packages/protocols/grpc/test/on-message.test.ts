import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { Metadata, type ClientDuplexStream } from '@grpc/grpc-js';
import type { Json } from '@backlot/core';
import { readAll, startHost, type Running } from './support/grpc-host.js';

type Chat = ClientDuplexStream<object, Json>;

const CHAT = { id: 'chat', method: 'acme.Users/Chat' };

/** Reads what a call is answered with, one by one. */
function reader(call: Chat): { next(): Promise<string> } {
  const iterator = call[Symbol.asyncIterator]() as AsyncIterator<Json>;
  call.on('error', () => undefined);
  return {
    async next() {
      const { done, value } = await iterator.next();
      return done === true ? 'the end' : String(value['name']);
    },
  };
}

async function start(mock: object, settings: Json = {}): Promise<Running> {
  const running = await startHost(settings);
  running.add({ ...CHAT, ...mock });
  return running;
}

describe('a call whose messages are answered one by one', () => {
  it('answers each as it comes, by the first rule that matches, and ends with the trailers', async () => {
    const { users, host } = await start({
      metadata: { 'x-early': 'yes' },
      trailers: { 'x-late': 'yes' },
      on_message: [
        { match: { name: 'ping' }, respond: { name: 'pong' } },
        { match: { 'scores.*': { gt: 5 } }, respond: { name: 'high {{request.body.scores.0}}' } },
        { match: { name: 'quiet' } },
        {
          match: { name: 're:^say ' },
          respond: [
            { response: { name: '{{request.body.name}}' } },
            { response: { name: 'of {{length request.messages}}' } },
          ],
        },
      ],
    });
    const call = users.Chat();
    const headers = new Promise<Metadata>((resolve) => call.on('metadata', resolve));
    const status = new Promise<{ code: number; metadata: Metadata }>((resolve) => call.on('status', resolve));
    const answers = reader(call);
    call.write({ name: 'ping' });
    expect(await answers.next()).toBe('pong');
    expect((await headers).get('x-early')).toEqual(['yes']);
    call.write({ name: 'quiet' });
    call.write({ name: 'no rule' });
    call.write({ scores: [7] });
    expect(await answers.next()).toBe('high 7');
    call.write({ name: 'say hello' });
    expect(await answers.next()).toBe('say hello');
    expect(await answers.next()).toBe('of 5');
    call.end();
    expect(await answers.next()).toBe('the end');
    const { code, metadata } = await status;
    expect([code, metadata.get('x-late')]).toEqual([0, ['yes']]);
    await eventually(() => host.journal.list()[0]?.['duration_ms'] !== undefined);
    expect(host.journal.list()).toMatchObject([
      {
        matched_id: 'chat',
        body: expect.stringContaining('"name":"ping"'),
        response: {
          status: 'OK',
          body: ['pong', 'high 7', 'say hello', 'of 5'].map((name) => JSON.stringify({ name })).join('\n'),
        },
      },
    ]);
    expect(host.kind('grpc').calls.of('chat').count).toBe(1);
  });

  it('answers all that came before the client has ended, then ends', async () => {
    const { users } = await start({
      error: { code: 'DATA_LOSS', message: 'after {{request.body.name}}' },
      on_message: [{ respond: { name: '{{request.body.name}}!' } }],
    });
    const call = users.Chat();
    for (const name of ['a', 'b', 'c']) call.write({ name });
    call.end();
    const all = await readAll(call);
    expect(all.map((one) => (typeof one === 'string' ? one : (one as Json)['name']))).toEqual([
      'a!',
      'b!',
      'c!',
      'DATA_LOSS: after a',
    ]);
  });

  it('keeps the order while answers wait, and reads no further meanwhile', async () => {
    const { users, host } = await start({
      on_message: [
        {
          match: { name: 'slow' },
          respond: [
            { response: { name: '1' }, delay: '1s' },
            { response: { name: '2' }, delay: '1s' },
          ],
          delay: '1s',
        },
        { respond: { name: '{{request.body.name}}' } },
      ],
    });
    host.clock.freeze(true);
    const call = users.Chat();
    const answers = reader(call);
    call.write({ name: 'first' });
    call.write({ name: 'slow' });
    call.write({ name: 'last' });
    call.end();
    expect(await answers.next()).toBe('first');
    for (const expected of ['1', '2']) {
      const next = answers.next();
      let has = false;
      void next.then(() => (has = true));
      for (let n = 0; n < 20 && !has; n += 1) {
        await host.clock.advance(500);
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(await next).toBe(expected);
    }
    expect(await answers.next()).toBe('last');
    expect(await answers.next()).toBe('the end');
  });

  it('ends when a rule says so: well, or with a status', async () => {
    const { users } = await start({
      trailers: { 'x-late': 'yes' },
      on_message: [
        { match: { name: 'bye' }, respond: { name: 'see you' }, close: true },
        { match: { name: 'bad' }, error: { code: 'INVALID_ARGUMENT', message: 'no {{request.body.name}}' } },
        { match: { name: 'both' }, respond: { name: 'last' }, error: { code: 'ABORTED' } },
      ],
    });
    const expected: [string, unknown[]][] = [
      ['bye', ['see you', 'OK']],
      ['bad', ['INVALID_ARGUMENT: no bad']],
      ['both', ['last', 'ABORTED: ']],
    ];
    for (const [name, end] of expected) {
      const call = users.Chat();
      const trailers = new Promise<Metadata>((resolve) =>
        call.on('status', ({ metadata }: { metadata: Metadata }) => resolve(metadata)),
      );
      call.write({ name: 'unknown' });
      call.write({ name });
      call.write({ name });
      const all = await readAll(call);
      expect(all.map((one) => (typeof one === 'string' ? one : (one as Json)['name']))).toEqual(end);
      expect((await trailers).get('x-late')).toEqual(['yes']);
    }
  });

  it('greets with its stream before the first message, stays open for pushes, and takes them between answers', async () => {
    const { users, host } = await start({
      stream: [{ response: { name: 'welcome' } }],
      keep_open: true,
      on_message: [{ respond: { name: '{{request.body.name}} {{request.headers.x-tag}}' } }],
    });
    const metadata = new Metadata();
    metadata.set('x-tag', 't');
    const call = users.Chat(metadata);
    const answers = reader(call);
    expect(await answers.next()).toBe('welcome');
    host.streams.push({ protocol: 'grpc', mock_id: 'chat' }, { name: 'pushed' });
    expect(await answers.next()).toBe('pushed');
    call.write({ name: 'a' });
    expect(await answers.next()).toBe('a t');
    call.end();
    await new Promise((resolve) => setImmediate(resolve));
    host.streams.push({ protocol: 'grpc', mock_id: 'chat' }, { name: 'still' });
    expect(await answers.next()).toBe('still');
    host.streams.close({ protocol: 'grpc', mock_id: 'chat' }, undefined);
    expect(await answers.next()).toBe('the end');
  });

  it('works without a schema, on JSON', async () => {
    const { host, port } = await startHost({}, { schema: false });
    host.kind('grpc').mocks.create({ ...CHAT, on_message: [{ respond: { echo: '{{request.body.n}}' } }] });
    const { Client, credentials } = await import('@grpc/grpc-js');
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
    const text = (value: object): Buffer => Buffer.from(JSON.stringify(value));
    const call = client.makeBidiStreamRequest(
      '/acme.Users/Chat',
      text,
      (bytes) => JSON.parse(bytes.toString()) as Json,
    );
    for (const n of [1, 'two', null]) call.write({ n });
    call.end();
    expect(await readAll(call)).toEqual([{ echo: 1 }, { echo: 'two' }, { echo: null }, 'OK']);
    client.close();
  });

  it('answers thousands of messages of one chunk in their order', async () => {
    const { users } = await start({ on_message: [{ respond: { id: '{{request.body.id}}' } }] });
    const call = users.Chat();
    const count = 5000;
    for (let id = 1; id <= count; id += 1) call.write({ id });
    call.end();
    const all = await readAll(call);
    expect(all.pop()).toBe('OK');
    expect(all.map((one) => Number((one as Json)['id']))).toEqual(
      Array.from({ length: count }, (_, n) => n + 1),
    );
  });

  it('waits for its delay with what has come, and counts once; a client that cancels ends it', async () => {
    const { users, host } = await start({
      delay: '1s',
      on_message: [{ respond: { name: '{{request.body.name}}' } }],
    });
    host.clock.freeze(true);
    const call = users.Chat();
    const answers = reader(call);
    const big = 'x'.repeat(300_000);
    for (const name of ['a', big, 'b']) call.write({ name });
    await eventually(() => host.kind('grpc').calls.of('chat').count === 1);
    await host.clock.advance(1000);
    expect(await answers.next()).toBe('a');
    expect(await answers.next()).toBe(big);
    expect(await answers.next()).toBe('b');
    call.cancel();
    await eventually(() => host.streams.list().length === 0);
  });

  it('ends with an error for an answer that does not fit', async () => {
    const { users } = await start({ on_message: [{ respond: { id: '{{request.body.name}}' } }] });
    const call = users.Chat();
    call.write({ name: '7' });
    call.write({ name: 'seven' });
    const all = await readAll(call);
    expect(all).toMatchObject([{ id: '7' }, expect.stringMatching(/^INTERNAL: mock "chat": /)]);
    expect(all[1]).toContain('on_message');
  });

  it('is refused where it cannot be meant', async () => {
    const { add } = await startHost();
    const bad: [object, string][] = [
      [{ method: 'acme.Users/Get', on_message: [] }, 'no streams in both directions'],
      [{ ...CHAT, on_message: [{ respond: { nick: 'a' } }] }, '/on_message/0/respond/nick'],
      [
        { ...CHAT, on_message: [{ respond: [{ response: { nick: 'a' } }] }] },
        '/on_message/0/respond/0/response/nick',
      ],
      [{ ...CHAT, on_message: [{ match: { nick: 'a' } }] }, '/on_message/0/match/nick'],
      [{ ...CHAT, on_message: [{ close: true, error: { code: 5 } }] }, '/on_message/0/close'],
      [{ ...CHAT, on_message: [{ error: { code: 'NONE' } }] }, '/on_message/0/error/code'],
      [{ ...CHAT, on_message: [{ delay: 'soon' }] }, '/on_message/0/delay'],
      [{ ...CHAT, response: {}, on_message: [] }, '/response'],
    ];
    for (const [mock, text] of bad) {
      let problems = '';
      try {
        add(mock as Json);
      } catch (thrown) {
        problems = `${(thrown as Error).message} ${JSON.stringify((thrown as { details?: unknown }).details)}`;
      }
      expect(problems).toContain(text);
    }
  });
});
