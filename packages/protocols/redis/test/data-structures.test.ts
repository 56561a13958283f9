import { describe, expect, it } from '@jest/globals';
import { xorshift32 } from '@backlot/conformance';
import { ExpiryHeap, type Expiring } from '../src/data/expiry-heap.js';
import { ListValue } from '../src/data/list-value.js';
import { Places } from '../src/data/places.js';
import { Sequence } from '../src/data/sequence.js';
import { SortedSetValue } from '../src/data/sorted-set-value.js';

const SEEDS = [1, 2];

/** Takes all steps of work. */
function finish<T>(steps: Iterator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

describe('a sequence', () => {
  it.each(SEEDS)('is an array whose every operation is quick (seed %i)', (seed) => {
    const number = xorshift32(seed);
    const sequence = new Sequence<number>();
    const model: number[] = [];
    // Grows, stays, shrinks to nothing, and grows again.
    for (const [steps, growth] of [
      [3_000, 8],
      [2_000, 5],
      [2_000, 0],
      [1_000, 9],
    ] as const) {
      for (let step = 0; step < steps; step += 1) {
        const kind = number(10);
        if (kind < growth) {
          const place =
            [0, model.length, number(model.length + 1), Math.min(model.length, 100)][number(4)] ?? 0;
          sequence.insert(place, step);
          model.splice(place, 0, step);
        } else if (kind === 9 && model.length > 0) {
          const place = number(model.length);
          sequence.set(place, -step);
          model[place] = -step;
        } else if (number(2) === 0) {
          const place = number(model.length + 1);
          expect(sequence.take(place)).toBe(model.splice(place, 1)[0]);
        } else {
          const start = number(model.length + 1);
          const end = start + (number(20) === 0 ? number(400) : number(3));
          expect(sequence.remove(start, end)).toEqual(model.splice(start, end - start));
        }
        const place = number(model.length + 2) - 1;
        if (step % 10 === 0)
          expect([sequence.size, sequence.at(place)]).toEqual([model.length, model[place]]);
      }
      expect(sequence.slice(0, model.length)).toEqual(model);
      expect([...sequence.range(3, model.length - 3)]).toEqual(model.slice(3, -3));
      expect([...sequence.range(3, model.length, true)]).toEqual(model.slice(3).reverse());
      for (let index = 0; index < model.length;) {
        const { start, items } = sequence.pageAt(index);
        expect(items).toEqual(model.slice(start, start + items.length));
        index = start + items.length;
      }
    }
  });

  it('finds the first for which something holds by asking few', () => {
    const sequence = new Sequence<number>();
    const SIZE = 100_000;
    for (let n = 0; n < SIZE; n += 1) sequence.insert(n, n);
    let asked = 0;
    for (const wanted of [0, 1, 63, 64, 65, 4_095, 50_000, SIZE - 1, SIZE]) {
      asked = 0;
      expect(
        sequence.firstWhere((item) => {
          asked += 1;
          return item >= wanted;
        }),
      ).toBe(wanted);
      // 17 bits, and as many again for what the levels of the tree round up.
      expect(asked).toBeLessThan(34);
    }
  });

  it('stays full where it grows at its ends, and never gets thin where it grows in the middle', () => {
    const pagesOf = (sequence: Sequence<number>): number => {
      let pages = 0;
      for (let index = 0; index < sequence.size; pages += 1) {
        const { start, items } = sequence.pageAt(index);
        index = start + items.length;
      }
      return pages;
    };
    const SIZE = 10_000;
    for (const [placeOf, most] of [
      [(n: number) => n, 64],
      [() => 0, 64],
      [(n: number) => n >> 1, 30],
      [(n: number) => Math.min(n, 5), 30],
    ] as const) {
      const sequence = new Sequence<number>();
      for (let n = 0; n < SIZE; n += 1) sequence.insert(placeOf(n), n);
      expect(pagesOf(sequence)).toBeLessThanOrEqual(SIZE / most + 2);
    }
  });
});

describe('a list', () => {
  it('counts its bytes, whatever is done to it', () => {
    const number = xorshift32(5);
    const list = new ListValue();
    const model: string[] = [];
    for (let step = 0; step < 3_000; step += 1) {
      const element = 'x'.repeat(number(20));
      const place = number(model.length + 1);
      if (number(3) > 0) {
        list.insert(place, element);
        model.splice(place, 0, element);
      } else if (place < model.length) {
        list.set(place, element);
        model[place] = element;
      } else list.remove(place - 5, place).forEach(() => model.splice(Math.max(place - 5, 0), 1));
    }
    const empty = new ListValue();
    for (const element of model) empty.pushLast(element);
    expect(list.slice(0, list.size)).toEqual(model);
    expect(list.bytes).toBe(empty.bytes);
    expect(finish(list.copy()).bytes).toBe(empty.bytes);
  });
});

describe('a sorted set', () => {
  it.each(SEEDS)('keeps the order of scores and members (seed %i)', (seed) => {
    const number = xorshift32(seed);
    const set = new SortedSetValue();
    const model = new Map<string, number>();
    const sorted = (): { member: string; score: number }[] =>
      Array.from(model, ([member, score]) => ({ member, score })).sort(
        (a, b) => a.score - b.score || (a.member < b.member ? -1 : 1),
      );
    for (let step = 0; step < 3_000; step += 1) {
      const member = `m${number(700)}`;
      if (number(4) > 0) {
        const score = number(30) - 10;
        set.set(member, score);
        model.set(member, score);
      } else expect(set.delete(member)).toBe(model.delete(member));
      expect(set.score(member)).toBe(model.get(member));
      if (step % 50 > 0) continue;
      const order = sorted();
      expect(set.slice(0, set.size)).toEqual(order);
      expect(set.rank(member)).toBe(order.findIndex((entry) => entry.member === member));
      const bound = number(30) - 10;
      const first = order.findIndex(({ score }) => score >= bound);
      expect(set.firstWhere(({ score }) => score >= bound)).toBe(first < 0 ? order.length : first);
      const [start, end] = [number(order.length + 1), number(order.length + 1)];
      if (number(3) > 0) continue;
      const taken = order.slice(start, end);
      expect(set.remove(start, end)).toEqual(taken);
      for (const entry of taken) model.delete(entry.member);
    }
    const copy = finish(set.copy());
    expect(copy.slice(0, copy.size)).toEqual(sorted());
    expect(copy.bytes).toBe(set.bytes);
    for (const member of model.keys()) set.delete(member);
    expect([set.size, set.bytes]).toEqual([0, 0]);
  });
});

describe('places', () => {
  it.each(SEEDS)('a scan sees all that is there from its beginning to its end (seed %i)', (seed) => {
    const number = xorshift32(seed);
    const members = new Set<string>();
    const places = new Places(
      () => members,
      () => members.size,
    );
    let always = new Set<string>();
    const change = (): void => {
      const member = `m${number(300)}`;
      if (members.delete(member)) {
        places.removed(member);
        always.delete(member);
      } else {
        members.add(member);
        places.added(member);
      }
    };
    for (let n = 0; n < 500; n += 1) change();
    finish(places.lay());
    for (let scan = 0; scan < 30; scan += 1) {
      always = new Set(members);
      const seen = new Set<string>();
      for (let place = members.size; place > 0;) {
        for (let left = 5; left > 0 && place > 0; left -= 1) {
          place -= 1;
          seen.add(places.at(place) ?? '');
        }
        for (let changes = number(8); changes > 0; changes -= 1) change();
        place = Math.min(place, members.size);
      }
      expect([...always].filter((member) => !seen.has(member))).toEqual([]);
      const laid = Array.from({ length: members.size }, (_, place) => places.at(place));
      expect(new Set(laid)).toEqual(members);
    }
  });
});

describe('what expires', () => {
  it.each(SEEDS)('comes out in order (seed %i)', (seed) => {
    const number = xorshift32(seed);
    const heap = new ExpiryHeap<Expiring>();
    const items: Expiring[] = Array.from({ length: 200 }, () => ({ dueAt: 0, heapPlace: -1 }));
    for (let step = 0; step < 2_000; step += 1) {
      const item = items[number(items.length)] as Expiring;
      if (number(3) === 0) heap.remove(item);
      else {
        item.dueAt = 1 + number(1_000);
        heap.put(item);
      }
      const there = items.filter(({ heapPlace }) => heapPlace >= 0);
      expect(heap.size).toBe(there.length);
      expect(heap.first?.dueAt).toBe(
        there.length === 0 ? undefined : Math.min(...there.map(({ dueAt }) => dueAt)),
      );
    }
  });
});
