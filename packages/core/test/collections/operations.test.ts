import { afterEach, describe, expect, it } from '@jest/globals';
import type { Host } from '../../src/index.js';
import { message, probe, startProbe } from '../support.js';

let host: Host | undefined;
afterEach(async () => host?.stop(0));

async function start(...given: Parameters<typeof startProbe>): ReturnType<typeof startProbe> {
  const started = await startProbe(...given);
  host = started.host;
  return started;
}

const people = {
  people: {
    id: 'p{{seq "people"}}',
    set: { created: '{{date "unix"}}', url: '/people/{{row.id}}', status: 'new' },
    rows: [
      { id: 'a', name: 'Ann', age: 30, status: 'new', url: '' },
      { id: 'b', name: 'Bob', age: 25, status: 'old', address: { city: 'Bern' } },
    ],
  },
};

const body = (value: unknown): { body: string } => ({ body: JSON.stringify(value) });

describe('a mock that has to do with a collection', () => {
  it('gets a row, and does not match without one, so that the next mock answers', async () => {
    const { ask, host } = await start(
      {
        mocks: [
          {
            id: 'get',
            match: 're:^/(?<id>\\w+)$',
            collection: { name: 'people', get: '{{body.id}}' },
            answer: '{{row}}',
          },
          { id: 'none', match: '*', answer: 'nobody' },
        ],
      },
      { collections: people },
    );
    expect(JSON.parse(await ask('/x', body({ id: 'b' })))).toMatchObject({
      id: 'b',
      name: 'Bob',
      age: 25,
      status: 'old',
    });
    expect(await ask('/x', body({ id: 'z' }))).toBe('nobody');
    host.kind('probe').mocks.remove('none');
    expect(await ask('/x', body({ id: 'z' }))).toBe('unmatched');
    expect(host.journal.list().at(-1)).toMatchObject({
      near_misses: [{ mock_id: 'get', reason: 'collection "people": no row "z"' }],
    });
    expect(host.kind('probe').explain({ path: '/x', body: '{"id":"z"}' }).others).toEqual([
      { mock_id: 'get', reason: 'collection "people": no row "z"' },
    ]);
  });

  it('finds rows by patterns that look at the message and at values', async () => {
    const where = {
      name: { same_as: '{{request.body.name}}' },
      'address.city': { any_of: ['Bern', 'Rome'] },
    };
    const { ask } = await start(
      {
        mocks: [
          {
            id: 'find',
            match: '/find',
            collection: { name: 'people', get: true, where },
            answer: '{{row.id}}',
          },
          {
            id: 'old',
            match: '/old',
            collection: { name: 'people', list: true, where: { age: { gt: 26 } } },
            answer: '{{total}}',
          },
        ],
      },
      { collections: people },
    );
    expect(await ask('/find', body({ name: 'Bob' }))).toBe('b');
    expect(await ask('/find', body({ name: 'Ann' }))).toBe('unmatched');
    expect(await ask('/old')).toBe('1');
  });

  it('creates a row with a key and fields of the collection, with their types', async () => {
    const { ask, host } = await start(
      {
        mocks: [
          {
            match: 'make',
            collection: { name: 'people', create: true, value: '{{request.body}}' },
            answer: '{{row.id}}',
          },
          { match: '*', answer: 'conflict' },
        ],
      },
      { collections: people },
    );
    host.clock.freeze(true);
    expect(await ask('make', body({ name: 'Cy', age: 7 }))).toBe('p1');
    expect(host.collection('people').get('p1')).toEqual({
      id: 'p1',
      name: 'Cy',
      age: 7,
      created: Math.floor(host.clock.now() / 1000),
      url: '/people/p1',
      status: 'new',
    });
    expect(await ask('make', body({ id: 'mine', status: 'odd' }))).toBe('mine');
    expect(host.collection('people').get('mine')).toMatchObject({ status: 'odd' });
    expect(await ask('make', body({ id: 'mine' }))).toBe('conflict');
    // Being asked about has used up no number.
    expect(await ask('make', body({}))).toBe('p2');
    expect(await ask('make', { body: 'no json' })).toBe('conflict');
    expect(host.collection('people').size).toBe(5);
  });

  it('updates, replaces, upserts and deletes', async () => {
    const { ask, host } = await start(
      {
        mocks: [
          {
            match: 'update',
            collection: { name: 'people', update: '{{body.id}}', value: '{{body}}' },
            answer: '{{row}}',
          },
          {
            match: 'replace',
            collection: { name: 'people', replace: '{{body.id}}', value: { name: '{{body.name}}' } },
            answer: '{{row}}',
          },
          {
            match: 'upsert',
            collection: { name: 'people', upsert: true, value: '{{body}}' },
            answer: '{{row}}',
          },
          {
            match: 'delete',
            collection: { name: 'people', delete: true, where: { name: '{{body.name}}' } },
            answer: '{{row.id}}',
          },
          { match: '*', answer: 'none' },
        ],
      },
      { collections: people },
    );
    expect(
      JSON.parse(await ask('update', body({ id: 'b', age: 26, address: { zip: 1 }, status: null }))),
    ).toMatchObject({
      id: 'b',
      name: 'Bob',
      age: 26,
      address: { city: 'Bern', zip: 1 },
    });
    expect(host.collection('people').get('b')).not.toHaveProperty('status');
    expect(JSON.parse(await ask('replace', body({ id: 'a', name: 'Anna' })))).toMatchObject({
      id: 'a',
      name: 'Anna',
      status: 'new',
    });
    expect(host.collection('people').get('a')).not.toHaveProperty('age');
    expect(JSON.parse(await ask('upsert', body({ id: 'a', age: 1 })))).toMatchObject({
      name: 'Anna',
      age: 1,
    });
    expect(JSON.parse(await ask('upsert', body({ id: 'n', age: 2 })))).toMatchObject({
      id: 'n',
      age: 2,
      status: 'new',
    });
    expect(await ask('delete', body({ name: 'Bob' }))).toBe('b');
    expect(await ask('delete', body({ name: 'Bob' }))).toBe('none');
    expect(await ask('delete', body({}))).toBe('none');
    expect(await ask('update', body({ id: 'b' }))).toBe('none');
    expect(
      host
        .collection('people')
        .list()
        .map(({ id }) => id),
    ).toEqual(['a', 'n']);
  });

  it('lists what is asked for, in order, in parts', async () => {
    const rows = Array.from({ length: 25 }, (_, n) => ({ id: `r${n}`, n: (n * 7) % 25, even: n % 2 === 0 }));
    const { ask } = await start(
      {
        mocks: [
          {
            match: 'list',
            collection: {
              name: 'things',
              list: true,
              where: { even: '{{body.even}}' },
              sort: '{{body.sort}}',
              limit: '{{body.limit}}',
              after: '{{body.after}}',
              offset: '{{body.offset}}',
            },
            answer:
              '{"ids":"{{#rows}}{{id}} {{/rows}}","total":{{total}},"more":{{has_more}},"last":"{{last}}"}',
          },
          { match: '*', answer: '"bad"' },
        ],
      },
      { collections: { things: { rows } } },
    );
    const list = async (query: object): Promise<unknown> => JSON.parse(await ask('list', body(query)));
    expect(await list({ limit: 2 })).toEqual({ ids: 'r0 r1 ', total: 25, more: true, last: 'r1' });
    expect(await list({ limit: 2, after: 'r1' })).toEqual({
      ids: 'r2 r3 ',
      total: 25,
      more: true,
      last: 'r3',
    });
    expect(await list({ offset: 24 })).toEqual({ ids: 'r24 ', total: 25, more: false, last: 'r24' });
    expect(await list({ sort: '-n', limit: 3 })).toMatchObject({ ids: 'r7 r14 r21 ' });
    expect(await list({ sort: '-n', limit: 2, after: 'r14' })).toMatchObject({ ids: 'r21 r3 ', total: 25 });
    expect(await list({ even: true, limit: 2 })).toMatchObject({ ids: 'r0 r2 ', total: 13 });
    expect(await list({ even: true, limit: 1, after: 'r3' })).toMatchObject({ ids: 'r4 ' });
    expect(await list({ limit: 'x' })).toBe('bad');
    expect(await list({ after: 'gone' })).toBe('bad');
  });

  it('takes rows out of a queue, for ever or for a while', async () => {
    const { ask, host } = await start(
      {
        mocks: [
          {
            match: 'take',
            collection: { name: 'jobs', take: true, hide: '30s', sort: '-urgency' },
            answer: '{{row.id}}',
          },
          {
            match: 'pop',
            collection: { name: 'jobs', take: true, limit: 2 },
            answer: '{{#rows}}{{id}}{{/rows}}',
          },
          { match: 'done', collection: { name: 'jobs', delete: '{{body.id}}' }, answer: 'ok' },
          { match: '*', answer: 'empty' },
        ],
      },
      { collections: { jobs: { rows: [{ id: 'x' }, { id: 'y', urgency: 5 }, { id: 'z', urgency: 9 }] } } },
    );
    host.clock.freeze(true);
    expect([await ask('take'), await ask('take'), await ask('take'), await ask('take')]).toEqual([
      'z',
      'y',
      'x',
      'empty',
    ]);
    expect(await ask('done', body({ id: 'y' }))).toBe('ok');
    await host.clock.advance(30_000);
    expect(await ask('pop')).toBe('xz');
    expect(await ask('pop')).toBe('empty');
    expect(host.collection('jobs').size).toBe(0);
  });

  it('changes nothing when a fault fires, and when it is only asked about', async () => {
    const made = probe();
    const {
      ask,
      host,
      probe: it,
    } = await start(
      {
        mocks: [
          {
            id: 'm',
            match: 'x',
            collection: { name: 'c', create: true, value: { n: '{{seq "n"}}' } },
            answer: '{{row.n}}',
          },
        ],
      },
      {},
      made,
    );
    host.faults.set('probe', { text: 'broken' });
    expect(await ask('x')).toBe('fault broken');
    host.faults.clear('probe');
    (it.context().mocks as unknown as { matches(m: unknown): boolean }).matches(message('x'));
    host.kind('probe').explain({ path: 'x' });
    expect(host.collection('c').size).toBe(0);
    expect(host.collections.has('c')).toBe(false);
    await ask('x');
    expect(host.collection('c').size).toBe(1);
    expect(host.collections.list()).toEqual([{ name: 'c', key: 'id', rows: 1 }]);
  });

  it('works for each of several matches', async () => {
    const { probe: it, host } = await start(
      {
        mocks: [
          { match: 'x', collection: { name: 'c', create: 'one' }, answer: '{{row.id}}' },
          { match: 'x', collection: { name: 'c', list: true }, answer: '{{total}}' },
        ],
      },
      {},
      probe('probe', { mode: 'all' }),
    );
    const exchange = it.context().receive(message('x'));
    const outcome = await exchange.resolve();
    const answers =
      outcome.type === 'all'
        ? outcome.matches.map((match) => match.render((match.mock.compiled as { answer: never }).answer))
        : [];
    exchange.done();
    expect(answers).toEqual(['one', '1']);
    expect(host.collection('c').size).toBe(1);
  });

  it('is used by what lists its mocks', async () => {
    const { probe: it } = await start(
      {
        mocks: [
          {
            match: 'x',
            collection: { name: 'c', upsert: 'one', value: { at: '{{request.path}}' } },
            answer: '{{row.at}}',
          },
        ],
      },
      {},
      probe('probe', { mode: 'items' }),
    );
    const exchange = it.context().receive(message('here'));
    await exchange.resolve();
    const [mock] = it.context().mocks.values();
    const match = await exchange.used(mock as never);
    if (match.type !== 'matched') throw new Error(`it has not matched: ${match.type}`);
    expect(match.render((match.mock.compiled as { answer: never }).answer)).toBe('here');
    exchange.done();
  });

  it.each([
    [{ name: 'c' }, 'must say one thing to do'],
    [{ name: 'c', get: 'x', delete: 'x' }, 'got get and delete'],
    [{ name: 'c', get: 'x', value: '{{body}}' }, '"get"'],
    [{ name: 'c', update: 'x' }, 'needs a "value"'],
    [{ name: 'c', get: true }, 'needs a key'],
    [{ name: 'c', take: true, hide: 'soon' }, 'soon'],
    [{ name: 'c', get: 'x', where: { a: 1 } }, 'not with a key'],
    [{ get: 'x' }, '"name" is required'],
  ])('is refused when it cannot be meant: %j', async (collection, reason) => {
    const { host } = await start();
    expect(() => host.kind('probe').mocks.create({ collection })).toThrow(reason);
  });
});
