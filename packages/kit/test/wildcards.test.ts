import { isBacklotError } from '@backlot/core/plugin';
import { describe, expect, it } from '@jest/globals';
import {
  WildcardIndex,
  WildcardNames,
  compileSubject,
  type WildcardHints,
  type WildcardSyntax,
} from '../src/wildcards.js';

const topics: WildcardSyntax = {
  separator: '/',
  one: '+',
  many: '#',
  manyMatchesParent: true,
  wholeWords: true,
  hiddenPrefix: '$',
};
const subjects: WildcardSyntax = { separator: '.', one: '*', many: '>', manyMatchesParent: false };
const keys: WildcardSyntax = {
  separator: '.',
  one: '*',
  many: '#',
  manyMatchesParent: true,
  manyAnywhere: true,
};

/** Pattern, name, whether the pattern takes it. */
const cases: [WildcardSyntax, [string, string, boolean][]][] = [
  [
    topics,
    [
      ['a/b', 'a/b', true],
      ['a/b', 'a/b/', false],
      ['a/b', 'a', false],
      ['+', 'a', true],
      ['+', 'a/b', false],
      ['+/+', '/a', true],
      ['/+', '/a', true],
      ['+', '/a', false],
      ['a/+/c', 'a//c', true],
      ['#', 'a', true],
      ['#', 'a/b/c', true],
      ['#', '', true],
      ['a/#', 'a', true],
      ['a/#', 'a/', true],
      ['a/#', 'a/b/c', true],
      ['a/#', 'ab', false],
      ['a/+/#', 'a', false],
      ['a/+/#', 'a/b', true],
      ['#', '$SYS/x', false],
      ['+/x', '$SYS/x', false],
      ['$SYS/#', '$SYS/x', true],
      ['$SYS/+', '$SYS/x', true],
      ['$SYS/#', '$SYS', true],
      ['a/+', 'a/$x', true],
      ['__proto__/+', '__proto__/x', true],
      ['a/constructor', 'a/constructor', true],
    ],
  ],
  [
    subjects,
    [
      ['foo.*', 'foo.bar', true],
      ['foo.*', 'foo', false],
      ['foo.*', 'foo.bar.baz', false],
      ['foo.>', 'foo', false],
      ['foo.>', 'foo.bar', true],
      ['foo.>', 'foo.bar.baz', true],
      ['>', 'x', true],
      ['*.>', 'x', false],
      ['*.>', 'x.y', true],
      ['foo*', 'foobar', false],
      ['foo*', 'foo*', true],
      ['>', '$SYS.x', true],
    ],
  ],
  [
    keys,
    [
      ['#', '', true],
      ['#', 'a.b', true],
      ['a.#', 'a', true],
      ['#.b', 'b', true],
      ['#.b', 'a.a.b', true],
      ['#.b', 'a.b.c', false],
      ['a.#.b', 'a.b', true],
      ['a.#.b', 'a.x.y.b', true],
      ['a.#.b', 'a.x.y', false],
      ['a.#.b.#.c', 'a.b.b.c', true],
      ['a.#.b.#.c', 'a.c.b', false],
      ['#.#', 'a', true],
      ['#.*', '', true],
      ['*.#', 'a', true],
      ['#.*.b', 'b', false],
      ['#.*.b', 'a.b', true],
      ['#.a.#.a.#', 'a.a', true],
      ['#.a.#.a.#', 'a', false],
      ['#.a.*', 'a.a.b', true],
    ],
  ],
];

const all = cases.flatMap(([syntax, list]) =>
  list.map(([pattern, name, fits]) => ({
    syntax,
    pattern,
    name,
    fits,
    sign: `${syntax.separator}${syntax.many}`,
  })),
);

