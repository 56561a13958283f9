import { describe, expect, it } from '@jest/globals';
import { isBacklotError } from '../../src/errors.js';
import { compileValue } from '../../src/templates/template.js';
import { scopeOf, type ScopeOptions } from './scope.js';

const BODY = { n: 5, text: 'a "b"\n', ok: false, none: null, list: [1, { x: 2 }], empty: '' };
const SCOPE: ScopeOptions = {
  request: { body: BODY, raw_body: new Uint8Array([104, 105]) },
  state: { k: 'v' },
};
const render = (value: unknown): unknown => compileValue(value).render(scopeOf(SCOPE));

describe('compileValue', () => {
  it.each<[unknown, unknown]>([
    ['{{body.n}}', 5],
    ['{{{body.n}}}', 5],
    ['{{ .request.body.n }}', 5],
    ['n={{body.n}}', 'n=5'],
    [' {{body.n}}', ' 5'],
    ['{{body.n}}{{body.n}}', '55'],
    ['{{body.ok}}', false],
    ['{{body.none}}', null],
    ['{{body.list}}', [1, { x: 2 }]],
    ['{{body.text}}', 'a "b"\n'],
    ['<{{body.text}}>', '<a "b"\n>'],
    ['{{body.missing}}', ''],
    ['{{first_name}}', '{{first_name}}'],
    ['{{json body.list}}', '[1,{"x":2}]'],
    ['{{rand_int 4 4}}', 4],
    ['{{date unix}}', 1772874303],
    ['{{request.raw_body}}', 'hi'],
    ['{{request}}', ''],
    ['{{#body.list}}.{{/body.list}}', '..'],
    ['{{! note }}', ''],
    [
      {
        id: '{{body.n}}',
        list: ['{{state.k}}', 1, null, { deep: 'x{{body.n}}' }],
        '{{key}}': true,
        same: { a: ['b'] },
      },
      { id: 5, list: ['v', 1, null, { deep: 'x5' }], '{{key}}': true, same: { a: ['b'] } },
    ],
  ])('%j', (value, rendered) => {
    expect(render(value)).toEqual(rendered);
    expect(compileValue(value).constant).toBe(false);
  });

  it.each<[unknown]>([
    [null],
    [undefined],
    [5],
    [true],
    ['x'],
    [{}],
    [[]],
    [{ a: ['b', { c: null }] }],
    ['{{> x}}'],
  ])('%j is constant and given back itself', (value) => {
    const template = compileValue(value);
    expect(template.constant).toBe(true);
    expect(template.render(scopeOf())).toBe(value);
  });

  it('keeps __proto__ and constructor as plain keys', () => {
    const value: unknown = JSON.parse('{"__proto__": {"x": "{{body.n}}"}, "constructor": "{{body.n}}"}');
    const rendered = render(value) as object;
    expect(JSON.stringify(rendered)).toBe('{"__proto__":{"x":5},"constructor":5}');
    expect(Object.getPrototypeOf(rendered)).toBe(Object.prototype);
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it('does not change the value it was given', () => {
    const value = { a: ['{{body.n}}'] };
    render(value);
    expect(value).toEqual({ a: ['{{body.n}}'] });
  });

  it.each<[unknown]>([[{ a: '{{upper}}' }], [['{{#x}}']], ['{{now']])('refuses %j', (value) => {
    expect(() => compileValue(value)).toThrow(/template/);
  });

  it('refuses nesting without end', () => {
    let value: unknown = '{{now}}';
    for (let level = 0; level < 10_000; level += 1) {
      value = [value];
    }
    expect(() => compileValue(value)).toThrow('nested deeper than 200');
  });

  it('caps all leaves together', () => {
    const big = 'x'.repeat(6 * 1024 * 1024);
    const template = compileValue(['{{body}}', 'a{{body}}', '{{body}}']);
    let thrown: unknown;
    try {
      template.render(scopeOf({ request: { body: big } }));
    } catch (error) {
      thrown = error;
    }
    expect(isBacklotError(thrown) && thrown.code).toBe('too_large');
  });

  it('names the place of each text that does not compile', () => {
    const value = { name: '{{#open}}', list: ['fine', { 'a/b': '{{upper' }], also: '{{name}}' };
    expect(() => compileValue(value)).toThrow(
      expect.objectContaining({
        details: [
          { path: '/name', message: expect.any(String) },
          { path: '/list/1/a~1b', message: expect.any(String) },
        ],
      }),
    );
  });
});
