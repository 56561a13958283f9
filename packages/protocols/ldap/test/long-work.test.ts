import { describe, expect, it } from '@jest/globals';
import { Directory } from '../src/data/directory.js';
import { parseDn, ROOT } from '../src/data/dn.js';
import { Attribute, Entry } from '../src/data/entry.js';
import { assertion, compileFilter, testLong, type Filter } from '../src/data/filter.js';
import { parseFilter } from '../src/data/filter-text.js';
import { makeEntry, modifyEntry } from '../src/data/make-entry.js';
import { Cursors, HeldEntries } from '../src/operations/paging.js';
import { findEntries } from '../src/operations/search.js';
import type { KnownNames } from '../src/known-names.js';
import { BerReader } from '../src/wire/ber-reader.js';
import { decodeRequest } from '../src/wire/request.js';
import { element } from '../src/wire/encode.js';

const STAMPS = { now: () => '20240101000000Z', newUuid: () => 'id' };
const SUCCESS = { code: 0 };

/** How often work lets others in, and what comes of it. */
function drive<T>(work: Iterator<unknown, T>): { steps: number; result: T } {
  for (let steps = 0; ; steps += 1) {
    const step = work.next();
    if (step.done === true) return { steps, result: step.value };
  }
}

function directoryOf(count: number): Directory {
  const directory = new Directory(undefined);
  for (let n = 0; n < count; n += 1) {
    directory.add(new Entry(parseDn(`cn=e${n},dc=x`), [new Attribute('cn', [Buffer.from(`e${n}`)])]));
  }
  return directory;
}

const values = (from: number, count: number): Buffer[] =>
  Array.from({ length: count }, (_, n) => Buffer.from(`v${from + n}`));

describe('a search', () => {
  const known = { has: () => false } as unknown as KnownNames;
  const search = { base: parseDn('dc=x'), scope: 'sub', attributes: [] } as const;

  it('lets others in after each entry, ends at its limit, and when nobody waits', () => {
    const sources = { directory: directoryOf(500), known };
    const filter = parseFilter('(cn=*)');
    const all = drive(
      findEntries({ ...search, filter }, [], sources, { most: Infinity, isGone: () => false }),
    );
    expect(all.result.entries).toHaveLength(500);
    expect(all.steps).toBe(500);
    const some = drive(findEntries({ ...search, filter }, [], sources, { most: 10, isGone: () => false }));
    expect(some.result.entries).toHaveLength(11);
    const late = { most: Infinity, isGone: () => false, isLate: () => true };
    expect(drive(findEntries({ ...search, filter }, [], sources, late)).result.result).toEqual({ code: 3 });
    let asked = 0;
    const gone = findEntries({ ...search, filter }, [], sources, {
      most: Infinity,
      isGone: () => (asked += 1) > 5,
    });
    expect(drive(gone).steps).toBe(5);
  });

  it('asks the parts of its filter one by one of an entry that is long, with the same answer', () => {
    const attributes = [
      new Attribute('description', [Buffer.alloc(100_000, 'x')]),
      new Attribute('cn', [Buffer.from('a')]),
    ];
    const entry = new Entry(ROOT, attributes);
    for (const text of [
      '(&(cn=a)(!(cn=b)))',
      '(|(cn=b)(description=*xy*)(cn=A))',
      '(&(cn=a)(no:=x)(cn=b))',
      '(!(|(unknown:1.2.3:=x)(cn=b)))',
      '(|)',
      '(&)',
    ]) {
      const compiled = compileFilter(parseFilter(text));
      expect([text, drive(testLong(compiled, entry)).result]).toEqual([text, compiled.test(entry)]);
    }
    const clauses: Filter[] = Array.from({ length: 50 }, (_, n) => ({
      kind: 'equal',
      ...assertion('cn', Buffer.from(`n${n}`)),
    }));
    expect(drive(testLong(compileFilter({ kind: 'or', filters: clauses }), entry)).steps).toBe(50);
  });

  it.each([
    [
      'parts of a filter',
      () => Array.from({ length: 2001 }, () => element(0x87, Buffer.from('a'))),
      [],
      /too many parts/,
    ],
    [
      'attributes',
      () => [element(0x87, Buffer.from('a'))],
      Array.from({ length: 1001 }, () => 'cn'),
      /1000 attributes/,
    ],
    [
      'elements',
      () => Array.from({ length: 20_000 }, () => element(0x87, Buffer.from('a'))),
      [],
      /20000 elements/,
    ],
  ])('with too many %s is refused before it begins', (_name, filters, names, problem) => {
    const int = (tag: number): Buffer => element(tag, Buffer.from([0]));
    const operation = element(
      0x63,
      element(0x04, Buffer.from('dc=x')),
      int(0x0a),
      int(0x0a),
      int(0x02),
      int(0x02),
      int(0x01),
      element(0xa1, ...filters()),
      element(0x30, ...names.map((name) => element(0x04, Buffer.from(name)))),
    );
    expect(() => decodeRequest({ id: 1, tag: 0x63, operation, controls: undefined })).toThrow(problem);
    expect(new BerReader(operation).tag).toBe(0x63);
  });
});

