import { afterEach, describe, expect, it } from '@jest/globals';
import { findWarnings, type Host } from '../../src/index.js';
import { probe, startProbe } from '../support.js';

let host: Host | undefined;
afterEach(async () => host?.stop(0));

async function start(...given: Parameters<typeof startProbe>): ReturnType<typeof startProbe> {
  const started = await startProbe(...given);
  host = started.host;
  return started;
}

const body = (value: unknown): { body: string } => ({ body: JSON.stringify(value) });

/** Why a mock does not match a message with its own path. */
function reasonOf(host: Host, id: string): string | undefined {
  return host
    .kind('probe')
    .explain({ path: id })
    .others.find(({ mock_id }) => mock_id === id)?.reason;
}

const shop = {
  customers: { rows: [{ id: 'ann', name: 'Ann', level: 2 }] },
  stock: { rows: [{ id: 'mug', left: 1 }] },
  orders: { id: 'o{{seq "orders"}}', set: { by: 'shop' }, rows: [{ id: 'old', customer: 'ann' }] },
};

const buy = {
  id: 'buy',
  match: 'buy',
  collection: [
    { name: 'customers', get: '{{body.customer}}', as: 'customer' },
    { name: 'stock', get: true, where: { id: '{{body.item}}', left: '{{body.want}}' }, as: 'item' },
    { name: 'stock', update: '{{item.id}}', value: { left: 0, to: '{{customer.name}}' } },
    {
      name: 'orders',
      create: true,
      value: { customer: '{{customer.id}}', item: '{{item.id}}' },
      as: 'order',
    },
    { name: 'orders', list: true, where: { customer: '{{order.customer}}' }, as: 'all' },
  ],
  answer:
    '{"order":{{order}},"row":{{row}},"total":{{total}},"ids":"{{#rows}}{{id}} {{/rows}}","all":{{length all}},"left":{{item.left}}}',
};

