import { describe, expect, it } from '@jest/globals';
import {
  ComposedIndex,
  ExactIndex,
  listMocks,
  type Candidates,
  type Change,
  type CompiledMock,
  type IndexedMock,
  type Message,
} from '../src/plugin.js';

interface Compiled extends CompiledMock<Message> {
  readonly names: readonly (string | undefined)[];
}

type Held = Candidates<Compiled>;

/** Mocks by names; those without one are found by every message. */
class ByName extends ComposedIndex<Message, Compiled> {
  readonly byName = new ExactIndex<string | undefined, Held>();

  find({ path }: Message, found: Held[]): void {
    this.byName.find(path, found);
    this.byName.find(undefined, found);
  }

  protected change({ names }: Compiled, change: Change<Held>): void {
    for (const name of names) this.byName.change(name, change);
  }
}

let position = 0;

function mock(id: string, priority: number, ...names: (string | undefined)[]): IndexedMock<Compiled> {
  return { id, value: {}, priority, position: (position += 1), compiled: { names } };
}

function idsFor(index: ByName, path: string): string[][] {
  const found: Held[] = [];
  index.find({ method: 'GET', path, remote: '' }, found);
  return found.map((held) => listMocks(held).map(({ id }) => id));
}

describe('a composed index', () => {
  it('holds a mock wherever its kind says, in rank order, and takes it out there', () => {
    const index = new ByName();
    const mocks = [
      mock('low', 0, 'a'),
      mock('high', 5, 'a', 'b'),
      mock('any', 1, undefined),
      mock('also', 0, 'a'),
    ];
    for (const each of mocks) index.add(each);
    expect(idsFor(index, 'a')).toEqual([['high', 'low', 'also'], ['any']]);
    expect(idsFor(index, 'b')).toEqual([['high'], ['any']]);
    expect(idsFor(index, 'c')).toEqual([['any']]);
    expect([index.byName.size, [...index.byName.keys()]]).toEqual([3, ['a', 'b', undefined]]);
    for (const each of mocks.slice(0, 2)) index.remove(each);
    expect(idsFor(index, 'a')).toEqual([['also'], ['any']]);
    expect(idsFor(index, 'b')).toEqual([['any']]);
    for (const each of mocks.slice(2)) index.remove(each);
    expect(idsFor(index, 'a')).toEqual([]);
    expect(index.byName.size).toBe(0);
  });
});
