import { afterEach, describe, expect, it } from '@jest/globals';
import { createHost, findWarnings, type Host, type HostOptions } from '../../src/index.js';
import { nextTurn } from '../../src/time/turns.js';
import { message, probe, startProbe } from '../support.js';

let host: Host | undefined;
afterEach(async () => host?.stop(0));

async function start(options: Partial<HostOptions> = {}, settings = {}): ReturnType<typeof startProbe> {
  const started = await startProbe(settings, options);
  host = started.host;
  return started;
}

describe('a collection', () => {
  it('is read and changed by a program, with the types that it gives', async () => {
    interface Person {
      readonly id: string;
      readonly name: string;
      readonly age?: number;
    }
    const { host } = await start({
      collections: { people: { key: 'id', rows: [{ id: 'a', name: 'Ann' }] } },
    });
    const people = host.collection<Person>('people');
    expect(people.create({ name: 'Bob' })).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Bob',
    });
    expect(people.update('a', { age: 3 })).toEqual({ id: 'a', name: 'Ann', age: 3 });
    expect(people.replace('a', { id: 'other', name: 'Anna' })).toEqual({ id: 'a', name: 'Anna' });
    expect(people.get('a').name).toBe('Anna');
    people.remove('a');
    expect([people.has('a'), people.size]).toEqual([false, 1]);
    expect(() => people.get('a')).toThrow('collection "people" has no row "a"');
    expect(() => people.create({ id: people.list()[0]?.id ?? '' })).toThrow('already');
    expect(() => people.create({ id: '' })).toThrow('must be a text or a number');
    expect(() => people.create(5 as never)).toThrow('must be an object');
    people.setAll([{ id: 'x', name: 'X' }]);
    expect(people.list()).toEqual([{ id: 'x', name: 'X' }]);
    expect(() => people.setAll([{ id: 'y' }, { id: 'y' }])).toThrow('already');
    expect(people.list()).toEqual([{ id: 'x', name: 'X' }]);
  });

  it('gives copies that nobody can change, with any names of fields', async () => {
    const { host } = await start();
    const given = JSON.parse('{"id":"a","__proto__":{"x":1},"constructor":[1]}') as { id: string };
    const rows = host.collection('c');
    const row = rows.create(given);
    given.id = 'changed';
    expect(JSON.stringify(row)).toBe('{"id":"a","__proto__":{"x":1},"constructor":[1]}');
    expect(Object.isFrozen(row)).toBe(true);
    expect(rows.has('__proto__')).toBe(false);
  });

  it('is not there after a first row that there is no room for', async () => {
    const { host } = await start();
    const large = 'x'.repeat(16 * 1024 * 1024);
    host.collection('full').setAll(['a', 'b', 'c'].map((id) => ({ id, large })));
    expect(() => host.collection('c').create({ large })).toThrow('may hold 67108864 bytes together');
    expect(host.collections.has('c')).toBe(false);
    host.collection('c').create({ id: 'small' });
    expect(host.collections.list().map(({ name }) => name)).toEqual(['full', 'c']);
  });

  it('takes no room for a row when there are too many collections', async () => {
    const { host } = await start();
    for (let n = 0; n < 1_000; n += 1) host.collection(`c${n}`).create({ id: 'a' });
    const late = host.collection('late');
    expect(() => late.create({ id: 'a' })).toThrow('there are 1000 collections');
    expect(late.size).toBe(0);
    host.collections.remove('c0');
    late.create({ id: 'a' });
    expect(late.size).toBe(1);
  });

  it('is put back by a reset and by a snapshot', async () => {
    const { host, ask } = await start(
      { collections: { c: { rows: [{ id: 1, n: 1 }] } } },
      { mocks: [{ match: 'add', collection: { name: 'c', create: true }, answer: '{{row.id}}' }] },
    );
    const rows = host.collection<{ id: number; n: number }>('c');
    await ask('add');
    host.collection('later').create({ id: 'l' });
    const { id } = host.snapshots.create();
    rows.update('1', { n: 2 });
    rows.setAll([]);
    host.snapshots.restore(id);
    expect(rows.size).toBe(2);
    expect(rows.get('1')).toEqual({ id: 1, n: 1 });
    expect(host.collection('later').size).toBe(1);
    await host.collections.define('c', { key: 'code', rows: [{ code: 'x' }] });
    expect(rows.key).toBe('code');
    host.reset();
    expect(rows.list()).toEqual([{ id: 1, n: 1 }]);
    expect([rows.key, host.collections.has('later'), host.collection('later').size]).toEqual([
      'id',
      false,
      0,
    ]);
    host.snapshots.restore(id);
    expect(rows.size).toBe(2);
    host.collections.remove('c');
    expect([host.collections.has('c'), rows.size]).toEqual([false, 0]);
    host.reset();
    expect(rows.size).toBe(1);
  });

  it.each([
    [{ c: { rows: [{ id: 'a' }, { id: 'a' }] } }, '/collections/c/rows/1', 'already'],
    [{ c: { rows: [1] } }, '/collections/c/rows/0', 'must be an object'],
    [{ c: { kee: 'x' } }, '/collections/c/kee', 'unknown field'],
    [{ c: { id: '{{rand_string 14}' } }, '/collections/c/id', 'never closed'],
    [{ c: { set: { a: '{{upper}}' } } }, '/collections/c/set/a', 'upper'],
    [{ c: 5 }, '/collections/c', 'must be an object'],
  ])('that cannot be meant is refused with its place: %j', async (collections, path, text) => {
    const made = createHost({ protocols: [probe().protocol], collections: collections as never });
    await expect(made).rejects.toMatchObject({
      details: [{ path, message: expect.stringContaining(text) as unknown }],
    });
  });

  it('has bounds, which a message meets as a mock that does not match', async () => {
    const { host, ask } = await start(
      {},
      {
        mocks: [
          { match: 'add', collection: { name: 'c', create: true }, answer: 'added' },
          { match: '*', answer: 'full' },
        ],
      },
    );
    const rows = host.collection('c');
    await rows.setAllInSlices(Array.from({ length: 100_000 }, (_, n) => ({ id: n })));
    expect(() => rows.create({})).toThrow('has 100000 rows');
    expect(await ask('add')).toBe('full');
    rows.remove('5');
    expect(await ask('add')).toBe('added');
    const large = 'x'.repeat(1024 * 1024);
    const heavy = host.collection('heavy');
    expect(() => {
      for (let n = 0; n < 64; n += 1) heavy.create({ id: n, large });
    }).toThrow('67108864 bytes together');
    // What is put in place of all makes room for itself.
    heavy.setAll(heavy.list());
    host.collections.remove('heavy');
    expect(rows.update('6', { large })).toEqual({ id: 6, large });
  });

  it('lets others in while very many rows are listed', async () => {
    const { host, probe: it } = await start(
      {},
      {
        mocks: [
          {
            match: 'x',
            collection: { name: 'c', list: true, where: { name: 're:^n.*7' }, sort: '-name', limit: 1 },
            answer: '{{total}} {{row.id}}',
          },
          {
            match: 'top',
            collection: { name: 'c', get: true, where: { even: true }, sort: '-n' },
            answer: '{{row.id}}',
          },
          { match: 'slow', collection: { name: 'c', get: true, where: { name: 're:^n.*q' } }, answer: '' },
        ],
      },
    );
    await host
      .collection('c')
      .setAllInSlices(
        Array.from({ length: 100_000 }, (_, n) => ({ id: n, n, name: `n${n}`, even: n % 2 === 0 })),
      );
    const exchange = it.context().receive(message('x'));
    const outcome = exchange.resolve();
    expect(outcome).toBeInstanceOf(Promise);
    let turns = 0;
    let isDone = false;
    void (async () => {
      while (!isDone) {
        await nextTurn();
        turns += 1;
      }
    })();
    const match = await outcome;
    isDone = true;
    exchange.done();
    expect(match.type === 'matched' && match.render((match.mock.compiled as { answer: never }).answer)).toBe(
      '40951 ',
    );
    expect(turns).toBeGreaterThan(2);
    const ask = async (path: string): Promise<unknown> => {
      const asked = it.context().receive(message(path));
      const found = await asked.resolve();
      asked.done();
      return found.type === 'matched'
        ? found.render((found.mock.compiled as { answer: never }).answer)
        : asked.nearMisses();
    };
    expect(await ask('top')).toBe('99998');
    expect(await ask('slow')).toContainEqual({
      mock_id: expect.any(String) as unknown,
      reason: expect.stringContaining('looks at too much') as unknown,
    });
  });
});

