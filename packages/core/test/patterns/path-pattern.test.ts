import { describe, expect, it } from '@jest/globals';
import { compilePathPattern, PathTree, splitPath } from '../../src/patterns/path-pattern.js';

describe('splitPath', () => {
  it.each<[string, string[], string]>([
    ['/', [''], '/'],
    ['', [''], '/'],
    ['/a', ['a'], '/a'],
    ['a', ['a'], '/a'],
    ['/a/', ['a', ''], '/a/'],
    ['/a//b', ['a', '', 'b'], '/a//b'],
    ['/a%20b', ['a b'], '/a b'],
    ['/a%2Fb', ['a/b'], '/a/b'],
    ['/a%2525', ['a%25'], '/a%25'],
    ['/%zz/%20', ['%zz', ' '], '/%zz/ '],
    ['/%ff', ['%ff'], '/%ff'],
    ['/%E0%A4%A', ['%E0%A4%A'], '/%E0%A4%A'],
    ['/%C3%A9', ['é'], '/é'],
    ['/%00', ['\u0000'], '/\u0000'],
  ])('%j', (raw, segments, text) => {
    const path = splitPath(raw);
    expect(path.segments).toEqual(segments);
    expect(path.text).toBe(text);
    expect(path.raw).toBe(raw);
  });

  it('has equal keys exactly for equal segments', () => {
    expect(splitPath('/a%62').key).toBe(splitPath('ab').key);
    expect(splitPath('/a%2Fb').key).not.toBe(splitPath('/a/b').key);
    expect(splitPath('/a%252Fb').key).not.toBe(splitPath('/a%2Fb').key);
    expect(splitPath('/a/').key).not.toBe(splitPath('/a').key);
    expect(splitPath('').key).toBe(splitPath('/').key);
  });
});

