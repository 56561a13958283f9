import { describe, expect, it } from '@jest/globals';
import { LineCounter, parseDocument } from 'yaml';
import { runAtOnce } from '@backlot/core/plugin';
import { narrowAnySteps, narrowSteps } from '../src/config/narrow-text.js';
import { ConfigError } from '../src/config/problem.js';
import { parseSourceSteps } from '../src/config/source.js';
import { anyText, below, pick } from './made-yaml.js';

/** What the whole parser says of a text, keys that are there twice too. */
function faultsOf(text: string): string[] {
  const lineCounter = new LineCounter();
  const { errors } = parseDocument(text, { merge: true, strict: true, prettyErrors: false, lineCounter });
  return errors.map(({ pos, message }) => {
    const { line, col } = lineCounter.linePos(pos[0]);
    return `${line}:${col} ${message}`;
  });
}

const keys = (count: number, name: string, indent = ''): string[] =>
  Array.from({ length: count }, (_, n) => `${indent}${name}-${n}: value ${n}`);

const PIECES =
  '\n|\n    |\n}|\n]| |  |- |:|: |#| #|"|\'|{|}|[|]|,|>|&a |*a|-|?|\\|x|a: b\n|\t|---\n|\r'.split('|');

describe('narrowSteps', () => {
  it('leaves what is wrong, where it is, and makes nothing wrong that is right', () => {
    let faulty = 0;
    let found = 0;
    for (let round = 0; round < 400; round += 1) {
      const made = anyText();
      const at = below(made.length);
      const changed = made.slice(0, at) + pick(PIECES) + made.slice(at + below(4));
      const middle = (round % 4 === 0 ? made : changed).replace(/\n*$/, '\n');
      const inner = round % 2 === 0 ? '' : '  ';
      const around = inner === '' ? [] : ['around:'];
      const text = [
        ...around,
        ...keys(50, 'before', inner),
        ...middle.split('\n').map((line) => (line === '' ? line : inner + line)),
        ...keys(50, 'behind', inner),
        '',
      ].join('\n');
      const whole = faultsOf(text);
      if (whole.length > 0) faulty += 1;
      const narrowed = runAtOnce(narrowAnySteps(text));
      const faults = narrowed === undefined ? [] : faultsOf(narrowed);
      if (faults.length === 0) continue;
      found += 1;
      expect([text, faults[0]]).toEqual([text, whole[0]]);
    }
    expect(faulty).toBeGreaterThan(100);
    expect(found).toBeGreaterThan(faulty * 0.9);
  }, 60_000);

  it.each([
    ['a key that is there twice', '  key-7: again', '15004:3: Map keys must be unique'],
    ['a line too far to the right', '   late: value', /^15003:\d+: .*Nested mappings are not allowed/],
    [
      'a line too far to the left',
      ' late: value',
      /^15004:1: All mapping items must start at the same column/,
    ],
    ['a line without a colon', '  late value', '15004:3: Implicit keys need to be on a single line'],
    ['a quote without an end', '  late: "value', /^20003:\d+: Missing closing "quote/],
    ['a tab', '\tlate: value', /^15004:\d+: /],
  ])('leaves a few of 20,000 keys for %s', (_, line, expected) => {
    const text = ['mode: a', 'list:', ...keys(20_000, 'key', '  '), ''].with(15_003, line).join('\n');
    const left = runAtOnce(narrowSteps(text))
      ?.split('\n')
      .filter((each) => each !== '');
    expect(left?.length).toBeLessThan(10);
    let error: unknown;
    try {
      runAtOnce(parseSourceSteps(text, 'large.yaml', '/'));
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ConfigError);
    const [first = ''] = (error as ConfigError).lines;
    expect(first.replace('large.yaml:', '')).toEqual(
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    );
  });

  it('leaves blocks of which all is right out as well', () => {
    const mock = (n: number): string =>
      `    - id: m${n} # a mock\n      request:\n        path: /${n}\n      response:\n        body: |\n          one\n\n          two\n        headers: { a: b,\n          c: d }\n`;
    const mocks = Array.from({ length: 3000 }, (_, n) =>
      n === 1500 ? '    - {id: a}: b\n      c\n' : mock(n),
    );
    const text = `http:\n  mocks:\n${mocks.join('')}`;
    const left = runAtOnce(narrowSteps(text))
      ?.split('\n')
      .filter((line) => line.trim() !== '');
    expect(left?.length).toBeLessThan(20);
    expect(left).toContain('      c');
  });

  it('knows of nothing wrong in a file that is right, and leaves a small one alone', () => {
    const text = keys(20_000, 'key').join('\n');
    expect(runAtOnce(narrowSteps(text))).toBeUndefined();
    expect(runAtOnce(narrowSteps('a: b\na: c\n'))).toBeUndefined();
  });
});
