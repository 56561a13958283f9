import { afterEach, describe, expect, it } from '@jest/globals';
import { compilePattern, type PatternSource } from '../../src/patterns/pattern.js';
import { randomFor, type Random } from '../../src/random/random.js';
import { isBacklotError } from '../../src/errors.js';
import { WorkMeter } from '../../src/values/work-meter.js';

const CASES = 800;
const NAMES = ['a', 'b', 'items', 'price', '*', '-1', 'x.y', '__proto__', 'length'];
const TEXTS = [
  '',
  'a',
  'aaaaaaaaaaaaaaaaaaaa',
  '7',
  '-1e3',
  '2030-01-02T03:04:05Z',
  '[1,2]',
  '{"a":1}',
  '\u{1F600}',
  '<a/>',
];

class Maker {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = randomFor(seed, 'patterns');
  }

  below(most: number): number {
    return Math.floor(this.#random.next() * most);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  value(depth: number): unknown {
    const width = this.below(4) === 0 ? this.below(60) : this.below(4);
    switch (depth <= 0 ? this.below(4) : this.below(8)) {
      case 0:
        return this.below(10);
      case 1:
        return this.pick([true, false, null]);
      case 2:
        return this.pick(TEXTS);
      case 3:
        return this.pick(TEXTS).repeat(this.below(50));
      case 4:
      case 5:
        return Array.from({ length: width }, () => this.value(depth - 1));
      default:
        return Object.fromEntries(
          Array.from({ length: width }, () => [this.pick(NAMES), this.value(depth - 1)]),
        );
    }
  }

  text(): string {
    switch (this.below(6)) {
      case 0:
        return this.pick(['[', '{"a":', '<a>']).repeat(this.below(3_000));
      case 1:
        return JSON.stringify(Array.from({ length: this.below(3_000) }, () => this.below(3)));
      case 2:
        return `<a>${'<b c="1">x</b>'.repeat(this.below(500))}</a>`;
      case 3:
        return `${'['.repeat(200)}${this.pick(['', '1', '"a"'])}${']'.repeat(200)}`;
      default:
        return JSON.stringify(this.value(5));
    }
  }

  schema(depth: number): unknown {
    const inner = (): unknown => (this.below(3) === 0 ? { $ref: '#/$defs/r' } : this.schema(depth - 1));
    if (depth <= 0)
      return this.pick<unknown>([true, {}, { type: 'string' }, { minimum: 3 }, { $ref: '#/$defs/r' }]);
    return this.pick<() => unknown>([
      () => ({ anyOf: [inner(), inner()] }),
      () => ({ oneOf: [inner(), inner(), inner()] }),
      () => ({ items: inner(), uniqueItems: true }),
      () => ({ properties: { a: inner() }, additionalProperties: inner() }),
      () => ({ patternProperties: { '(a+)+$': inner() }, propertyNames: inner() }),
      () => ({ contains: inner(), not: inner() }),
      () => ({
        pattern: '^(a|a)*$',
        format: this.pick(['email', 'uri', 'hostname', 'ipv6', 'date-time', 'byte']),
      }),
      () => ({ if: inner(), then: inner(), else: inner() }),
    ])();
  }

  pattern(depth: number): unknown {
    const inner = (): unknown => this.pattern(depth - 1);
    if (depth <= 0)
      return this.pick<unknown>(['a*', '7', { gt: 3 }, { length: 2 }, { contains: 'aa' }, { absent: true }]);
    return this.pick<() => unknown>([
      () => ({ json: { equals: this.value(4), ignore_order: this.below(2) === 0 } }),
      () => ({ json: { partial: this.value(3), ignore_order: this.below(2) === 0 } }),
      () => ({ json: { partial: Array.from({ length: 300 }, () => this.below(4)), ignore_order: true } }),
      () => ({
        json: { partial: Array.from({ length: 40 }, () => ({ a: this.below(3) })), ignore_order: true },
      }),
      () => ({ each: inner() }),
      () => ({ some: inner() }),
      () => ({ all_of: [inner(), inner()] }),
      () => ({ any_of: [inner(), inner()] }),
      () => ({ not: inner() }),
      () => ({ length: { gte: this.below(5) } }),
      () => ({
        json_path: {
          path: this.pick([
            '$..*',
            '$..[?@..a]',
            '$..[?@.a == @.b]',
            '$[*][*]',
            '$..a..b',
            '$[?search(@, "(a+)+$")]',
          ]),
          is: inner(),
        },
      }),
      () => ({
        xpath: {
          path: this.pick(['//b[@c="1"]', '//*[count(//*) > 3]', '//b/following::b/preceding::b']),
          is: inner(),
        },
      }),
      () => ({ json_schema: { $defs: { r: this.schema(2) }, ...(this.schema(3) as object) } }),
    ])();
  }
}

const spend = Object.getOwnPropertyDescriptor(WorkMeter.prototype, 'spend')?.value as (
  this: WorkMeter,
  steps: number,
) => void;

afterEach(() => {
  WorkMeter.prototype.spend = spend;
});

/** Counts the steps of everything that is metered. */
function countSteps(): () => number {
  let taken = 0;
  WorkMeter.prototype.spend = function (steps) {
    taken += steps;
    spend.call(this, steps);
  };
  return () => {
    const result = taken;
    taken = 0;
    return result;
  };
}

describe('patterns of all kinds on values of all kinds', () => {
  it.each([1, 2])('never throw, always say why, and take little (seed %d)', (seed) => {
    const maker = new Maker(seed);
    let kilobytes = 0;
    const compiled = Array.from({ length: 150 }, () => {
      const source = maker.pattern(3);
      try {
        return compilePattern(source as PatternSource);
      } catch (thrown) {
        if (isBacklotError(thrown)) return undefined;
        throw thrown;
      }
    }).filter((pattern) => pattern !== undefined);
    expect(compiled.length).toBeGreaterThan(75);
    const steps = countSteps();
    const before = process.cpuUsage();
    for (let count = 0; count < CASES; count += 1) {
      const text = maker.text();
      const pattern = maker.pick(compiled);
      kilobytes += Math.ceil(text.length / 1024);
      steps();
      const matches = pattern.test(text);
      // Queries count their steps, and so does the whole pattern; one of each may go over.
      expect(steps()).toBeLessThan(4 * (2_000 + 16 * (text.length + 16)));
      if (!matches) expect(pattern.reason('body', text)).toMatch(/^body: /);
      const value: unknown = maker.value(4);
      if (!pattern.testValue(value)) expect(pattern.reasonOfValue('v', value)).toMatch(/^v: /);
    }
    // Processor time, of a machine that may be slow: reasons and comparisons together, for two values each.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(2 * (kilobytes + CASES));
  });
});