describe('patterns with wildcards', () => {
  it.each(all)('$sign: $pattern takes $name: $fits', ({ syntax, pattern, name, fits }) => {
    const index = new WildcardIndex<string>(syntax);
    index.add(pattern, 'found');
    expect(index.match(name)).toEqual(fits ? ['found'] : []);
    const compiled = compileSubject(pattern, syntax);
    expect(compiled.test(name)).toBe(fits);
    expect(compiled.captures(name) !== undefined).toBe(fits);
  });

  it('the index and the compiled pattern agree on random names', () => {
    const words = ['a', 'b', ''];
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const make = (extra: readonly string[], last: readonly string[]): string[] => {
      const list = [...words, ...extra];
      const made = Array.from({ length: random(4) + 1 }, () => list[random(list.length)] ?? 'a');
      if (random(3) === 0) made.push(...last);
      return made;
    };
    for (const syntax of [topics, subjects, keys]) {
      const anywhere = syntax.manyAnywhere === true ? [syntax.one, syntax.many] : [syntax.one];
      const patterns = Array.from({ length: 300 }, () =>
        make(anywhere, [syntax.many]).join(syntax.separator),
      );
      const index = new WildcardIndex<string>(syntax);
      for (const pattern of new Set(patterns)) index.add(pattern, pattern);
      for (let count = 0; count < 300; count += 1) {
        const name = make([], ['c']).join(syntax.separator);
        const expected = [...new Set(patterns)].filter((pattern) =>
          compileSubject(pattern, syntax).test(name),
        );
        expect(index.match(name).sort()).toEqual(expected.sort());
      }
    }
  });

  it.each<[WildcardSyntax, string, string]>([
    [topics, 'a/#/b', 'may stand only at the end'],
    [topics, 'a/b#', 'mixes a wildcard'],
    [topics, 'a+/b', 'mixes a wildcard'],
    [subjects, '>.a', 'may stand only at the end'],
    [keys, Array.from({ length: 129 }, () => 'a').join('.'), 'more than 128 words'],
    [topics, '/'.repeat(65_000), 'more than 128 words'],
  ])('refuses what is no pattern', (syntax, pattern, message) => {
    for (const action of [
      () => compileSubject(pattern, syntax),
      () => new WildcardIndex<number>(syntax).add(pattern, 1),
    ]) {
      expect(action).toThrow(message);
      try {
        action();
      } catch (error) {
        expect(isBacklotError(error)).toBe(true);
      }
    }
  });
});

describe('WildcardIndex', () => {
  it('gives the values of every pattern that fits, and forgets those removed', () => {
    const index = new WildcardIndex<string>(topics);
    for (const [pattern, value] of [
      ['a/b', 'exact'],
      ['a/+', 'one'],
      ['a/#', 'below a'],
      ['#', 'everything'],
      ['a/b', 'exact too'],
      ['a/b/c', 'deeper'],
    ] as const) {
      index.add(pattern, value);
    }
    expect(index.size).toBe(6);
    expect(index.match('a/b').sort()).toEqual(['below a', 'everything', 'exact', 'exact too', 'one']);
    expect(index.remove('a/b', 'exact')).toBe(true);
    expect(index.remove('a/b', 'exact')).toBe(false);
    expect(index.remove('a/x', 'exact')).toBe(false);
    expect(index.remove('a/#', 'below a')).toBe(true);
    expect(index.match('a/b').sort()).toEqual(['everything', 'exact too', 'one']);
    for (const [pattern, value] of [
      ['#', 'everything'],
      ['a/b', 'exact too'],
      ['a/+', 'one'],
      ['a/b/c', 'deeper'],
    ] as const) {
      expect(index.remove(pattern, value)).toBe(true);
    }
    expect(index.size).toBe(0);
    expect(index.match('a/b/c')).toEqual([]);
    index.add('a/b/c', 'again');
    expect(index.match('a/b/c')).toEqual(['again']);
  });

  it('keeps a pair once, and counts the words that it holds and those behind a wildcard of many', () => {
    const index = new WildcardIndex<number>(keys);
    index.add('a.b', 1);
    index.add('a.b', 1);
    expect([index.size, index.words, index.deepWords]).toEqual([1, 2, 0]);
    index.add('a.#.c', 2);
    index.add('a.#.*.c', 2);
    expect([index.size, index.words, index.deepWords]).toEqual([3, 6, 3]);
    expect(index.match('a.x.c')).toEqual([2, 2]);
    index.remove('a.#.*.c', 2);
    index.remove('a.b', 1);
    expect([index.size, index.words, index.deepWords]).toEqual([1, 3, 1]);
    index.remove('a.#.c', 2);
    expect([index.size, index.words, index.deepWords]).toEqual([0, 0, 0]);
  });

  it('searches in steps, one for a word, and other searches may come in between', () => {
    const index = new WildcardIndex<string>(keys);
    const patterns = ['#', 'a.#', '#.a.#.b', 'a.*.b', 'a.b', '#.c'];
    for (const pattern of patterns) index.add(pattern, pattern);
    const one = index.matchInSteps('a.x.a.b');
    const other = index.matchInSteps('a.x.b');
    let steps = 0;
    let found = one.next();
    for (; found.done !== true; found = one.next()) {
      steps += 1;
      other.next();
      index.match('a.b');
    }
    expect(steps).toBe(4);
    expect([...found.value].sort()).toEqual(index.match('a.x.a.b').sort());
  });

  it('gives one value once per pattern, however many ways there are', () => {
    const index = new WildcardIndex<number>(keys);
    index.add('#.a.#.a.#', 1);
    index.add('#.#', 2);
    expect(index.match('a.a.a.a.a.a').sort()).toEqual([1, 2]);
  });

  it('keeps names of any depth within bounds', () => {
    const index = new WildcardIndex<number>(topics);
    index.add('a/+/c', 1);
    index.add('#', 2);
    const deep = new WildcardIndex<number>(keys);
    deep.add(Array.from({ length: 64 }, (_, at) => (at % 2 === 0 ? '#' : 'a')).join('.'), 1);
    // The work of this process: other processes may want the machine too.
    const start = process.cpuUsage().user;
    expect(index.match('/'.repeat(65_000))).toEqual([2]);
    expect(deep.match(Array.from({ length: 20_000 }, () => 'a').join('.'))).toEqual([1]);
    expect(deep.match(Array.from({ length: 20_000 }, () => 'b').join('.'))).toEqual([]);
    expect((process.cpuUsage().user - start) / 1000).toBeLessThan(2000);
  });

  it('a search does not grow with the number of patterns', () => {
    const small = new WildcardIndex<number>(topics);
    const large = new WildcardIndex<number>(topics);
    for (let count = 0; count < 20_000; count += 1) {
      if (count < 20) small.add(`device/${count}/+`, count);
      large.add(`device/${count}/+`, count);
    }
    const time = (index: WildcardIndex<number>): number => {
      const start = process.cpuUsage().user;
      for (let count = 0; count < 20_000; count += 1) expect(index.match('device/7/temperature')[0]).toBe(7);
      return process.cpuUsage().user - start;
    };
    time(small);
    expect(time(large)).toBeLessThan(20 * time(small));
  });
});

