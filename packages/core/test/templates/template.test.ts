import { describe, expect, it } from '@jest/globals';
import { isBacklotError } from '../../src/errors.js';
import { compileTemplate } from '../../src/templates/template.js';
import { scopeOf, type ScopeOptions } from './scope.js';

const SCOPE: ScopeOptions = {
  request: {
    method: 'GET',
    path: '/users/7',
    query: { page: '2', tag: ['a', 'b'], 'user.name': 'dotted' },
    headers: { 'content-type': 'application/json', 'x-tenant': 'acme' },
    params: { id: '7' },
    body: {
      id: 7,
      name: 'Ada "A"\nB\\',
      html: '<b>&</b>',
      ok: true,
      off: false,
      zero: 0,
      none: null,
      empty: [],
      items: [
        { name: 'x', n: 1 },
        { name: 'y', n: 2, date: 'today' },
      ],
      words: ['a', 'b'],
      deep: { list: [[1, 2], [3]] },
      request: 'inner',
    },
    raw_body: '{"id":7}',
  },
  state: { 'cart:1': 'full', 'a.b c': 'odd', step: 'two' },
  vars: { region: 'eu', nested: { x: 1 } },
};
const render = (
  text: string,
  options: ScopeOptions = SCOPE,
  target: 'json' | 'text' | 'auto' = 'text',
): string => compileTemplate(text, { target }).render(scopeOf(options));

describe('compileTemplate: values', () => {
  it.each<[string, string]>([
    ['{{request.method}} {{request.path}}', 'GET /users/7'],
    ['{{ request.params.id }}|{{params.id}}|{{.request.params.id}}|{{ .params.id }}', '7|7|7|7'],
    ['{{.request.body.id}}', '7'],
    ['{{.request.query.page}}', '2'],
    ['{{query.tag}} {{query.tag.1}} {{request.query.tag[0]}}', '["a","b"] b a'],
    ['{{query.user.name}}', 'dotted'],
    ['{{headers.Content-Type}} {{request.headers.X-TENANT}}', 'application/json acme'],
    ['{{body.items.1.name}} {{body.items[0].n}} {{body.deep.list.0.1}}', 'y 1 2'],
    ['{{body.items.length}}', '2'],
    ['{{body.ok}} {{body.off}} {{body.zero}}', 'true false 0'],
    ['[{{body.none}}{{body.missing}}{{body.id.x.y}}{{query.none}}{{vars.none}}]', '[]'],
    ['{{body.items}}', '[{"name":"x","n":1},{"name":"y","n":2,"date":"today"}]'],
    ['{{body.html}} {{{body.html}}} {{&body.html}} {{& body.html }}', '<b>&</b> <b>&</b> <b>&</b> <b>&</b>'],
    ['{{request.raw_body}}', '{"id":7}'],
    ['{{vars.region}} {{vars.nested.x}}', 'eu 1'],
    ['{{state.cart:1}} {{state.a.b c}} {{.state.step}} {{state.none}}.', 'full odd two .'],
    ['{{upper state.step}}', 'TWO'],
    ['a{{! a "comment }}b', 'ab'],
    ['{{request}}', ''],
    ['{"a":{"b":{{body.id}}}}', '{"a":{"b":7}}'],
    ['{"a":{{{body.id}}}}', '{"a":7}'],
    ['{{{body.id}}:1}', '{7:1}'],
  ])('%s', (text, rendered) => {
    expect(render(text)).toBe(rendered);
  });

  it.each([
    'plain',
    '{{first_name}}',
    'Dear {{ first_name }}, {{{last_name}}} {{&x}}',
    '{{.}}',
    '{{}} {{ }} {{{}}}',
    '{{=<% %>=}} <% now %>',
    '{{> header}} {{>x}}',
    '{{ a + b }} {{color: red}} {{#a + b}}{{else}}{{/a}} {{else}}',
    '{{#who}}a{{else}}b{{/who}}',
    '{{ .Name | upper }} {{ . }}{{ end }} {{- x -}}',
    '[]T{{1,2},{3,4}} style={{ color: "red" }} {{"a"}} {{f(x)}}',
    '{{{{raw}}}}',
    '{{toString}} {{constructor}} {{__proto__.x}} {{hasOwnProperty}}',
    '{{#cond}}\n  inside\n  {{/cond}}\nafter',
    '  {{^cond}}  \r\n\r\n{{#b}}\n{{/b}} \n  {{/cond}}\t\n',
    '{{don\'t}} "{{ it\'s "x }}"',
    '{{ foo {{bar}}',
    "{{first_name}} {{#x}}a{{/x}} }} '",
  ])('leaves %j as it stands', (text) => {
    expect(render(text, { request: {} })).toBe(text);
    expect(render(text, { request: {} }, 'json')).toBe(text);
  });

  it('renders what it knows beside what it does not', () => {
    expect(render('{{first_name}} {{body.id}} {{#who}}{{body.id}}{{/who}}')).toBe(
      '{{first_name}} 7 {{#who}}7{{/who}}',
    );
    expect(render('{{ foo {{body.id}}')).toBe('{{ foo 7');
  });

  it('reads own properties only', () => {
    const names = [
      'constructor',
      '__proto__',
      'toString',
      'hasOwnProperty',
      'constructor.name',
      '__proto__.polluted',
    ];
    for (const name of names) {
      for (const root of [
        'body',
        'request',
        'vars',
        'query',
        'headers',
        'params',
        'body.items',
        'body.words.0',
        'request.body',
      ]) {
        expect(render(`[{{${root}.${name}}}]`)).toBe('[]');
      }
    }
    const body: unknown = JSON.parse('{"__proto__": {"x": "own"}, "constructor": "mine"}');
    expect(render('{{body.__proto__.x}} {{body.constructor}}', { request: { body } })).toBe('own mine');
  });

  it('reads further names from locals', () => {
    const options = { ...SCOPE, locals: { index: 3, variables: { n: 1 }, request: 'no' } };
    expect(
      render(
        '{{index}} {{variables.n}} {{variables.x}}. {{upper variables}} {{request.method}} {{other}}',
        options,
      ),
    ).toBe('3 1 . {"N":1} GET {{other}}');
    expect(render('{{#variables}}{{n}}{{/variables}}', options)).toBe('1');
  });
});