it('warns of a collection that is called almost as one that is declared', () => {
  const mocks = [
    { collection: { name: 'custmers', get: 'x' } },
    { collection: { name: 'charges', get: 'x' } },
    {
      collection: { name: 'customers', get: 'x' },
      answer: '{{row.name}} {{#rows}}{{id}}{{/rows}} {{total}}',
    },
  ];
  const options = {
    protocols: [probe().protocol],
    settings: { probe: { mocks } },
    collections: { customers: {} },
  };
  expect(findWarnings(options)).toEqual([
    {
      path: '/settings/probe/mocks/0/collection/name',
      message: 'no collection "custmers" is declared; did you mean "customers"?',
    },
  ]);
});

it('lists so many rows as may be written at once', async () => {
  const { host, ask } = await start(
    {},
    {
      mocks: [
        { match: 'x', collection: { name: 'c', list: true }, answer: '{{total}} {{has_more}} {{last}}' },
      ],
    },
  );
  const large = 'x'.repeat(1024 * 1024);
  const rows = host.collection('c');
  for (const id of ['a', 'b', 'c', 'd', 'e']) rows.create({ id, large });
  expect(await ask('x')).toBe('5 true c');
});

it.each([
  [5, ['n']],
  ['5', ['n', 't']],
  [true, ['b']],
  ['true', ['b', 'bt']],
  [null, ['none', 'null']],
  ['{{add 2 3}}', ['n', 't']],
  ['{{#if true}}5{{/if}}', ['n', 't']],
])('finds rows in which a field is %j', async (wanted, ids) => {
  const { host, ask } = await start(
    {},
    {
      mocks: [
        {
          match: 'x',
          collection: { name: 'c', list: true, where: { v: wanted } },
          answer: '{{#rows}}{{id}} {{/rows}}',
        },
      ],
    },
  );
  host
    .collection('c')
    .setAll([
      { id: 'n', v: 5 },
      { id: 't', v: '5' },
      { id: 'b', v: true },
      { id: 'bt', v: 'true' },
      { id: 'none' },
      { id: 'null', v: null },
    ]);
  expect((await ask('x')).trim().split(' ')).toEqual(ids);
});
