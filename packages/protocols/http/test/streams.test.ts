import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually, problemsOf } from '@backlot/conformance';
import { RawClient, startHttp, stopAll } from './support/http-host.js';

afterEach(stopAll);

const SSE = { headers: { 'Content-Type': 'text/event-stream' } };
const GET = 'GET /s?n=1 HTTP/1.1\r\nHost: a\r\n\r\n';
const stream = (events: readonly object[], keepOpen: boolean, response: object = SSE): object => ({
  id: 's',
  request: { path: '/s' },
  response,
  stream: { events, keep_open: keepOpen },
});

/** The text of a chunked answer. */
function unchunk(received: string): string {
  const body = received.slice(received.indexOf('\r\n\r\n') + 4);
  return body.replace(/(?:^|\r\n)[0-9a-f]+\r\n/g, '').replace(/\r\n(?:\r\n)?$/, '');
}

describe('a stream of server-sent events', () => {
  it('sends its events and ends', async () => {
    const { host, url } = await startHttp([
      stream([{ data: 'one {{query.n}}', event: 'hello', id: '7' }, { data: 'a\nb\r\nc' }, {}], false),
    ]);
    const answer = await fetch(`${url}/s?n=1`);
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect(await answer.text()).toBe(
      'id: 7\nevent: hello\ndata: one 1\n\ndata: a\ndata: b\ndata: c\n\ndata: \n\n',
    );
    expect(host.streams.list()).toEqual([]);
    expect(host.journal.list()[0]).toMatchObject({
      status: 200,
      matched_id: 's',
      response: { body: expect.stringContaining('one 1') },
    });
  });

  it('waits for the delays of its events on the virtual clock', async () => {
    const { host, port } = await startHttp([
      stream([{ data: 'a' }, { data: 'b', delay: '1h' }, { data: 'c', delay: '1h' }], false),
    ]);
    host.clock.freeze(true);
    const client = new RawClient(port).send(GET);
    await client.until((text) => text.includes('data: a'));
    expect(host.streams.list()).toHaveLength(1);
    await host.clock.advance(3_600_000);
    await client.until((text) => text.includes('data: b'));
    expect(client.received).not.toContain('data: c');
    await host.clock.advance(3_600_000);
    await client.until((text) => text.endsWith('0\r\n\r\n'));
    client.destroy();
  });

  it('stays open, is listed at once, and takes what is pushed', async () => {
    const { host, port } = await startHttp([stream([{ data: 'first' }], true)]);
    const client = new RawClient(port).send(GET);
    await client.until((text) => text.includes('data: first'));
    const [listed] = host.streams.list();
    expect(listed).toMatchObject({ protocol: 'http', mock_id: 's' });
    expect(host.journal.list()).toHaveLength(1);
    expect(host.streams.push({ protocol: 'http', mock_id: 's' }, 'a {{uuid}}\nb')).toBe(1);
    expect(host.streams.push({ protocol: 'http', conn_id: listed?.id ?? '' }, 'c')).toBe(1);
    await client.until((text) => text.includes('data: c'));
    expect(unchunk(client.received)).toBe('data: first\n\ndata: a {{uuid}}\ndata: b\n\ndata: c\n\n');
    expect(
      problemsOf(() => host.streams.push({ protocol: 'http', mock_id: 's' }, { no: 'text' })),
    ).not.toEqual([]);
    expect(host.streams.close({ protocol: 'http', mock_id: 's' }, undefined)).toBe(1);
    await client.until((text) => text.endsWith('0\r\n\r\n'));
    expect(host.streams.list()).toEqual([]);
    client.send('GET /other HTTP/1.1\r\nHost: a\r\n\r\n');
    await client.until((text) => text.includes('404 Not Found'));
    client.destroy();
  });

  it('takes events with a name, an id and data of any JSON value', async () => {
    const { host, port } = await startHttp([stream([], true)]);
    const client = new RawClient(port).send(GET);
    await eventually(() => host.streams.list().length === 1);
    const to = { protocol: 'http', mock_id: 's' };
    host.streams.push(to, { event: 'price', id: '7', data: { n: 1 } });
    host.streams.push(to, { data: 'a\nb' });
    host.streams.push(to, { data: null, event: 'end' });
    await client.until((text) => text.includes('null'));
    expect(unchunk(client.received)).toBe(
      'id: 7\nevent: price\ndata: {"n":1}\n\ndata: a\ndata: b\n\nevent: end\ndata: null\n\n',
    );
    const wrong = [{ event: 'price' }, { data: 'a', event: 1 }, { data: 'a', retry: 5 }, 7];
    for (const data of wrong) expect(problemsOf(() => host.streams.push(to, data))).not.toEqual([]);
    client.destroy();
  });

  it('closed with an error says so in an event', async () => {
    const { host, port } = await startHttp([stream([], true)]);
    const client = new RawClient(port).send(GET);
    await eventually(() => host.streams.list().length === 1);
    host.streams.close({ protocol: 'http', mock_id: 's' }, 'it\nbroke');
    await client.until((text) => text.endsWith('0\r\n\r\n'));
    expect(unchunk(client.received)).toBe('event: error\ndata: it\ndata: broke\n\n');
    client.destroy();
  });

  it('ends normally at a reset and when the host stops, and survives the end of its mock', async () => {
    const { host, port } = await startHttp([stream([{ data: 'x' }], true)]);
    const first = new RawClient(port).send(GET);
    await first.until((text) => text.includes('data: x'));
    host.reset();
    await first.until((text) => text.endsWith('0\r\n\r\n'));
    first.send(GET);
    await eventually(() => host.streams.list().length === 1);
    host.kind('http').mocks.remove('s');
    expect(host.streams.push({ protocol: 'http', mock_id: 's' }, 'still')).toBe(1);
    await first.until((text) => text.includes('data: still'));
    const closed = first.closed;
    await host.stop(1000);
    expect(await closed).toMatch(/data: still[\s\S]*0\r\n\r\n$/);
  });

  it('disappears at once when the client leaves', async () => {
    const { host, port } = await startHttp([stream([{ data: 'x' }, { data: 'y', delay: '1h' }], true)]);
    const client = new RawClient(port).send(GET);
    await client.until((text) => text.includes('data: x'));
    client.destroy();
    await eventually(() => host.streams.list().length === 0);
    expect(host.journal.list()).toEqual([expect.objectContaining({ matched_id: 's', aborted: true })]);
  });

  it('answers HEAD without a stream', async () => {
    const { host, url } = await startHttp([
      { ...stream([{ data: 'x' }], true), request: { method: 'GET', path: '/s' } },
    ]);
    const answer = await fetch(`${url}/s`, { method: 'HEAD' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(host.streams.list()).toEqual([]);
  });

  it('cuts a reader that does not read, and nobody else', async () => {
    const { host, port } = await startHttp([stream([], true)]);
    const slow = new RawClient(port).send(GET);
    const quick = new RawClient(port).send(GET);
    await eventually(() => host.streams.list().length === 2);
    slow.socket.pause();
    const [first] = host.streams.list();
    const data = 'x'.repeat(256 * 1024);
    for (let n = 0; n < 200 && host.streams.list().length === 2; n += 1) {
      host.streams.push({ protocol: 'http', conn_id: first?.id ?? '' }, data);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(host.streams.list()).toHaveLength(1);
    host.streams.push({ protocol: 'http', mock_id: 's' }, 'still here');
    await quick.until((text) => text.includes('still here'));
    slow.destroy();
    quick.destroy();
  });

  it('sends large bursts whole to a reader that keeps up', async () => {
    const data = 'x'.repeat(512 * 1024);
    const { url } = await startHttp([
      stream(
        Array.from({ length: 20 }, () => ({ data })),
        false,
      ),
    ]);
    expect((await (await fetch(`${url}/s`)).text()).length).toBe(20 * (data.length + 8));
  });
});

describe('a stream of another type', () => {
  it('sends plain chunks, its body first', async () => {
    const { host, port } = await startHttp([
      stream([{ data: 'b{{query.n}}' }], true, {
        headers: { 'Content-Type': 'application/x-ndjson' },
        body: 'a',
      }),
    ]);
    const client = new RawClient(port).send(GET);
    await client.until((text) => text.includes('b1'));
    host.streams.push({ protocol: 'http', mock_id: 's' }, 'c\n');
    host.streams.push({ protocol: 'http', mock_id: 's' }, { data: { type: 'ADDED' }, event: 'unseen' });
    await client.until((text) => text.includes('}\n'));
    expect(unchunk(client.received)).toBe('ab1c\n{"type":"ADDED"}\n');
    host.streams.close({ protocol: 'http', mock_id: 's' }, 'broken');
    expect(await client.closed).not.toMatch(/0\r\n\r\n$/);
  });

  it('may stand inside the response, and is framed by the names of its events when no type is given', async () => {
    const { url } = await startHttp([
      { id: 'in', request: { path: '/in' }, response: { stream: { events: [{ data: 'x' }] } } },
      { id: 'named', request: { path: '/named' }, stream: { events: [{ data: 'x', event: 'e' }] } },
    ]);
    const inner = await fetch(`${url}/in`);
    expect([inner.headers.get('content-type'), await inner.text()]).toEqual([
      'text/plain; charset=utf-8',
      'x',
    ]);
    const named = await fetch(`${url}/named`);
    expect([named.headers.get('content-type'), await named.text()]).toEqual([
      'text/event-stream',
      'event: e\ndata: x\n\n',
    ]);
  });

  it('is checked when the mock is made', async () => {
    const { host } = await startHttp();
    const { mocks } = host.kind('http');
    const create = (more: object): string[] =>
      problemsOf(() => mocks.create({ request: { path: '/' }, ...more }));
    const given = { events: [] };
    expect(create({ stream: given, response: { stream: given } })[0]).toMatch(/given twice/);
    expect(create({ stream: given, sequence: [{ status: 200 }] })[0]).toMatch(/cannot stream/);
    expect(create({ stream: given, response: { status: 204 } })[0]).toMatch(
      /no content that could be streamed/,
    );
  });
});

describe('a function that goes on sending', () => {
  it('sends lines of JSON until it returns, and the answer ends', async () => {
    const { url, host } = await startHttp([
      {
        id: 'watch',
        request: { path: '/watch' },
        respond: () => ({
          status: 200,
          headers: { 'Content-Type': 'application/json' },
          feed: (async function* () {
            yield { data: { type: 'ADDED' } };
            yield await Promise.resolve('text\n');
          })(),
        }),
      },
    ]);
    const answer = await fetch(`${url}/watch`);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.text()).toBe('{"type":"ADDED"}\ntext\n');
    expect(host.streams.list()).toEqual([]);
  });

  it('breaks the answer off when it throws, and is told when the client leaves', async () => {
    const seen: string[] = [];
    const { url, host } = await startHttp([
      {
        id: 'broken',
        request: { path: '/broken' },
        respond: async function* () {
          yield { data: 'some' };
          throw await Promise.resolve(new Error('enough'));
        },
      },
      {
        id: 'left',
        request: { path: '/left' },
        respond: async function* (_request: unknown, { clock }: { clock: { wait(time: number): unknown } }) {
          yield { data: 'some' };
          seen.push(String(await clock.wait(3_600_000)));
        },
      },
    ]);
    const broken = await fetch(`${url}/broken`);
    await expect(broken.text()).rejects.toThrow('terminated');
    expect(host.journal.list()[0]).toMatchObject({ failure: expect.stringContaining('enough') });
    const leaving = new AbortController();
    const left = await fetch(`${url}/left`, { signal: leaving.signal });
    await left.body?.getReader().read();
    leaving.abort();
    await eventually(() => seen.length === 1);
    expect(seen).toEqual(['false']);
  });

  it('cannot feed what is not iterable', async () => {
    const { url } = await startHttp([
      { id: 'wrong', request: { path: '/wrong' }, respond: () => ({ status: 200, feed: 5 }) },
    ]);
    const answer = await fetch(`${url}/wrong`);
    expect(await answer.text()).toContain('must be an async iterable, got 5');
  });
});