describe('compileTemplate: sections', () => {
  it.each<[string, string]>([
    ['{{#body.items}}{{name}}={{n}};{{/body.items}}', 'x=1;y=2;'],
    ['{{#body.words}}{{.}},{{/body.words}}', 'a,b,'],
    ['{{#body.deep.list}}[{{#.}}{{.}}{{/.}}]{{/body.deep.list}}', '[12][3]'],
    ['{{#body.deep.list}}{{0}}{{/body.deep.list}}', '13'],
    ['{{#body.items}}{{upper name}}{{request.method}}{{/body.items}}', 'XGETYGET'],
    ['{{#body.items}}[{{date}}]{{/body.items}}', '[][today]'],
    ['{{#body.items}}[{{missing}}]{{/body.items}}', '[][]'],
    ['{{#body}}{{request}}{{#items}}{{id}}{{/items}}{{/body}}', 'inner77'],
    ['{{#body.ok}}yes{{/body.ok}}{{^body.ok}}no{{/body.ok}}', 'yes'],
    ['{{#body.off}}yes{{/body.off}}{{^body.off}}no{{/body.off}}', 'no'],
    ['{{^body.empty}}none{{/body.empty}}{{#body.empty}}some{{/body.empty}}', 'none'],
    ['{{^body.missing}}none{{/body.missing}}{{#body.missing}}some{{/body.missing}}', 'none'],
    ['{{#body.zero}}a{{/body.zero}}{{^body.none}}b{{/body.none}}', 'b'],
    ['{{#query.page}}page {{.}} {{first_name}}{{/query.page}}', 'page 2 {{first_name}}'],
    ['{{#request}}{{method}}{{path}}{{.}}{{nope}}{{/request}}', 'GET/users/7'],
    ['{{#.request.body.ok}}a{{/.request.body.ok}}', 'a'],
    ['{{#state.step}}in {{.}}{{/state.step}}', 'in two'],
    ['{{#default query.none "x"}}{{.}}{{/default query.none "x"}}', 'x'],
    ['{{# body.ok }}a{{/ body.ok }}', 'a'],
    ['a\n{{#body.words}}\n- {{.}}\n{{/body.words}}\nb\n', 'a\n- a\n- b\nb\n'],
    ['a\n  {{! alone }}  \nb', 'a\nb'],
    ['{{#body.ok}}\n  {{#nope}}\n  x\n  {{/nope}}\n{{/body.ok}}\n', '  {{#nope}}\n  x\n  {{/nope}}\n'],
  ])('%j', (text, rendered) => {
    expect(render(text)).toBe(rendered);
  });

  it.each<[string, string]>([
    ['{{now', 'never closed'],
    ['line\n{{ foo', 'line 2'],
    ['{{request.body.id {{now}}', 'never closed'],
    ['{{#body.items}}', '{{#body.items}} is not closed'],
    ['{{#first_name}}', '{{#first_name}} is not closed'],
    ['{{/body.items}}', 'not opened'],
    ['{{#body}}{{#query}}{{/body}}{{/query}}', '{{#query}} is not closed'],
    ['{{#request.body x}}{{/request.body x}}', 'takes no arguments'],
    [`${'{{#body}}'.repeat(101)}${'{{/body}}'.repeat(101)}`, 'deeper than 100'],
  ])('refuses %.60j', (text, words) => {
    let thrown: unknown;
    try {
      compileTemplate(text);
    } catch (error) {
      thrown = error;
    }
    expect(isBacklotError(thrown) && thrown.status).toBe(400);
    expect((thrown as Error).message).toContain(words);
  });
});