describe('a mock with several operations', () => {
  it('does them in order, each with what those before it have found', async () => {
    const { ask, host } = await start({ mocks: [buy] }, { collections: shop });
    const order = { id: 'o1', customer: 'ann', item: 'mug', by: 'shop' };
    expect(JSON.parse(await ask('buy', body({ customer: 'ann', item: 'mug', want: 1 })))).toEqual({
      order,
      row: order,
      total: 2,
      ids: 'old o1 ',
      all: 2,
      left: 1,
    });
    expect(host.collection('stock').get('mug')).toEqual({ id: 'mug', left: 0, to: 'Ann' });
    expect(host.collection('orders').get('o1')).toEqual(order);
  });

  it('does not match, and changes nothing, when one of them cannot be done', async () => {
    const none = { id: 'none', match: '*', answer: 'sold out' };
    const { ask, host } = await start({ mocks: [buy, none] }, { collections: shop });
    const before = JSON.stringify([host.collection('stock').list(), host.collection('orders').list()]);
    for (const asked of [
      { customer: 'ann', item: 'mug', want: 9 },
      { customer: 'bob', item: 'mug', want: 1 },
      { customer: 'ann', item: 'cup', want: 1 },
    ])
      expect(await ask('buy', body(asked))).toBe('sold out');
    expect(JSON.stringify([host.collection('stock').list(), host.collection('orders').list()])).toBe(before);
    expect(host.kind('probe').explain({ path: 'buy', ...body({ customer: 'bob' }) }).others[0]).toEqual({
      mock_id: 'buy',
      reason: 'collection "customers" (operation 1): no row "bob"',
    });
    expect(
      host.kind('probe').explain({ path: 'buy', ...body({ customer: 'ann', item: 'cup', want: 1 }) })
        .others[0],
    ).toEqual({
      mock_id: 'buy',
      reason: 'collection "stock" (operation 2): no row in which id is as asked for and left is as asked for',
    });
    // No number of the sequence has been used up.
    expect(JSON.parse(await ask('buy', body({ customer: 'ann', item: 'mug', want: 1 })))).toMatchObject({
      order: { id: 'o1' },
    });
  });

  it('sees rows that an operation before has made, moved or removed', async () => {
    const { ask, host } = await start({
      mocks: [
        {
          match: 'again',
          collection: [
            { name: 'c', create: 'a', value: { n: 1 } },
            { name: 'c', create: 'b', value: { n: 2 } },
            { name: 'c', get: true, where: { n: 1 }, as: 'first' },
            { name: 'c', update: 'a', value: { n: '{{add first.n 10}}' } },
            { name: 'c', delete: 'a', as: 'gone' },
            { name: 'c', create: 'a', value: { was: '{{gone.n}}' } },
            { name: 'c', take: true, limit: 1, as: 'taken' },
            { name: 'c', list: true },
          ],
          answer: '{{gone.n}} {{#taken}}{{id}}{{/taken}} {{rows}} {{total}}',
        },
        { match: 'twice', collection: ['x', 'x'].map((create) => ({ name: 'c', create })), answer: 'made' },
        {
          id: 'get',
          match: 'get',
          collection: [
            { name: 'c', delete: 'a' },
            { name: 'c', get: 'a' },
          ],
        },
      ],
    });
    expect(await ask('again')).toBe('11 b [{"id":"a","was":11}] 1');
    expect(host.collection('c').list()).toEqual([{ id: 'a', was: 11 }]);
    expect(await ask('twice')).toBe('unmatched');
    expect(await ask('get')).toBe('unmatched');
    expect(reasonOf(host, 'get')).toBe('collection "c" (operation 2): no row "a"');
    expect(host.collection('c').list()).toEqual([{ id: 'a', was: 11 }]);
  });

  it('leaves the rows as mocks with one operation each do', async () => {
    const names = ['a', 'b', 'c', 'd'];
    let seed = 7;
    const roll = (count: number): number => (seed = (seed * 48271) % 2147483647) % count;
    const some = (): Record<string, unknown> => {
      const id = names[roll(names.length)] ?? '';
      const value = { n: roll(100) };
      return [
        { name: 'c', upsert: id, value },
        { name: 'c', upsert: id, value: { [`f${roll(3)}`]: null, ...value } },
        { name: 'd', upsert: id, value: { from: '{{row.n}}' } },
        { name: 'c', replace: true, where: { n: { gt: roll(100) } }, value },
        { name: 'c', delete: true, where: { n: { lt: roll(100) } } },
        { name: 'c', take: true, limit: 2, sort: '-n', hide: '1m' },
        { name: 'c', create: id, value },
      ][roll(7)] as Record<string, unknown>;
    };
    for (let round = 0; round < 40; round += 1) {
      const operations = Array.from({ length: 6 }, some).map(({ value, ...rest }) =>
        rest['name'] === 'd'
          ? { ...rest, value: { n: 1 } }
          : { ...rest, ...(value === undefined ? {} : { value }) },
      );
      const rows = names.slice(0, 3).map((id, n) => ({ id, n: n * 30 }));
      const collections = { c: { rows } };
      const each = await start(
        { mocks: operations.map((collection, n) => ({ match: `m${n}`, collection, answer: 'done' })) },
        { collections },
      );
      const together = await startProbe(
        { mocks: [{ match: 'all', collection: operations, answer: 'done' }] },
        { collections },
      );
      const answers: string[] = [];
      for (const n of operations.keys()) {
        const answer = await each.ask(`m${n}`);
        answers.push(answer);
        if (answer !== 'done') break;
      }
      const stateOf = (of: Host): unknown => [of.collection('c').list(), of.collection('d').list()];
      const isDone = answers.every((answer) => answer === 'done');
      expect([round, await together.ask('all')]).toEqual([round, isDone ? 'done' : 'unmatched']);
      if (isDone) expect([round, stateOf(together.host)]).toEqual([round, stateOf(each.host)]);
      else expect([round, stateOf(together.host)]).toEqual([round, [rows, []]]);
      await together.host.stop(0);
      await each.host.stop(0);
    }
  });

  it('changes nothing while a fault fires, and gives its first answer again', async () => {
    const { ask, host } = await start(
      { mocks: [{ ...buy, once: { key: '{{body.key}}' } }] },
      { collections: { ...shop, stock: { rows: [{ id: 'mug', left: 1 }] } } },
    );
    const asked = body({ customer: 'ann', item: 'mug', want: 1, key: 'k' });
    host.faults.set('probe', { text: 'broken' });
    expect(await ask('buy', asked)).toBe('fault broken');
    expect(host.collection('orders').size).toBe(1);
    host.faults.clear('probe');
    const first = await ask('buy', asked);
    expect(first).toContain('"ids":"old o');
    expect(await ask('buy', asked)).toBe(first);
    expect(host.collection('orders').size).toBe(2);
    expect(await ask('buy', body({ customer: 'ann', item: 'mug', want: 1, key: 'other' }))).toBe('unmatched');
  });

  it('does not match when there is no room for all of it', async () => {
    const { ask, host } = await start({
      mocks: [
        {
          id: 'rows',
          match: 'rows',
          collection: [1, 2].map((n) => ({ name: 'full', create: `r${n}` })),
          answer: 'made',
        },
        { match: 'names', collection: [1, 2].map((n) => ({ name: `new${n}`, create: 'x' })), answer: 'made' },
      ],
    });
    host.collection('full').setAll(Array.from({ length: 99_999 }, (_, id) => ({ id })));
    expect(await ask('rows')).toBe('unmatched');
    expect(reasonOf(host, 'rows')).toBe(
      'collection "full" (operation 2): has 100000 rows, and no room for more',
    );
    expect(host.collection('full').size).toBe(99_999);
    for (let n = 2; n < 1_000; n += 1) host.collection(`c${n}`).create({ id: 1 });
    expect(host.collections.list()).toHaveLength(999);
    expect(await ask('names')).toBe('unmatched');
    expect(host.collections.list()).toHaveLength(999);
    host.collections.remove('c2');
    expect(await ask('names')).toBe('made');
  });

  it('bounds what its operations look at together', async () => {
    const find = { name: 'many', get: true, where: { n: { suffix: 'x' } } };
    const { ask, host } = await start({
      mocks: [
        { id: 'one', match: 'one', collection: { ...find, where: { n: -1 } }, answer: 'found' },
        {
          id: 'many',
          match: 'many',
          collection: Array.from({ length: 16 }, () => ({ ...find, where: { n: 29_999 } })),
        },
        {
          id: 'list',
          match: 'list',
          collection: [
            { name: 'many', list: true, sort: '-n' },
            { name: 'many', get: '1' },
          ],
        },
      ],
    });
    host.collection('many').setAll(Array.from({ length: 30_000 }, (_, id) => ({ id, n: id })));
    for (const path of ['many', 'list']) {
      expect(await ask(path)).toBe('unmatched');
      expect(reasonOf(host, path)).toContain('looks at too much');
    }
    expect(await ask('one')).toBe('unmatched');
    expect(reasonOf(host, 'one')).toContain('no row in which n is as asked for');
  });

  it.each([
    [[], 'at least 1'],
    [Array.from({ length: 17 }, () => ({ name: 'c', list: true })), 'at most 16'],
    [[{ name: 'c', list: true }, { name: 'c' }], '/collection/1: must say one thing to do'],
    [[{ name: 'c', get: 'x', as: 'row' }], '/collection/0/as: "row" means something else'],
    [[{ name: 'c', get: 'x', as: 'uuid' }], '"uuid" means something else'],
    [[{ name: 'c', get: 'x', as: 'a.b' }], 'must be a name such as "customer"'],
    [
      [
        { name: 'c', get: 'x', as: 'a' },
        { name: 'c', get: 'y', as: 'a' },
      ],
      '/collection/1/as: "a" means something else',
    ],
    [[{ get: 'x' }], '"name" is required'],
    [['c'], 'must be an object'],
  ])('is refused when it cannot be meant: %j', async (collection, reason) => {
    const { host } = await start();
    expect(() => host.kind('probe').mocks.create({ collection })).toThrow(reason);
  });

  it('is warned of when a name is almost that of a collection', () => {
    const warnings = findWarnings({
      protocols: [probe().protocol],
      collections: shop,
      settings: {
        probe: {
          mocks: [
            {
              collection: [
                { name: 'stock', list: true },
                { name: 'ordrs', list: true },
              ],
            },
          ],
        },
      },
    });
    expect(warnings).toEqual([
      {
        path: '/settings/probe/mocks/0/collection/1/name',
        message: 'no collection "ordrs" is declared; did you mean "orders"?',
      },
    ]);
  });
});
