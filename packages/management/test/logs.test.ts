import { connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { openEvents, type EventReader } from './support/event-reader.js';
import { start, stopAll } from './support/start.js';

const readers: EventReader[] = [];
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close();
  await stopAll();
});

async function follow(url: string, headers?: Record<string, string>): Promise<EventReader> {
  const reader = await openEvents(url, headers);
  readers.push(reader);
  return reader;
}

const settings = { settings: { echo: { port: 0, mocks: [{ id: 'a', match: 'x' }] }, 'plain-text': {} } };

describe('logs', () => {
  it('are listed by filters', async () => {
    const { call, ask } = await start({}, settings);
    for (const word of ['x', 'y', 'x', 'z']) await ask(`SAY ${word}`);
    const paths = async (query: string): Promise<string[]> =>
      (await call('GET', `/api/logs${query}`)).body.map((entry: { path: string }) => entry.path);
    expect(await paths('')).toEqual(['x', 'y', 'x', 'z']);
    expect(await paths('?matched_id=a')).toEqual(['x', 'x']);
    expect(await paths('?unmatched=true')).toEqual(['y', 'z']);
    expect(await paths('?unmatched=false')).toEqual(['x', 'y', 'x', 'z']);
    expect(await paths('?protocol=echo&limit=1')).toEqual(['z']);
    expect(await paths('?protocol=plain-text')).toEqual([]);
    expect(await paths('?limit=0')).toEqual([]);
    const [first] = (await call('GET', '/api/logs')).body;
    expect(await paths(`?after=${first.id}`)).toEqual(['y', 'x', 'z']);
    for (const wrong of ['limit=-1', 'limit=x', 'limit=1.5', 'limit=', 'after=x', 'unmatched=maybe']) {
      expect([wrong, (await call('GET', `/api/logs?${wrong}`)).status]).toEqual([wrong, 400]);
    }
  });

  it('are filtered by every field that an entry has', async () => {
    const { call, ask } = await start({}, settings);
    for (const word of ['x', 'yes', 'x', 'yet']) await ask(`SAY ${word}`);
    await ask('TELL yes');
    const paths = async (query: string): Promise<string> =>
      (await call('GET', `/api/logs?${query}`)).body
        .map(({ method, path }: { method: string; path: string }) => `${method} ${path}`)
        .join(', ');
    expect(await paths('path=ye*')).toBe('SAY yes, SAY yet, TELL yes');
    expect(await paths('path=ye*&limit=2')).toBe('SAY yet, TELL yes');
    expect(await paths('path=ye*&limit=2&after=0')).toBe('SAY yes, SAY yet');
    expect(await paths('path=re:s%24&method=SAY')).toBe('SAY yes');
    expect(await paths('mock_id=*')).toBe('SAY x, SAY x');
    expect(await paths('mock_id=b*')).toBe('');
    expect(await paths('matched=true')).toBe('SAY x, SAY x');
    expect(await paths('matched=false&method=TELL')).toBe('TELL yes');
    expect(await paths('since=2000-01-01&until=2000-01-02T00:00:00Z')).toBe('');
    expect(await paths('since=1h&path=yet')).toBe('SAY yet');
    expect(await paths('until=1h')).toBe('');
    expect((await call('GET', '/api/logs/count?path=ye*')).body).toEqual({ count: 3, complete: false });
    for (const wrong of ['path=re:(', 'since=soon', 'until=', 'matched=maybe', 'mock_id=re:(', 'pth=x']) {
      expect([wrong, (await call('GET', `/api/logs?${wrong}`)).status]).toEqual([wrong, 400]);
    }
  });

  it('are counted and cleared', async () => {
    const { call, ask } = await start({}, settings);
    for (const word of ['x', 'y', 'x']) await ask(`SAY ${word}`);
    const count = async (query: string): Promise<unknown> =>
      (await call('GET', `/api/logs/count${query}`)).body;
    expect(await count('')).toEqual({ count: 3 });
    expect(await count('?matched_id=a')).toEqual({ count: 2 });
    expect(await count('?protocol=echo')).toEqual({ count: 3 });
    expect(await count('?unmatched=true')).toEqual({ count: 1, complete: false });
    const cleared = await call('DELETE', '/api/logs');
    expect([cleared.status, cleared.body]).toEqual([200, { status: 'cleared' }]);
    expect(await count('')).toEqual({ count: 0 });
    expect((await call('GET', '/api/logs')).body).toEqual([]);
  });

  it('answer the newest 500', async () => {
    const { call, connect } = await start({}, settings);
    const client = await connect();
    for (let index = 0; index < 501; index += 1) client.send(`SAY ${index}`);
    for (let index = 0; index < 501; index += 1) await client.nextLine();
    const { body } = await call('GET', '/api/logs');
    expect([body.length, body[0].path]).toEqual([500, '1']);
    expect((await call('GET', '/api/logs?limit=1000')).body).toHaveLength(501);
  });
});

