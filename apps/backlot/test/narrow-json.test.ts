import { describe, expect, it } from '@jest/globals';
import { runAtOnce } from '@backlot/core/plugin';
import { LineCounter, parseDocument } from 'yaml';
import { scanAnyJsonSteps, scanJsonSteps } from '../src/config/narrow-json.js';
import { ConfigError } from '../src/config/problem.js';
import { readPlainJsonSteps } from '../src/config/quick-json.js';
import { parseSourceSteps, placeOf } from '../src/config/source.js';
import { below, pick, TEXTS } from './made-yaml.js';

const TWICE = 'Map keys must be unique';

/** What the whole parser says of a text, of keys that are there twice behind the others. */
function faultsOf(text: string): string[] {
  const lineCounter = new LineCounter();
  const { errors } = parseDocument(text, { merge: true, strict: true, prettyErrors: false, lineCounter });
  const faults = errors.map(({ pos, message }) => {
    const { line, col } = lineCounter.linePos(pos[0]);
    return `${line}:${col} ${message}`;
  });
  return [
    ...faults.filter((fault) => !fault.endsWith(TWICE)),
    ...faults.filter((fault) => fault.endsWith(TWICE)),
  ];
}

function problemsOf(text: string): string[] {
  try {
    runAtOnce(parseSourceSteps(text, 'large.json', '/'));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.lines.map((line) => line.replace(/^large\.json:(\d+:\d+): /, '$1 '));
  }
  return [];
}

/** Members, each on a line of its own. */
const members = (count: number, name = 'key'): string[] =>
  Array.from({ length: count }, (_, n) => `    "${name}-${n}": "value ${n}"`);
/** Makes a file long enough to be narrowed, for the price of one member. */
const PADDING = 'x'.repeat(256 * 1024);
const file = (list: readonly string[]): string =>
  `{\n  "api": { "port": 0, "note": "${PADDING}" },\n  "state": {\n${list.join(',\n')}\n  },\n  "end": [1, "b"]\n}\n`;
const leftOf = (narrowed: string | undefined): number =>
  (narrowed ?? '').split('\n').filter((line) => line.trim() !== '').length;

const COUNT = 1_200;
/** What is wrong with a member, by what is said of it. */
const FAULTS: readonly (readonly [string, string | ((text: string) => string)])[] = [
  ['a key twice', '    "key-7": "again"'],
  ['a key twice, written with an escape', String.raw`    "key\u002d7": "again"`],
  ['an object twice', '    "key-7": { "a": 1, "b": [1, 2] }'],
  ['a comma missing', (text) => text.replace(/("value 800"),/, '$1')],
  ['a comma missing behind a number', (text) => text.replace(/"value 800",/, '800')],
  ['a comma too many', (text) => text.replace(/("value 800"),/, '$1,,')],
  ['a semicolon', (text) => text.replace(/("value 800"),/, '$1;')],
  ['a quote without an end', '    "key": "value'],
  ['a key whose quote has no end', '    "key: "value"'],
  ['no colon', '    "key" "value"'],
  ['two colons', '    "key":: "value"'],
  ['an unknown escape', String.raw`    "key": "a\qb"`],
  ['an object without an end', (text) => text.replace(/\}\s*,\s*"end"[^]*$/, '')],
  ['the end missing', (text) => text.replace(/\}\s*$/, '')],
  ['a text behind the end', (text) => `${text}x`],
  ['a bracket too many', (text) => text.replace(/("value 800"),/, '$1 },')],
  ['a bracket of the other kind', (text) => text.replace(/("value 800"),/, '$1 ],')],
];
/** The whole parser reads all of these. */
const WHOLE = new Set(['a text behind the end', 'a bracket too many', 'a bracket of the other kind']);