describe('compileTemplate: JSON', () => {
  it.each<[string, unknown]>([
    ['{"name": "{{body.name}}"}', { name: 'Ada "A"\nB\\' }],
    ['{"name": "a {{upper body.name}} z"}', { name: 'a ADA "A"\nB\\ z' }],
    ['{"n": {{body.id}}, "ok": {{body.ok}}, "none": {{body.none}}}', { n: 7, ok: true, none: null }],
    ['{"list": {{body.words}}, "deep": {{body.deep}}}', { list: ['a', 'b'], deep: { list: [[1, 2], [3]] } }],
    ['{"text": "{{body.words}}"}', { text: '["a","b"]' }],
    ['{"name": {{json body.name}}}', { name: 'Ada "A"\nB\\' }],
    [
      '{"body": {{json body.words}}, "as text": "{{json body.words}}"}',
      { body: ['a', 'b'], 'as text': '["a","b"]' },
    ],
    ['{"a": "\\"{{body.id}}\\\\", "b": {{json body.name}}}', { a: '"7\\', b: 'Ada "A"\nB\\' }],
    [
      '[{{#body.items}}{"n": {{n}}, "name": "{{name}}"},{{/body.items}} null]',
      [{ n: 1, name: 'x' }, { n: 2, name: 'y' }, null],
    ],
    ['{{{request.raw_body}}}', { id: 7 }],
    ['"{{body.name}}"', 'Ada "A"\nB\\'],
    ['{"raw": {{{request.raw_body}}}}', { raw: { id: 7 } }],
    ['{"id": "{{fake \\"email\\"}}"}', { id: expect.stringContaining('@example.') as unknown }],
    ['{"{{body.id}}": "{{first_name}}"}', { 7: '{{first_name}}' }],
  ])('%s parses', (text, value) => {
    expect(JSON.parse(render(text, SCOPE, 'json'))).toEqual(value);
  });

  it('escapes what JSON must escape and nothing else', () => {
    const body = '\u0000\u001f"\\/é\u2028\ud800😀<>&';
    const rendered = render('"{{body}}"', { request: { body } }, 'json');
    expect(JSON.parse(rendered)).toBe(body);
    expect(rendered).toContain('/é\u2028');
    expect(rendered).toContain('<>&');
  });

  it('escapes bytes like the text they are', () => {
    const options = { request: { raw_body: Buffer.from('a"b') } };
    expect(render('{"a": "{{request.raw_body}}"}', options, 'json')).toBe('{"a": "a\\"b"}');
    expect(render('[{{request.raw_body}}]', options, 'json')).toBe('[a\\"b]');
  });

  it.each<[string, 'json' | 'text']>([
    ['{"a": 1}', 'json'],
    ['[]', 'json'],
    ['"x"', 'json'],
    ['42', 'json'],
    ['true', 'json'],
    ['', 'text'],
    ['hello', 'text'],
    ['{a: 1}', 'text'],
    ['{"a": "{{body.x}}"}', 'json'],
    ['{"a": {{body.x}}}', 'json'],
    [' \n[{{body.x}}, "{{body.y}}"]', 'json'],
    ['{"{{body.x}}": "a {{body.y}} b"}', 'json'],
    ['{"a": "{{first_name}}"}', 'json'],
    ['[{{#body.items}}{"n": {{n}}},{{/body.items}}{}]', 'json'],
    ['[{{#body.items}}{"n": {{n}}},{{/body.items}}]', 'json'],
    ['{"a": {{#body.ok}}"y"{{/body.ok}}{{^body.ok}}"n"{{/body.ok}}}', 'json'],
    ['{{body}}', 'text'],
    ['{{request.raw_body}}', 'text'],
    ['{{now}}', 'text'],
    ['Hello {{body.name}}', 'text'],
    ['{"a": {{body.x}}', 'text'],
    ['<a>{{body.x}}</a>', 'text'],
    ['name={{body.x}}', 'text'],
  ])('takes %j for %s', (text, target) => {
    expect(compileTemplate(text).target).toBe(target);
    expect(compileTemplate(text, { target: 'json' }).target).toBe('json');
    expect(compileTemplate(text, { target: 'text' }).target).toBe('text');
  });

  it('echoes a body as it came', () => {
    const body = 'a "quoted"\nline';
    expect(render('{{body}}', { request: { body } }, 'auto')).toBe(body);
  });
});

