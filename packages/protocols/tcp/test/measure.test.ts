import { describe, expect, it } from '@jest/globals';
import { listMocks, type IndexedMock } from '@backlot/core/plugin';
import { ByteTrie, TrieWalk } from '../src/byte-trie.js';
import type { CompiledTcp } from '../src/matcher.js';
import { measureMessage } from '../src/measure.js';

let position = 0;

function mock(text: string, state?: string): IndexedMock<CompiledTcp> {
  const exact = Buffer.from(text);
  const value = state === undefined ? { id: text } : { id: text, state: { key: state, value: '1' } };
  return {
    id: text,
    value,
    priority: 0,
    position: position++,
    compiled: { exact, response: undefined, closes: false, changes: undefined },
  };
}

function trieOf(...mocks: IndexedMock<CompiledTcp>[]): ByteTrie {
  const trie = new ByteTrie();
  for (const each of mocks) trie.add(each.compiled.exact ?? Buffer.alloc(0), each);
  return trie;
}

const measure = (trie: ByteTrie, text: string, isFinal = false, present: readonly string[] = []): number =>
  measureMessage(trie, Buffer.from(text), isFinal, (node) =>
    listMocks(node.mocks).some(({ id }) => present.includes(id)),
  );

describe('how many bytes are a message', () => {
  const trie = trieOf(mock('PING'), mock('PINGALL'), mock('QUIT'), mock('P\u00e9'));

  it.each([
    ['PINGX', false, 4, 'takes an exact mock when no longer one fits'],
    ['PING', false, 0, 'waits while a longer mock fits'],
    ['PINGA', false, 0, 'waits inside of a longer mock'],
    ['PING', true, 4, 'takes the shorter one when the wait is over'],
    ['PINGALL', false, 7, 'takes the longest'],
    ['PINGALLPING', false, 7, 'takes the first of two'],
    ['QUI', false, 0, 'waits for the rest of a mock'],
    ['QUI', true, 3, 'takes all when no rest came'],
    ['HELLO', false, 5, 'takes all when no mock starts like it'],
    ['QUITQUIT', false, 4, 'takes one of two'],
    ['P\u00e9', false, 3, 'counts bytes, not characters'],
  ])('%s (final: %s) is %d: %s', (text, isFinal, size) => {
    expect(measure(trie, text, isFinal)).toBe(size);
  });

  it('is all of it without exact mocks', () => {
    expect(measure(new ByteTrie(), 'PING')).toBe(4);
  });

  it('leaves out mocks that are not there', () => {
    const conditional = trieOf(mock('A'), mock('ABC', 'on'));
    expect(measure(conditional, 'AB')).toBe(1);
    expect(measure(conditional, 'AB', false, ['ABC'])).toBe(0);
    expect(measure(conditional, 'ABC')).toBe(1);
    expect(measure(conditional, 'ABC', false, ['ABC'])).toBe(3);
    const only = trieOf(mock('XY', 'on'));
    expect(measure(only, 'X')).toBe(1);
    expect(measure(only, 'XYZ')).toBe(3);
    expect(measure(only, 'XYZ', false, ['XY'])).toBe(2);
  });

  it('finds one that is there deep below many that are not', () => {
    const deep = trieOf(...Array.from({ length: 3000 }, (_, index) => mock('a'.repeat(index + 2), 'on')));
    expect(measure(deep, 'a')).toBe(1);
    expect(measure(deep, 'a', false, ['a'.repeat(3001)])).toBe(0);
  });
});

describe('the tree', () => {
  it('agrees with a plain list over random changes', () => {
    let seed = 7;
    const next = (below: number): number => {
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      return seed % below;
    };
    const text = (): string => Array.from({ length: 1 + next(6) }, () => 'abc'[next(3)]).join('');
    const trie = new ByteTrie();
    const list: IndexedMock<CompiledTcp>[] = [];
    for (let round = 0; round < 3000; round += 1) {
      if (list.length > 0 && next(5) < 2) {
        const [gone] = list.splice(next(list.length), 1);
        if (gone !== undefined) trie.remove(gone.compiled.exact ?? Buffer.alloc(0), gone);
      } else {
        const made = mock(text(), next(3) === 0 ? 'on' : undefined);
        list.push(made);
        trie.add(made.compiled.exact ?? Buffer.alloc(0), made);
      }
      const asked = text();
      expect(listMocks(trie.get(Buffer.from(asked))?.mocks).map(({ position: at }) => at)).toEqual(
        list.filter(({ id }) => id === asked).map(({ position: at }) => at),
      );
      const steady = list
        .filter(({ value }) => (value as { state?: unknown }).state === undefined)
        .map(({ id }) => id);
      const starts = steady.filter((id) => asked.startsWith(id)).map((id) => id.length);
      const isStart = steady.some((id) => id.length > asked.length && id.startsWith(asked));
      expect(measure(trie, asked)).toBe(isStart ? 0 : Math.max(0, ...starts) || asked.length);
    }
    for (const each of list) trie.remove(each.compiled.exact ?? Buffer.alloc(0), each);
    expect(trie.isEmpty).toBe(true);
  });
});

describe('bytes that come one by one', () => {
  it('are placed as they are when they come together', () => {
    const trie = trieOf(mock('AB'), mock('ABAB'), mock('ABCDEF'), mock('ABCDXY'), mock('B'));
    for (let n = 0; n < 3 ** 7; n += 1) {
      const text = Array.from({ length: 7 }, (_, place) => 'ABC'[Math.floor(n / 3 ** place) % 3] ?? '').join(
        '',
      );
      const walk = new TrieWalk();
      for (let length = 1; length <= text.length; length += 1) {
        const bytes = Buffer.from(text.slice(0, length));
        const { starts, node, isAtNode } = trie.place(bytes, walk);
        expect({ starts: [...starts], node, isAtNode }).toEqual(trie.place(bytes));
      }
    }
  });

  it('are looked at once, however long the message is that they may become', () => {
    const readsOf = (length: number): number => {
      const trie = trieOf(mock('x'.repeat(2 * length)), mock('x'.repeat(length - 1)));
      const all = Buffer.alloc(length, 'x');
      const walk = new TrieWalk();
      let reads = 0;
      for (let end = 1; end <= length; end += 1) {
        const counting = new Proxy(all.subarray(0, end), {
          get(bytes, key) {
            if (/^[0-9]+$/.test(String(key))) reads += 1;
            const value = Reflect.get(bytes, key, bytes) as unknown;
            return typeof value === 'function' ? (value.bind(bytes) as unknown) : value;
          },
        });
        trie.place(counting, walk);
      }
      return reads;
    };
    expect(readsOf(2000)).toBeLessThanOrEqual(5 * 2000);
  });

  it('are placed anew when the mocks change', () => {
    const trie = trieOf(mock('ABCD'));
    const walk = new TrieWalk();
    expect(trie.place(Buffer.from('AX'), walk).node).toBeUndefined();
    trie.add(Buffer.from('AXY'), mock('AXY'));
    expect(trie.place(Buffer.from('AX'), walk).node).toBeDefined();
  });
});
