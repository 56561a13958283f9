import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { SLICE, Turns } from '../src/time/turns.js';

/** An event loop with a clock that only work moves on: one turn reads what came in, then calls back who waits. */
class Loop {
  now = 0;
  #immediates: (() => void)[] = [];
  readonly turns = new Turns({ now: () => this.now, later: (callback) => this.#immediates.push(callback) });

  /** @returns how long the turn took, in milliseconds */
  turn(...incoming: readonly (() => void)[]): number {
    const began = this.now;
    for (const handle of incoming) handle();
    for (const callback of this.#immediates.splice(0)) callback();
    return this.now - began;
  }

  get isIdle(): boolean {
    return this.#immediates.length === 0;
  }
}

/** Work of so many steps of one millisecond, as a pipeline of one connection is. */
class Work {
  readonly #loop: Loop;
  #left: number;
  doneAt = -1;
  steps = 0;

  constructor(loop: Loop, steps: number) {
    this.#loop = loop;
    this.#left = steps;
  }

  readonly run = (): void => {
    const { turns } = this.#loop;
    const end = turns.sliceEnd();
    while (this.#left > 0) {
      this.#left -= 1;
      this.steps += 1;
      this.#loop.now += 1;
      if (this.#loop.now >= end && this.#left > 0) {
        turns.wait(this.run);
        return;
      }
    }
    this.doneAt = this.#loop.now;
  };
}

describe('Turns', () => {
  it('holds the event loop for two slices at most, however many have long work', () => {
    const loop = new Loop();
    const works = Array.from({ length: 200 }, () => new Work(loop, 50));
    // Each may do one step when it comes in: 200 of them and what was left of the slice.
    expect(loop.turn(...works.map(({ run }) => run))).toBeLessThanOrEqual(200 + 2 * SLICE);
    let longest = 0;
    while (!loop.isIdle) longest = Math.max(longest, loop.turn());
    expect(longest).toBeLessThanOrEqual(SLICE + 1);
    expect(works.every(({ steps }) => steps === 50)).toBe(true);
    expect(loop.now).toBe(200 * 50);
  });

  it('lets all go on alike', () => {
    const loop = new Loop();
    const works = Array.from({ length: 40 }, () => new Work(loop, 100));
    loop.turn(...works.map(({ run }) => run));
    for (let turn = 0; turn < 100; turn += 1) loop.turn();
    const steps = works.map((work) => work.steps);
    expect(Math.max(...steps) - Math.min(...steps)).toBeLessThanOrEqual(2 * SLICE);
  });

  it('leaves time for those who wait while new work comes in all the time', () => {
    const loop = new Loop();
    const waiting = new Work(loop, 100);
    loop.turn(waiting.run);
    let turns = 0;
    for (; waiting.doneAt < 0 && turns < 1000; turns += 1) loop.turn(new Work(loop, 12).run);
    expect(turns).toBeLessThan(200);
    expect(waiting.steps).toBe(100);
  });

  it('reads what has come before it goes on, once, when a turn has lasted long', () => {
    const loop = new Loop();
    const { turns } = loop;
    const order: string[] = [];
    /** One long step, then another that waits for its turn. */
    const long = (name: string) => (): void => {
      turns.sliceEnd();
      loop.now += 4 * SLICE;
      turns.wait(() => {
        order.push(name);
        loop.now += 4 * SLICE;
      });
    };
    expect(loop.turn(long('one'), long('two'))).toBe(8 * SLICE);
    // Those who come now do not put it off once more.
    expect(loop.turn(long('three'))).toBe(8 * SLICE);
    expect(order).toEqual(['one']);
    while (!loop.isIdle) expect(loop.turn()).toBeLessThanOrEqual(4 * SLICE);
    expect(order).toEqual(['one', 'two', 'three']);
  });

  it('does so in the turn behind one in which others went on as well', () => {
    const loop = new Loop();
    const { turns } = loop;
    const order: string[] = [];
    const long = (name: string) => (): void => {
      turns.sliceEnd();
      loop.now += 4 * SLICE;
      turns.wait(() => {
        order.push(name);
        loop.now += 4 * SLICE;
      });
    };
    for (const name of ['one', 'two', 'three']) {
      expect(loop.turn(long(name))).toBe(4 * SLICE);
      expect(loop.turn()).toBe(4 * SLICE);
      expect(order.at(-1)).toBe(name);
    }
  });

  it('answers who has little to do at once while others have much', () => {
    const loop = new Loop();
    const works = Array.from({ length: 100 }, () => new Work(loop, 1000));
    loop.turn(...works.map(({ run }) => run));
    for (let turn = 0; turn < 20; turn += 1) {
      const short = new Work(loop, 1);
      const began = loop.now;
      loop.turn(short.run);
      expect(short.doneAt - began).toBe(1);
    }
  });

  it('has a slice for work of one alone, in each turn', () => {
    const loop = new Loop();
    const work = new Work(loop, 95);
    expect(loop.turn(work.run)).toBeLessThanOrEqual(2 * SLICE);
    let turns = 1;
    for (; !loop.isIdle; turns += 1) expect(loop.turn()).toBeLessThanOrEqual(SLICE);
    expect(turns).toBeLessThanOrEqual(12);
    expect(work.steps).toBe(95);
  });

  it('lets nobody begin in a turn that has lasted too long', () => {
    const loop = new Loop();
    let begun = 0;
    const step = (): void => {
      if (loop.turns.isLate()) return loop.turns.wait(step);
      begun += 1;
      loop.now += 1;
    };
    const incoming = Array.from({ length: 100 }, () => step);
    expect(loop.turn(...incoming)).toBeLessThanOrEqual(3 * SLICE);
    expect(begun).toBeGreaterThanOrEqual(2 * SLICE);
    while (!loop.isIdle) expect(loop.turn()).toBeLessThanOrEqual(SLICE + 1);
    expect(begun).toBe(100);
  });

  it('holds nobody any longer who has been called', async () => {
    const loop = new Loop();
    const wait = (): WeakRef<object> => {
      const connection = { isCalled: false };
      loop.turns.wait(() => (connection.isCalled = true));
      return new WeakRef(connection);
    };
    const connections = Array.from({ length: 20 }, wait);
    while (!loop.isIdle) loop.turn();
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    // The last may still be in a register.
    expect(connections.filter((each) => each.deref() !== undefined).length).toBeLessThan(2);
  });

  it('has slices well below the 50 ms that nothing may take', () => {
    expect(SLICE).toBeLessThanOrEqual(10);
  });
});