describe('compilePathPattern', () => {
  it.each<[string, string[], string[]]>([
    ['', ['/', '/a', '/a/b'], []],
    ['*', ['/', '/a', '/a/b/'], []],
    ['/*', ['/', '/a', '/a/b/'], []],
    ['/', ['/', ''], ['/a', '//']],
    ['/a', ['/a', 'a', '/%61'], ['/a/', '/A', '/', '/ab', '/a/b']],
    ['a', ['/a'], ['/b']],
    ['/a/', ['/a/'], ['/a']],
    ['/a%20b', ['/a%20b', '/a b'], ['/a+b']],
    ['/a b', ['/a%20b'], []],
    ['/a%2Fb', ['/a%2fb'], ['/a/b']],
    ['/a/{id}', ['/a/1', '/a/b%2Fc'], ['/a', '/a/', '/a/1/2', '/b/1']],
    ['/a/*/c', ['/a/b/c'], ['/a//c', '/a/c', '/a/b/b/c']],
    ['/a/*', ['/a', '/a/', '/a/b', '/a/b/c'], ['/ab', '/', '/b']],
    ['/a/**', ['/a', '/a/b/c'], ['/b']],
    ['/{tenant}/*', ['/x', '/x/y/z'], ['/']],
    ['/v*/users', ['/v1/users', '/v/users'], ['/users', '/x1/users', '/v1/2/users']],
    ['/{id}.json', ['/a.json', '/a.json.json'], ['/.json', '/a.xml', '/a.jsonx']],
    ['/f-{a}-{b}.txt', ['/f-1-2.txt'], ['/f--2.txt', '/f-1-.txt', '/f-12.txt']],
    ['/*.json', ['/a.json', '/.json'], ['/a/b.json']],
    ['/a\\*b', ['/a*b', '/a%2Ab'], ['/axb']],
    ['/%7Bid%7D', ['/{id}', '/%7bid%7d'], ['/1']],
    ['re:^/a/\\d+$', ['/a/1', '/a/%31'], ['/a/x', '/a']],
    ['re:b', ['/abc'], ['/a']],
  ])('%j', (source, matching, failing) => {
    const pattern = compilePathPattern(source);
    const tree = new PathTree<string[]>();
    tree.change(pattern, () => [source]);
    const test = (path: string): boolean => pattern.test(splitPath(path));
    const find = (path: string): boolean => {
      const out: string[][] = [];
      tree.find(splitPath(path), out);
      return out.length > 0 && test(path);
    };
    expect(matching.filter((path) => !test(path))).toEqual([]);
    expect(failing.filter(test)).toEqual([]);
    expect(matching.filter((path) => !find(path))).toEqual([]);
    expect(failing.filter(find)).toEqual([]);
  });

  it.each<[string, string, Record<string, string>]>([
    ['/users/{id}', '/users/7', { id: '7' }],
    ['/users/{id}', '/users/a%20b', { id: 'a b' }],
    ['/{a}/x/{b}', '/1/x/2', { a: '1', b: '2' }],
    ['/{tenant}/*', '/acme/any/thing', { tenant: 'acme' }],
    ['/{id}.json', '/a.json.json', { id: 'a.json' }],
    ['/v{major}.{minor}', '/v1.2.3', { major: '1', minor: '2.3' }],
    ['/x*-{id}', '/xyz-7', { id: '7' }],
    ['/{__proto__}/{constructor}', '/a/b', { ['__proto__']: 'a', constructor: 'b' }],
    ['re:^/u/(?<id>\\d+)', '/u/42/x', { id: '42' }],
    ['/plain', '/plain', {}],
  ])('captures from %j', (source, path, params) => {
    const got = compilePathPattern(source).params(splitPath(path));
    expect(Object.getPrototypeOf(got)).toBeNull();
    expect(JSON.stringify(got)).toBe(JSON.stringify(params));
  });

  it('names what it is made of', () => {
    const pattern = compilePathPattern('/a/{id}/v*/*/x/*');
    expect(pattern.segments.map(({ type }) => type)).toEqual([
      'literal',
      'param',
      'pattern',
      'any',
      'literal',
    ]);
    expect(pattern.tail).toBe(true);
    expect(pattern.exact).toBeUndefined();
    expect(compilePathPattern('/a/b').exact).toBe(splitPath('/a/b').key);
    expect(pattern.reason(splitPath('/q'))).toBe('path: got "/q", want "/a/{id}/v*/*/x/*"');
  });

  it.each<[string, string]>([
    ['/{id}/{id}', 'twice'],
    ['/{id}/x-{id}', 'twice'],
    ['/{}', 'not a capture'],
    ['/{a b}', 'not a capture'],
    ['/{id', 'not a capture'],
    ['/id}', 'not a capture'],
    ['/{a}{b}', 'needs text between'],
    ['/{a}*', 'needs text between'],
    ['re:(', 'RE2'],
    [`/${'a'.repeat(10_000)}`, 'too long'],
  ])('refuses %.30j', (source, words) => {
    expect(() => compilePathPattern(source)).toThrow(words);
  });

  it('stays quick for paths of many segments and captures', () => {
    // The work of this process and not the time it takes: other processes may want the machine too.
    const started = process.cpuUsage().user;
    const pattern = compilePathPattern(`/${'{x}-*-'.replace('{x}', '*')}a`);
    expect(pattern.test(splitPath(`/${'-'.repeat(200_000)}`))).toBe(false);
    expect(compilePathPattern('/*/'.repeat(1000)).test(splitPath('/'.repeat(65_000)))).toBe(false);
    expect((process.cpuUsage().user - started) / 1000).toBeLessThan(500);
  });
});