describe('scanJsonSteps', () => {
  it.each(FAULTS)(
    'has said of %s what the whole parser says',
    (name, fault) => {
      const list = members(COUNT);
      const texts =
        typeof fault === 'string'
          ? [0, COUNT - 1].map((at) => file(list.with(at, fault)))
          : [fault(file(list)).replaceAll('\n', '\r\n'), fault(file(list)).replaceAll('    ', '\t')];
      for (const text of texts) {
        const whole = faultsOf(text);
        expect(whole).not.toEqual([]);
        expect(problemsOf(text)).toEqual(whole);
        if (!WHOLE.has(name)) expect(leftOf(runAtOnce(scanJsonSteps(text)).narrowed)).toBeLessThan(20);
      }
    },
    60_000,
  );

  it('says what is wrong in a file of one line', () => {
    const text = JSON.stringify({
      api: { note: PADDING },
      state: Object.fromEntries(members(COUNT).entries()),
    });
    const wrong = text.replace('"800":', '"7":').replace('value 900\\"",', 'value 900\\""');
    expect(wrong).not.toBe(text.replace('"800":', '"7":'));
    expect(problemsOf(wrong)).toEqual(faultsOf(wrong));
    expect(runAtOnce(scanJsonSteps(wrong)).narrowed?.replaceAll(' ', '').length).toBeLessThan(1000);
  });

  it('leaves what is wrong, where it is, and makes nothing wrong that is right', () => {
    const pieces = [
      ...'\n}]{[",:\\;\'#&*|>-?!%@`~\t',
      ...['', '', '', '"a": 1', ' # c, "a": 1', '&a ', '*a', 'nul', '01', '1.0', '// c', 'a b'],
      ...['"a0": {', '"a": [1', ', ,', '"\n', '"x"', '---', '\n---\n', '<<: ', '"<<": 1'],
    ];
    let faulty = 0;
    let found = 0;
    let mendedOnes = 0;
    for (let round = 0; round < 300; round += 1) {
      const made = {
        ...Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`before-${n}`, `value ${n}`])),
        middle: { list: [anyValue(0), anyValue(0)], object: { a: anyValue(0), b: anyValue(0) } },
        ...Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`behind-${n}`, n / 4])),
      };
      const right = JSON.stringify(
        pick<object>([made, { around: [1, made] }]),
        undefined,
        pick([0, 2, '\t']),
      );
      const from = right.indexOf('"before-195"');
      const at = from + below(right.indexOf('"behind-5"') - from);
      const text = right.slice(0, at) + pick(pieces) + right.slice(at + below(4));
      const whole = faultsOf(text);
      if (whole.length > 0) faulty += 1;
      const { narrowed, mended } = runAtOnce(scanAnyJsonSteps(text));
      const plain = mended === undefined ? undefined : runAtOnce(readPlainJsonSteps(mended));
      if (plain !== undefined) {
        mendedOnes += 1;
        expect([text, plain]).toEqual([text, parseDocument(text, { merge: true }).toJS()]);
      }
      const faults = narrowed === undefined ? [] : faultsOf(narrowed);
      if (whole.length === 0) expect([text, faults]).toEqual([text, []]);
      // Where brackets are closed before their end the whole parser is asked.
      if (
        faults.length === 0 ||
        faults.some((fault) => /in block collection|at node end|closing/.test(fault))
      )
        continue;
      found += 1;
      expect([text, faults[0]]).toEqual([text, whole[0]]);
    }
    expect(faulty).toBeGreaterThan(100);
    expect(mendedOnes).toBeGreaterThan(1);
    expect(found).toBeGreaterThan(faulty * 0.2);
  }, 60_000);

  it.each([
    ['a value that is none', '    "key": nul'],
    ['words', '    "key": two words.'],
    ['no value', '    "key":'],
    ['a comma at an end', '    "key": { "a": [1, 2,], "b": x, }'],
  ])('reads %s as YAML does, without the whole parser, and knows the places', (_, line) => {
    const text = file(members(COUNT).with(800, line));
    const source = runAtOnce(parseSourceSteps(text, 'large.json', '/'));
    expect(source.plain).toEqual(parseDocument(text).toJS());
    expect(placeOf(source, '/state/key')).toEqual({ line: 804, column: 5 });
    expect(placeOf(source, '/state/key-801')).toEqual({ line: 805, column: 5 });
    expect(placeOf(source, '/end/1')?.line).toBe(COUNT + 5);
  });

  it('knows of nothing wrong in a file that is right, or may be', () => {
    expect(runAtOnce(scanJsonSteps(file(members(COUNT))))).toEqual({});
    for (const line of [
      '    "key": { "a": [], "b": {} } # c\n    ',
      "    'key': 'a'",
      '    ? a',
      '    "a": &b c',
    ])
      expect(problemsOf(file(members(COUNT).with(800, line)))).toEqual([]);
    expect(runAtOnce(scanJsonSteps('{"a": 1, "a": 2}'))).toEqual({});
  });
});

function anyValue(depth: number): unknown {
  const form = below(depth > 2 ? 4 : 7);
  if (form < 2) return pick(TEXTS);
  if (form === 2) return below(1000) / 4;
  if (form === 3) return pick([true, false, null, 'x']);
  const names = Array.from({ length: below(5) }, (_, n) => `${pick(['a', 'b-c', 'd e', 'f"g', '1'])}${n}`);
  if (form === 4) return names.map(() => anyValue(depth + 1));
  return Object.fromEntries(names.map((name) => [name, anyValue(depth + 1)]));
}