describe('the log stream', () => {
  it('sends headers at once and an event per entry', async () => {
    const { url, ask } = await start({}, settings);
    const reader = await follow(`${url}/api/logs/stream`);
    expect([reader.status, reader.headers['content-type']]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
    await ask('SAY x');
    const event = await reader.next();
    expect(event.event).toBeUndefined();
    expect(JSON.parse(event.data ?? '')).toMatchObject({
      id: event.id,
      protocol: 'echo',
      path: 'x',
      matched_id: 'a',
    });
  });

  it('keeps to its filters', async () => {
    const { url, ask } = await start({}, settings);
    const reader = await follow(`${url}/api/logs/stream?unmatched=true&protocol=echo`);
    for (const word of ['x', 'y', 'x', 'z']) await ask(`SAY ${word}`);
    const paths = [await reader.next(), await reader.next()].map(({ data }) => JSON.parse(data ?? '').path);
    expect(paths).toEqual(['y', 'z']);
  });

  it('sends only what fits its patterns, also of what was there', async () => {
    const { url, ask } = await start({}, settings);
    for (const word of ['yes', 'x', 'yet']) await ask(`SAY ${word}`);
    const reader = await follow(`${url}/api/logs/stream?path=ye*&after=0`);
    for (const word of ['no', 'yeah']) await ask(`SAY ${word}`);
    const paths = [await reader.next(), await reader.next(), await reader.next()].map(
      ({ data }) => JSON.parse(data ?? '').path,
    );
    expect(paths).toEqual(['yes', 'yet', 'yeah']);
  });

  it('leaves out what is beyond a rate, and says how much that was', async () => {
    const { url, host } = await start({}, settings);
    const reader = await follow(`${url}/api/logs/stream?rate=10`);
    const { port = 0 } = host.kind('echo').address ?? {};
    const socket = connect(port, '127.0.0.1');
    // Thirty in one packet, more than a tenth of a second lets through.
    socket.end('SAY x\n'.repeat(30));
    let sent = 0;
    let skipped = 0;
    while (sent + skipped < 30) {
      const { event, data } = await reader.next();
      if (event === 'skipped') skipped += JSON.parse(data ?? '').count;
      else sent += 1;
    }
    expect(skipped).toBeGreaterThan(0);
    expect(sent + skipped).toBe(30);
    expect((await fetch(`${url}/api/logs/stream?rate=1`)).status).toBe(400);
  });

  it.each(['', '&protocol=echo'])('lets a burst pass, and counts the others exactly%s', async (filter) => {
    const { url, host } = await start({}, settings);
    const reader = await follow(`${url}/api/logs/stream?rate=10&burst=25${filter}`);
    const { port = 0 } = host.kind('echo').address ?? {};
    const socket = connect(port, '127.0.0.1');
    socket.end('SAY x\n'.repeat(40));
    const ids: string[] = [];
    let skipped = 0;
    while (ids.length + skipped < 40) {
      const { event, id, data } = await reader.next();
      if (event === 'skipped') skipped += JSON.parse(data ?? '').count;
      else ids.push(id ?? '');
    }
    expect(ids.length).toBeGreaterThanOrEqual(25);
    expect(ids.slice(0, 25)).toEqual(Array.from({ length: 25 }, (_, index) => String(index + 1)));
    expect(ids.length + skipped).toBe(40);
  });

  it('resumes after an entry', async () => {
    const { url, ask } = await start({}, settings);
    for (const word of ['1', '2', '3']) await ask(`SAY ${word}`);
    for (const reader of [
      await follow(`${url}/api/logs/stream`, { 'last-event-id': '1' }),
      await follow(`${url}/api/logs/stream?after=1`),
      await follow(`${url}/api/logs/stream?after=3`, { 'last-event-id': '1' }),
    ]) {
      expect([(await reader.next()).id, (await reader.next()).id]).toEqual(['2', '3']);
    }
    const last = await follow(`${url}/api/logs/stream`, { 'last-event-id': '1' });
    await ask('SAY 4');
    expect([await last.next(), await last.next(), await last.next()].map(({ id }) => id)).toEqual([
      '2',
      '3',
      '4',
    ]);
    expect((await fetch(`${url}/api/logs/stream?after=x`)).status).toBe(400);
  });

  it('sends a comment when nothing happens', async () => {
    const { url } = await start({ commentAfter: 20 }, settings);
    const reader = await follow(`${url}/api/logs/stream`);
    expect([await reader.next(), await reader.next()]).toEqual([
      { comment: 'keep-alive' },
      { comment: 'keep-alive' },
    ]);
  });

  it('keeps what was said on one line one event', async () => {
    const { url, ask } = await start({}, settings);
    const reader = await follow(`${url}/api/logs/stream`);
    const text = 'a\r\u001b[2J\u2028data: forged';
    await ask(`SAY ${text}`);
    expect(JSON.parse((await reader.next()).data ?? '').path).toBe(text);
  });

  it('tells a reader that is too slow, and slows nobody', async () => {
    const { url, connect, call } = await start({ maxWaitingBytes: 64 * 1024 }, settings);
    const reader = await follow(`${url}/api/logs/stream`);
    reader.pause();
    const client = await connect();
    const total = 400;
    const long = 'l'.repeat(60_000);
    for (let index = 0; index < total; index += 1) {
      client.send(`SAY ${long}`);
      await client.nextLine();
    }
    expect((await call('GET', '/api/logs/count')).body).toEqual({ count: total });
    reader.resume();
    let received = 0;
    let event = await reader.next();
    while (event.event === undefined) {
      received += 1;
      event = await reader.next();
    }
    expect(event).toEqual({ event: 'dropped', data: JSON.stringify({ count: total - received }) });
    expect(received).toBeLessThan(total);
    client.send('SAY again');
    expect(JSON.parse((await reader.next()).data ?? '').path).toBe('again');
  });

  it('resumes for a slow reader without losing an entry', async () => {
    const { url, connect } = await start({ maxWaitingBytes: 1_000 }, settings);
    const client = await connect();
    const say = async (count: number): Promise<void> => {
      for (let index = 0; index < count; index += 1) {
        client.send(`SAY ${'l'.repeat(60_000)}`);
        await client.nextLine();
      }
    };
    await say(100);
    const reader = await follow(`${url}/api/logs/stream?after=0`);
    reader.pause();
    await say(100);
    reader.resume();
    const ids: string[] = [];
    for (let index = 0; index < 200; index += 1) ids.push((await reader.next()).id ?? '');
    expect(ids).toEqual(Array.from({ length: 200 }, (_, index) => String(index + 1)));
  });

  it('ends when its reader leaves', async () => {
    const { url, host, ask } = await start({}, settings);
    let open = 0;
    const { journal } = host;
    const subscribe = journal.subscribe.bind(journal);
    const left = new Promise<void>((resolve) => {
      journal.subscribe = (filter, callback) => {
        open += 1;
        const end = subscribe(filter, callback);
        return () => {
          open -= 1;
          end();
          resolve();
        };
      };
    });
    const reader = await follow(`${url}/api/logs/stream`);
    expect(open).toBe(1);
    reader.close();
    await left;
    expect(open).toBe(0);
    await ask('SAY x');
  });
});