describe('compileSubject', () => {
  it('gives the words at {name}', () => {
    const compiled = compileSubject('orders/{id}/+/{what}/#', topics);
    expect({ ...compiled.captures('orders/7/x/paid/y/z') }).toEqual({ id: '7', what: 'paid' });
    expect({ ...compiled.captures('orders/7/x/paid') }).toEqual({ id: '7', what: 'paid' });
    expect(compiled.captures('orders/7/x')).toBeUndefined();
    expect(compiled.isExact).toBe(false);
    expect({ ...compileSubject('a/b', topics).captures('a/b') }).toEqual({});
    expect(compileSubject('a/b', topics).isExact).toBe(true);
    expect(compileSubject('{x}', topics).test('$SYS')).toBe(false);
  });

  it('finds them behind a wildcard of many words', () => {
    const compiled = compileSubject('a.#.{last}', keys);
    expect({ ...compiled.captures('a.b.c.d') }).toEqual({ last: 'd' });
    expect({ ...compiled.captures('a.d') }).toEqual({ last: 'd' });
    expect({ ...compileSubject('{first}.>', subjects).captures('x.y.z') }).toEqual({ first: 'x' });
  });

  it('keeps names such as __proto__ as plain data', () => {
    const captures = compileSubject('{__proto__}/{constructor}', topics).captures('a/b');
    expect(Object.entries(captures ?? {})).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
    expect(Object.getPrototypeOf(captures)).toBeNull();
  });

  it('refuses a name that stands twice, and takes other braces as text', () => {
    expect(() => compileSubject('{a}/{a}', topics)).toThrow('{a} stands in it twice');
    expect(compileSubject('{a b}/x{c}', topics).test('{a b}/x{c}')).toBe(true);
    expect(compileSubject('{a b}/x{c}', topics).isExact).toBe(true);
  });
});

describe('WildcardNames', () => {
  it('finds what is held for the very name, for wildcards that take it, and for patterns that only a test can tell', () => {
    const names = new WildcardNames<string>(subjects);
    const put = (hints: WildcardHints, value: string | undefined): void => names.change(hints, () => value);
    const find = (name: string): string[] => {
      const found: string[] = [];
      names.find(name, found);
      return found;
    };
    expect([names.isEmpty, names.hasPatterns]).toEqual([true, false]);
    put({ exact: 'a.b' }, 'exact');
    expect([names.isEmpty, names.hasPatterns]).toEqual([false, false]);
    put({ wildcards: 'a.*' }, 'one');
    put({ wildcards: 'a.>' }, 'many');
    put({ wildcards: 'a.*' }, 'one again');
    put({}, 'any');
    expect(find('a.b').sort()).toEqual(['any', 'exact', 'many', 'one again']);
    expect(find('a.b.c').sort()).toEqual(['any', 'many']);
    expect(find('z')).toEqual(['any']);
    put({ wildcards: 'a.*' }, undefined);
    put({}, undefined);
    expect(find('a.b').sort()).toEqual(['exact', 'many']);
    put({ wildcards: 'a.>' }, undefined);
    put({ exact: 'a.b' }, undefined);
    expect([names.isEmpty, find('a.b')]).toEqual([true, []]);
    expect(() => put({ wildcards: 'a.>.b' }, 'x')).toThrow('> may stand only at the end');
  });
});
