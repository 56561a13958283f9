import { afterEach, describe, expect, it } from '@jest/globals';
import { isBacklotError } from '../../src/errors.js';
import { KeyRing } from '../../src/keys/key-ring.js';
import { randomFor, type Random } from '../../src/random/random.js';
import { HELPERS } from '../../src/templates/helpers/table.js';
import { Run } from '../../src/templates/run.js';
import { compileTemplate, type Template } from '../../src/templates/template.js';
import { scopeOf } from './scope.js';

const TEMPLATES = 1_500;
/** Without the one that a library of its own stands behind. */
const NAMES = [...HELPERS.keys()].filter((name) => name !== 'fake');
const PATHS = ['body', 'body.list', 'body.text', 'body.rows', 'body.n', 'raw_body', 'body.none', 'now', '.'];
const WORDS = [
  '"sha256"',
  '"hex"',
  '"$..*"',
  '"$..[?@..a]"',
  '"//a"',
  '"//*[count(//*) > 3]"',
  '"k"',
  '"rfc3339"',
  '"2006-01-02"',
  '"1h"',
  '"name"',
  '"alpha"',
  '"list"',
  '""',
  '"<&>"',
];
const NUMBERS = ['0', '-1', '2', '7.5', '1e9', '100000', '-3e5', '16', 'true', 'null'];
const keys = new KeyRing({ k: { alg: 'HS256' } }, 1);

class Maker {
  constructor(private readonly random: Random) {}

  private pick(list: readonly string[]): string {
    return this.random.pick(list) ?? '';
  }

  private argument(depth: number): string {
    const kind = this.random.int(0, depth > 0 ? 3 : 2);
    if (kind === 0) return this.pick(PATHS);
    if (kind === 1) return this.pick(WORDS);
    return kind === 2 ? this.pick(NUMBERS) : `(${this.call(depth - 1)})`;
  }

  private call(depth: number, name = this.pick(NAMES)): string {
    const { fewest = 0, most = 0 } = HELPERS.get(name) ?? {};
    const count = this.random.int(fewest, Math.min(most, fewest + 3));
    return [name, ...Array.from({ length: count }, () => this.argument(depth))].join(' ');
  }

  template(name: string | undefined): string {
    const tag = `{{${this.call(2, name)}}}`;
    if (this.random.int(0, 2) > 0) return tag;
    const section = this.random.bool() ? this.pick(PATHS) : this.call(1);
    return `{"a": {{#${section}}}${tag}{{else}}${tag}{{/${section.split(' ', 1).join('')}}}}`;
  }
}

function scopeWith(size: number) {
  const text = '\u00e4 <a>"'.repeat(size / 8);
  const list = Array.from({ length: size / 8 }, (_, index) => `a${index}`);
  const rows = Array.from({ length: size / 32 }, (_, a) => ({ a, b: 'x', c: [a] }));
  const body = { list, text, rows, n: 7, key: 'k' };
  const request = { body, raw_body: `<r>${'<a b="1">x</a>'.repeat(size / 16)}</r>` };
  return { ...scopeOf({ request }), keys };
}

const { spend } = Run.prototype;
afterEach(() => {
  Run.prototype.spend = spend;
});

function compileAny(text: string): Template | undefined {
  try {
    return compileTemplate(text);
  } catch (thrown) {
    if (isBacklotError(thrown)) return undefined;
    throw thrown;
  }
}

describe('templates of all helpers on values of all kinds', () => {
  it.each([7, 8])('fail as they should or give a text, and count all of their work (seed %d)', (seed) => {
    const maker = new Maker(randomFor(seed, 'templates'));
    const scope = scopeWith(4_096);
    let work = 0;
    Run.prototype.spend = function (units) {
      work += units;
      spend.call(this, units);
    };
    let rendered = 0;
    let total = 0;
    const before = process.cpuUsage();
    for (let round = 0; round < TEMPLATES; round += 1) {
      // Each helper comes first often enough, however many there are.
      const text = maker.template(round % 2 === 0 ? NAMES[(round / 2) % NAMES.length] : undefined);
      const template = compileAny(text);
      if (template === undefined) continue;
      work = 0;
      try {
        const made = template.render(scope);
        rendered += 1;
        expect([text, made.length <= work + text.length]).toEqual([text, true]);
      } catch (thrown) {
        if (!isBacklotError(thrown)) throw new Error(`${text}: ${String(thrown)}`, { cause: thrown });
      }
      total += work;
    }
    expect(rendered).toBeGreaterThan(TEMPLATES / 2);
    // A unit is one to two nanoseconds of processor time, on a machine that may be slow and compiles while it runs.
    expect((process.cpuUsage(before).user * 1000) / total).toBeLessThan(20);
  });
});