describe('PathTree', () => {
  const treeOf = (sources: readonly string[]): PathTree<string[]> => {
    const tree = new PathTree<string[]>();
    for (const source of sources) {
      tree.change(compilePathPattern(source), (kept = []) => [...kept, source]);
    }
    return tree;
  };
  const find = (tree: PathTree<string[]>, path: string): string[] => {
    const out: string[][] = [];
    tree.find(splitPath(path), out);
    return out.flat().sort();
  };

  it('finds every shape that matches', () => {
    const tree = treeOf([
      '/a/b',
      '/a/{x}',
      '/a/{y}',
      '/a/*',
      '/*',
      '/{t}/b',
      '/a/b*',
      '/c',
      're:zzz',
      '/a/b/c',
      '/a/*/c',
    ]);
    expect(find(tree, '/a/b')).toEqual([
      '/*',
      '/a/*',
      '/a/b',
      '/a/b*',
      '/a/{x}',
      '/a/{y}',
      '/{t}/b',
      're:zzz',
    ]);
    expect(find(tree, '/a')).toEqual(['/*', '/a/*', 're:zzz']);
    expect(find(tree, '/a/')).toEqual(['/*', '/a/*', 're:zzz']);
    expect(find(tree, '/a/b/c')).toEqual(['/*', '/a/*', '/a/*/c', '/a/b/c', 're:zzz']);
    expect(find(tree, '/c')).toEqual(['/*', '/c', 're:zzz']);
  });

  it('takes keys such as __proto__ as plain text', () => {
    const tree = treeOf(['/__proto__/{x}', '/constructor']);
    expect(find(tree, '/__proto__/1')).toEqual(['/__proto__/{x}']);
    expect(find(tree, '/constructor')).toEqual(['/constructor']);
    expect(find(tree, '/toString')).toEqual([]);
  });

  it('forgets what is released, and only when it is empty', () => {
    const sources = ['/a/b', '/a/{x}/c', '/a/{y}/c', '/a/*', 're:x', '/v*/d', '*', '/a/{x}/c/*'];
    const tree = treeOf(sources);
    const remove = (source: string): void => {
      tree.change(compilePathPattern(source), (kept = []) => {
        const left = kept.filter((each) => each !== source);
        return left.length === 0 ? undefined : left;
      });
    };
    remove('/a/{x}/c');
    expect(find(tree, '/a/1/c')).toContain('/a/{y}/c');
    for (const source of sources.filter((each) => each !== '/a/{x}/c')) {
      remove(source);
    }
    for (const path of ['/a/b', '/a/1/c', '/x', '/v1/d', '/a/1/c/d']) {
      const out: string[][] = [];
      tree.find(splitPath(path), out);
      expect(out).toEqual([]);
    }
    remove('/never/{was}/here');
    const left = JSON.stringify({ ...tree, exactFilter: undefined }, (_, value: unknown) =>
      value instanceof Map ? [...value.keys()] : value,
    );
    expect(left).toBe('{"exact":[],"regexes":[],"root":{"literals":[],"patterns":[]},"branches":0}');
  });

  it('finds each of thirty thousand, and again when others were taken away', () => {
    const sources = Array.from({ length: 10_000 }, (_, index) => [
      `/r${index}/{id}`,
      `/exact/${index}`,
      `/t${index}/*`,
    ]).flat();
    const tree = treeOf(sources);
    const wrong = (from: number): number[] => {
      const indexes = Array.from({ length: 10_000 - from }, (_, index) => from + index);
      return indexes.filter(
        (index) =>
          find(tree, `/r${index}/1`).join() !== `/r${index}/{id}` ||
          find(tree, `/exact/${index}`).join() !== `/exact/${index}` ||
          find(tree, `/t${index}/1/2`).join() !== `/t${index}/*`,
      );
    };
    expect(wrong(0)).toEqual([]);
    for (const source of sources.slice(0, 27_000)) tree.change(compilePathPattern(source), () => undefined);
    expect(wrong(9000)).toEqual([]);
    for (const source of sources.slice(0, 27_000)) tree.change(compilePathPattern(source), () => [source]);
    expect(wrong(0)).toEqual([]);
    expect(find(tree, '/exact/10000')).toEqual([]);
  });

  it('survives paths of 65,000 segments', () => {
    const tree = treeOf(['/*', '/*/*/x', '/{a}/{b}']);
    expect(find(tree, '/'.repeat(65_000))).toEqual(['/*']);
    expect(find(tree, '/a'.repeat(65_000))).toEqual(['/*']);
  });
});