describe('pages', () => {
  const entries = [...directoryOf(100).within('dc=x', 'sub')];

  it('are cut from one list, and freed with their connection', () => {
    const held = new HeldEntries();
    const cursors = new Cursors(held);
    const cookieOf = (controls: Buffer): string => /(\d*)$/.exec(controls.toString('latin1'))?.[1] ?? '';
    let page = cursors.begin({ entries, result: SUCCESS }, 30);
    const seen = [...page.entries];
    for (let cookie = cookieOf(page.controls); cookie !== ''; cookie = cookieOf(page.controls)) {
      expect(held.count).toBe(100);
      const next = cursors.next({ size: 30, cookie });
      if (next === undefined) throw new Error(`cookie ${cookie} is not known`);
      page = next;
      seen.push(...page.entries);
    }
    expect(seen).toEqual(entries);
    expect(held.count).toBe(0);
    for (let n = 0; n < 5; n += 1) cursors.begin({ entries, result: SUCCESS }, 1);
    expect(held.count).toBe(500);
    cursors.clear();
    expect(held.count).toBe(0);
  });

  it('that nobody asks for make room, on one connection and on all', () => {
    const held = new HeldEntries(1000);
    const all = Array.from({ length: 5 }, () => new Cursors(held));
    for (const cursors of all) for (let n = 0; n < 20; n += 1) cursors.begin({ entries, result: SUCCESS }, 1);
    expect(held.count).toBe(1000);
    expect(all[0]?.next({ size: 1, cookie: '20' })).toBeUndefined();
    expect(all[4]?.next({ size: 1, cookie: '20' })?.entries).toHaveLength(1);
  });
});

describe('changes', () => {
  it('of one value each cost no more than their values', () => {
    const entry = makeEntry(parseDn('cn=a'), [{ name: 'member', values: values(0, 1000) }], STAMPS);
    let folded = 0;
    const counting = new Proxy(entry.attributes[0] ?? new Attribute('member', []), {
      get(target, key) {
        if (key === 'folded') folded += 1;
        return Reflect.get(target, key, target) as unknown;
      },
    });
    const before = new Entry(entry.dn, [counting, ...entry.attributes.slice(1)]);
    const changes = values(5000, 1000).map((value) => ({
      kind: 'add' as const,
      attribute: { name: 'member', values: [value] },
    }));
    const after = modifyEntry(before, changes, STAMPS);
    expect(after.attributes.find(({ type }) => type === 'member')?.values).toHaveLength(2000);
    expect(folded).toBeLessThan(5);
  });

  it('add, delete and replace as before', () => {
    const entry = makeEntry(parseDn('cn=a'), [{ name: 'mail', values: values(0, 3) }], STAMPS);
    const change = (kind: 'add' | 'delete' | 'replace', ...given: readonly string[]) =>
      ({ kind, attribute: { name: 'mail', values: given.map((each) => Buffer.from(each)) } }) as const;
    const mail = (...changes: ReturnType<typeof change>[]): string[] | undefined =>
      modifyEntry(entry, changes, STAMPS)
        .attributes.find(({ type }) => type === 'mail')
        ?.values.map(String);
    expect(mail(change('add', 'x'), change('delete', 'V1'))).toEqual(['v0', 'v2', 'x']);
    expect(mail(change('replace', 'y'), change('add', 'z'))).toEqual(['y', 'z']);
    expect(mail(change('delete'))).toBeUndefined();
    expect(mail(change('delete', 'v0', 'v1', 'v2'), change('add', 'n'))).toEqual(['n']);
    expect(() => mail(change('add', 'V0'))).toThrow('more than once');
    expect(() => mail(change('delete', 'none'))).toThrow('no such value');
    expect(() => mail(change('delete'), change('delete'))).toThrow('has no "mail"');
  });

  it('that are too large are refused', () => {
    const directory = new Directory(undefined);
    const large = new Entry(parseDn('cn=a'), [new Attribute('photo', [Buffer.alloc(5 * 1024 * 1024)])]);
    expect(() => directory.put(large)).toThrow('at most');
    const many = new Entry(parseDn('cn=a'), [new Attribute('member', values(0, 50_001))]);
    expect(() => directory.put(many)).toThrow('50000 values');
    const tree = directoryOf(10_001);
    tree.add(new Entry(parseDn('dc=x'), []));
    expect(() => tree.delete(parseDn('dc=x'), true)).toThrow('more than 10000 entries');
    const moved = new Entry(parseDn('dc=y'), []);
    expect(() => tree.move(parseDn('dc=x'), moved, (below) => below)).toThrow('more than 10000 entries');
    expect(tree.get('dc=x')).toBeDefined();
  });

  it('do not make the list of trees longer than is told', () => {
    const directory = new Directory(undefined);
    for (let n = 0; n < 3000; n += 1) directory.add(new Entry(parseDn(`cn=t${n}`), []));
    expect(directory.roots()).toHaveLength(1000);
    expect(directoryOf(3000).roots()).toHaveLength(1000);
  });

  it('of names end at a hundred parts', () => {
    for (const unit of ['a=b,', 'a=b+', 'a="b",']) {
      expect(() => parseDn(unit.repeat(10_000))).toThrow('more than 100 parts');
    }
    expect(parseDn(Array(100).fill('a=b').join(',')).parts).toHaveLength(100);
  });
});