describe('compileTemplate: constants and limits', () => {
  it.each(['', 'plain', '{"a": 1}', '{{> x}}', '{{}}', '{{a + b}}'])('%j is constant', (text) => {
    const template = compileTemplate(text);
    expect([template.constant, template.source, template.render(scopeOf())]).toEqual([true, text, text]);
  });

  it.each(['{{now}}', 'a{{first_name}}', '{{! x }}'])('%j is not constant', (text) => {
    expect(compileTemplate(text).constant).toBe(false);
  });

  it('caps the output at 16 MiB', () => {
    const list = Array.from({ length: 2000 }, () => 'x'.repeat(20));
    const options = { request: { body: { list } } };
    const render3 = (): string =>
      render(
        '{{#body.list}}{{#body.list}}{{#body.list}}{{.}}{{/body.list}}{{/body.list}}{{/body.list}}',
        options,
      );
    expect(failureOf(render3)).toEqual({ code: 'too_large', status: 413 });
    const wide = { request: { body: 'é'.repeat(9 * 1024 * 1024) } };
    expect(failureOf(() => render('{{body}}', wide))).toEqual({ code: 'too_large', status: 413 });
    const strings = { request: { body: Array.from({ length: 300 }, () => 1) } };
    expect(failureOf(() => render('{{#body}}{{rand_string 65536}}{{/body}}', strings))).toEqual({
      code: 'too_large',
      status: 413,
    });
    expect(render('{{body}}', { request: { body: 'x'.repeat(16 * 1024 * 1024) } })).toHaveLength(
      16 * 1024 * 1024,
    );
  });

  it('stops sections that multiply without output', () => {
    // The work of this process and not the time it takes: other processes may want the machine too.
    const started = process.cpuUsage().user;
    const options = {
      request: { body: Array.from({ length: 1000 }, () => 1), raw_body: 'x'.repeat(1_000_000) },
    };
    const nested = `${'{{#body}}'.repeat(20)}${'{{/body}}'.repeat(20)}`;
    expect(failureOf(() => render(nested, options))).toEqual({ code: 'too_large', status: 413 });
    const hashing =
      '{{#body}}{{#body}}{{#hash "md5" request.raw_body}}{{/hash "md5" request.raw_body}}{{/body}}{{/body}}';
    expect(failureOf(() => render(hashing, options))).toEqual({ code: 'too_large', status: 413 });
    expect((process.cpuUsage().user - started) / 1000).toBeLessThan(5000);
  });

  it('compiles large and strange texts quickly', () => {
    // The work of this process and not the time it takes: other processes may want the machine too.
    const started = process.cpuUsage().user;
    const large = `${'some text with { braces } and "quotes"\n'.repeat(100_000)}{{body.id}}${' '.repeat(1_000_000)}`;
    expect(render(large)).toBe(large.replace('{{body.id}}', '7'));
    const broken = [
      '{{ "',
      '{{a "}}" ',
      '{{{',
      "{{x '",
      '{{#if a}}',
      '{{a {{b ',
      '{{',
      '}}',
      '"}}{{"',
      '{{`',
    ];
    for (const piece of broken) {
      try {
        compileTemplate(piece.repeat(20_000)).render(scopeOf());
      } catch (error) {
        expect(isBacklotError(error) && error.status).toBe(400);
      }
    }
    expect((process.cpuUsage().user - started) / 1000).toBeLessThan(8000);
  });

  it('renders the same again and again', () => {
    const template = compileTemplate('{{#body.items}}{{name}}{{/body.items}} {{body.id}}');
    expect(Array.from({ length: 3 }, () => template.render(scopeOf(SCOPE)))).toEqual([
      'xy 7',
      'xy 7',
      'xy 7',
    ]);
  });
});

function failureOf(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return isBacklotError(error) ? { code: error.code, status: error.status } : error;
  }
}
