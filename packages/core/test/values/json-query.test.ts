import { describe, expect, it } from '@jest/globals';
import { compileJsonQuery } from '../../src/values/json-query.js';

const shop = {
  items: [
    { id: 1, name: 'mug', price: 5, tags: ['a', 'b'] },
    { id: 2, name: 'tea', price: 12 },
  ],
  limit: 10,
};

function find(path: string, value: unknown = shop): readonly unknown[] {
  const { values, problem } = compileJsonQuery(path).find(value);
  expect(problem).toBeUndefined();
  return values;
}

describe('a JSONPath', () => {
  it('finds by names, indexes, slices, wildcards and filters', () => {
    expect(find('$.items[0].name')).toEqual(['mug']);
    expect(find('$.items[-1].name')).toEqual(['tea']);
    expect(find('$.items[*].price')).toEqual([5, 12]);
    expect(find('$.items[0:1].id')).toEqual([1]);
    expect(find('$..name')).toEqual(['mug', 'tea']);
    expect(find('$.items[?@.price > $.limit].name')).toEqual(['tea']);
    expect(find("$.items[?@.tags && count(@.tags[*]) == 2]['id']")).toEqual([1]);
    expect(find('$.nothing')).toEqual([]);
    expect(find('$')).toEqual([shop]);
  });

  it('goes through a value in the order in which it is written', () => {
    expect(find('$..[0]', [[1, [2]], [[3]]])).toEqual([[1, [2]], 1, 2, [3], 3]);
    expect(find('$..*', { a: [1, { b: 2 }], c: 3 })).toEqual([[1, { b: 2 }], 3, 1, { b: 2 }, 2]);
  });

  it('takes regular expressions in linear time', () => {
    expect(find("$.items[?match(@.name, 'm.g')].id")).toEqual([1]);
    expect(find("$.items[?match(@.name, 'm')].id")).toEqual([]);
    expect(find("$.items[?search(@.name, 'e')].id")).toEqual([2]);
    expect(find("$.items[?search(@.name, '(?=e)')].id")).toEqual([]);
    expect(find("$[?match(@, 'a.b')]", ['a\nb', 'a\rb', 'a.b'])).toEqual(['a.b']);
    const { work } = compileJsonQuery("$[?search(@, '^(a+)+$')]").find([`${'a'.repeat(5_000)}!`]);
    expect(work).toBeLessThan(20_000);
  });

  it('tells whether it names one place', () => {
    expect(compileJsonQuery('$.a[0]["b"]').isSingular).toBe(true);
    expect(compileJsonQuery('$.a[*]').isSingular).toBe(false);
    expect(compileJsonQuery('$..a').isSingular).toBe(false);
  });

  it('finds wide and deep values', () => {
    expect(
      find(
        '$[*]',
        Array.from({ length: 150_000 }, () => 1),
      ),
    ).toHaveLength(150_000);
    let deep: unknown = 1;
    for (let level = 0; level < 400; level += 1) deep = [deep];
    expect(find('$..[0]', deep)).toHaveLength(400);
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(compileJsonQuery('$..[0]').find(deep).problem).toMatch(/nested too deep/);
    expect(compileJsonQuery('$[?@ == $]').find(deep).values).toEqual([]);
  });

  it.each(['$..*..*..*..*', '$[*,*,*,*][*,*,*,*][*,*,*,*][*,*,*,*]', '$..[?$..[?$..x]]', '$..[?@ == $]'])(
    '%s takes no more steps than the size of a value allows',
    (path) => {
      const value = Array.from({ length: 300 }, (_, at) => [at, [at, { at }], [at]]);
      const found = compileJsonQuery(path).find(value);
      expect(found.problem ?? '').toMatch(/^$|takes too long/);
      expect(found.work).toBeLessThanOrEqual(5_000 + 20 * 2_500);
    },
  );

  it('refuses what is none', () => {
    expect(() => compileJsonQuery('items[0]')).toThrow(/begins with \$/);
    expect(() => compileJsonQuery('$.items[')).toThrow(/cannot be read/);
    expect(() => compileJsonQuery('$[?nope(@)]')).toThrow(/nope/);
    expect(() => compileJsonQuery('$.a'.repeat(1_000))).toThrow(/too long/);
    expect(() => compileJsonQuery(`$[?${'('.repeat(1_900)}]`)).toThrow(/cannot be read/);
  });
});
