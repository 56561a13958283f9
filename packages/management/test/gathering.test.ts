import { afterEach, describe, expect, it } from '@jest/globals';
import { openEvents, type EventReader, type ReadEvent } from './support/event-reader.js';
import { startReplicas, type Replicas } from './support/replicas.js';
import { stopAll, type Management } from './support/start.js';

afterEach(stopAll);

const settings = {
  echo: {
    port: 0,
    mocks: [
      { id: 'a', match: 'x' },
      { id: 's', match: 's', answer: 'first', stream: true },
    ],
  },
};

interface Three extends Replicas {
  readonly one: Management;
  readonly two: Management;
  readonly three: Management;
}

async function startThree(): Promise<Three> {
  const replicas = await startReplicas(3, { settings });
  const [one, two, three] = replicas.all as [Management, Management, Management];
  return { ...replicas, one, two, three };
}

interface Entry {
  readonly id: string;
  readonly path: string;
  readonly replica: string;
}

async function take(reader: EventReader, count: number): Promise<readonly ReadEvent[]> {
  const events: ReadEvent[] = [];
  while (events.length < count) events.push(await reader.next());
  return events;
}

describe('the log of all replicas', () => {
  it('is one list by time, of which each replica tells the whole', async () => {
    const { one, two, three } = await startThree();
    for (const [replica, line] of [
      [two, 'SAY 1'],
      [one, 'SAY 2'],
      [three, 'SAY 3'],
      [two, 'SAY 4'],
    ] as const) {
      await replica.ask(line);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    for (const replica of [one, two, three]) {
      const { status, body, headers } = await replica.call('GET', '/api/logs');
      expect([status, body.map(({ id, path, replica: name }: Entry) => [id, path, name])]).toEqual([
        200,
        [
          ['1@r1', '1', 'r1'],
          ['1@r0', '2', 'r0'],
          ['1@r2', '3', 'r2'],
          ['2@r1', '4', 'r1'],
        ],
      ]);
      expect(headers.get('backlot-after')?.split(',').toSorted()).toEqual(['1@r0~s0', '1@r2~s2', '2@r1~s1']);
    }
    const newest = (await one.call('GET', '/api/logs?limit=2')).body;
    expect(newest.map(({ path }: Entry) => path)).toEqual(['3', '4']);
    const fitting = (await one.call('GET', '/api/logs?path=re:[24]')).body;
    expect(fitting.map(({ path }: Entry) => path)).toEqual(['2', '4']);
    expect((await three.call('GET', '/api/logs/count')).body).toEqual({ count: 4 });
    expect((await three.call('GET', '/api/logs/count?path=1')).body).toEqual({ count: 1, complete: false });
    const entry = (await three.call('GET', '/api/logs/2@r1')).body;
    expect(entry).toMatchObject({ id: '2@r1', path: '4', replica: 'r1' });
    expect((await three.call('GET', '/api/logs/1@r2/command')).status).toBe(200);
  });

  it('is read in pages, of which none leaves anything out or gives it twice', async () => {
    const { one, two, three } = await startThree();
    const all = [one, two, three];
    for (let line = 0; line < 23; line += 1) await all[(line * line) % 3]?.ask(`SAY ${line}`);
    const found: string[] = [];
    let after = '0';
    for (let page = 0; page < 30; page += 1) {
      const { body, headers } = await all[page % 3]!.call('GET', `/api/logs?limit=4&after=${after}`);
      found.push(...body.map(({ path }: Entry) => path));
      after = headers.get('backlot-after') ?? '';
      if (page === 5) await three.ask('SAY late');
      if (body.length === 0) break;
    }
    expect(found.toSorted()).toEqual(
      [...Array.from({ length: 23 }, (_, line) => String(line)), 'late'].toSorted(),
    );
  });

  it('is refused when one replica does not answer, and for places that are none', async () => {
    const { one, two, mute } = await startThree();
    await one.ask('SAY 1');
    mute.add('r2');
    for (const [method, path, body] of [
      ['GET', '/api/logs'],
      ['GET', '/api/logs/count'],
      ['GET', '/api/logs/stream'],
      ['GET', '/api/calls/echo/a'],
      ['GET', '/api/echoes'],
      ['GET', '/api/connections/echo'],
      ['GET', '/api/streams'],
      ['POST', '/api/calls/echo/a/wait', { count: 1 }],
      ['POST', '/api/echoes/wait', { count: 1 }],
      ['POST', '/api/verify', { expect: [{ echo: {} }] }],
    ] as const) {
      const answer = await two.call(method, path, body);
      expect([path, answer.status, answer.body.error]).toEqual([
        path,
        503,
        expect.stringContaining('the replica "r2" does not answer'),
      ]);
    }
    expect((await two.call('GET', '/api/logs?consistency=local')).body).toEqual([]);
    mute.clear();
    for (const place of ['after=57', 'after=1@r0', 'after=1@r0~s0&consistency=local', 'after=x@r0~s0']) {
      const { status, body } = await two.call('GET', `/api/logs?${place}`);
      expect([place, status, typeof body.error]).toEqual([place, 400, 'string']);
    }
    expect((await two.call('GET', '/api/logs/1')).status).toBe(400);
    expect((await two.call('GET', '/api/logs/1@r9')).body.error).toContain('there are r1, r0, r2');
    expect((await two.call('GET', '/api/logs/9@r0')).status).toBe(404);
  });

  it('is followed, and taken up again at the place in each', async () => {
    const { one, two, three } = await startThree();
    await one.ask('SAY before');
    const reader = await openEvents(`${two.url}/api/logs/stream`);
    for (const [index, replica] of [one, two, three].entries()) await replica.ask(`SAY ${index}`);
    const events = await take(reader, 3);
    reader.close();
    const entries = events.map(({ data }) => JSON.parse(data ?? '') as Entry);
    expect(entries.map(({ path, replica }) => [path, replica]).toSorted()).toEqual([
      ['0', 'r0'],
      ['1', 'r1'],
      ['2', 'r2'],
    ]);
    await one.ask('SAY 3');
    const again = await openEvents(`${three.url}/api/logs/stream`, { 'Last-Event-ID': events[2]?.id ?? '' });
    await two.ask('SAY 4');
    const rest = (await take(again, 2)).map(({ data }) => (JSON.parse(data ?? '') as Entry).path);
    again.close();
    expect(rest.toSorted()).toEqual(['3', '4']);
  });

  it('has the messages of one space of all', async () => {
    const { one, two } = await startThree();
    await one.call('POST', '/api/spaces', { id: 's1' });
    expect((await two.call('GET', '/api/spaces/s1/logs')).body).toEqual([]);
    expect((await two.call('GET', '/api/logs?space=s1')).body).toEqual([]);
    expect((await two.call('GET', '/api/logs?space=*')).body).toEqual([]);
  });
});

describe('calls of all replicas', () => {
  it('are counted together and in pages', async () => {
    const { one, two, three } = await startThree();
    for (const replica of [one, two, two, three]) await replica.ask('SAY x');
    const { body } = await three.call('GET', '/api/calls/echo/a');
    expect(body).toMatchObject({ mock_id: 'a', count: 4, calls: { length: 4 } });
    const page = await three.call('GET', '/api/calls/echo/a?limit=3');
    expect([page.body.count, page.body.calls.length]).toEqual([4, 3]);
    const rest = await one.call('GET', `/api/calls/echo/a?after=${page.headers.get('backlot-after')}`);
    expect(rest.body.calls).toHaveLength(1);
    expect((await one.call('GET', '/api/calls/echo/none')).status).toBe(404);
  });

  it('are waited for, wherever they come', async () => {
    const { one, two, three } = await startThree();
    const waiting = one.call('POST', '/api/calls/echo/a/wait', { count: 5, timeout: '5m' });
    const fitting = two.call('POST', '/api/calls/echo/a/wait', {
      where: { path: 'x' },
      count: 3,
      timeout: '5m',
    });
    for (const replica of [two, three, two, two, one]) await replica.ask('SAY x');
    expect((await waiting).body).toMatchObject({ mock_id: 'a', count: 5, calls: { length: 5 } });
    expect((await fitting).body).toMatchObject({ count: expect.any(Number), calls: { length: 3 } });
    const late = await one.call('POST', '/api/calls/echo/a/wait', { count: 6, timeout: '1ms' });
    expect([late.status, late.body]).toEqual([
      408,
      { error: 'the replicas have 5 of "a" together, want 6', mock_id: 'a', want: 6, got: 5 },
    ]);
  });

  it('are waited for until a reset', async () => {
    const { one, two } = await startThree();
    const waiting = one.call('POST', '/api/calls/echo/a/wait', { count: 5, timeout: '5m' });
    await two.call('POST', '/api/reset');
    // It may come before the wait has begun.
    const again = two.call('POST', '/api/reset');
    const { status } = await Promise.race([waiting, again.then(() => waiting)]);
    expect(status).toBe(409);
  });
});

describe('what all replicas have', () => {
  it('is captured messages', async () => {
    const { one, two } = await startThree();
    await one.ask('KEEP 1');
    const waiting = two.call('POST', '/api/echoes/wait', { count: 2, timeout: '5m' });
    await two.ask('KEEP 2');
    expect((await waiting).body).toHaveLength(2);
    const { body, headers } = await two.call('GET', '/api/echoes');
    expect(body.map(({ replica }: Entry) => replica).toSorted()).toEqual(['r0', 'r1']);
    const [first] = body;
    expect((await one.call('GET', `/api/echoes/${first.id}`)).body).toEqual(first);
    const frame = await one.call('POST', `/api/echoes/${first.id}/frame`);
    expect((await one.call('GET', frame.body.path)).text).toContain(first.text);
    const after = headers.get('backlot-after') ?? '';
    expect((await one.call('GET', `/api/echoes?after=${encodeURIComponent(after)}`)).body).toEqual([]);
  });

  it('is streams, into which is pushed wherever they are', async () => {
    const { one, two, three } = await startThree();
    const readers = await Promise.all([one, two, two].map(({ connect }) => connect()));
    for (const reader of readers) {
      reader.send('SAY s');
      await reader.nextLine();
    }
    const list = (await three.call('GET', '/api/streams')).body as readonly Entry[];
    expect(list.map(({ replica }) => replica).toSorted()).toEqual(['r0', 'r1', 'r1']);
    const target = { protocol: 'echo', mock_id: 's' };
    const pushed = await three.call('POST', '/api/streams/push', { ...target, data: 'more' });
    expect(pushed.body).toEqual({ status: 'pushed', delivered: 3 });
    expect(await Promise.all(readers.map((reader) => reader.nextLine()))).toEqual(['more', 'more', 'more']);
    const alone = { protocol: 'echo', conn_id: list[0]?.id };
    expect((await three.call('POST', '/api/streams/close', alone)).body.closed).toBe(1);
    expect((await three.call('POST', '/api/streams/close', target)).body.closed).toBe(2);
    expect((await three.call('POST', '/api/streams/close', target)).status).toBe(404);
    expect((await three.call('POST', '/api/connections/echo/close', { id: '1' })).status).toBe(400);
    expect((await three.call('POST', '/api/connections/echo/close', {})).body.closed).toBe(0);
  });

  it('is verified in the order of all', async () => {
    const { one, two, three } = await startThree();
    const check = {
      expect: [{ echo: { path: 'x' }, times: 2 }, { echo: { path: 'y' } }],
      order: 'strict',
      within: '5m',
    };
    const waiting = three.call('POST', '/api/verify', check);
    await one.ask('SAY x');
    await two.ask('SAY x');
    await new Promise((resolve) => setTimeout(resolve, 2));
    await one.ask('SAY y');
    expect((await waiting).body).toMatchObject({
      verified: true,
      looked_at: 3,
      expectations: [{ count: 2, ids: expect.arrayContaining(['1@r0', '1@r1']) }, { ids: ['2@r0'] }],
    });
    const none = await two.call('POST', '/api/verify', {
      expect: [{ echo: { path: 'z' } }, { echo: { path: 'x' }, times: 0 }],
      nothing_else: ['echo'],
    });
    expect(none.body).toMatchObject({
      verified: false,
      unexpected_count: 1,
      expectations: [
        { count: 0, nearest: [{ id: expect.stringMatching(/@r\d$/) }, {}, {}] },
        { count: 2, problem: 'got 2 messages, want none' },
      ],
    });
    const { headers } = await two.call('GET', '/api/logs');
    const later = { expect: [{ echo: {}, times: 1 }], within: '5m', after: headers.get('backlot-after') };
    const verified = one.call('POST', '/api/verify', later);
    await two.ask('SAY z');
    expect((await verified).body).toMatchObject({ verified: true, looked_at: 1 });
  });
});
