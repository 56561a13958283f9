import { describe, expect, it } from '@jest/globals';
import { compileTemplate, compileValue } from '../../src/templates/template.js';
import { scopeOf } from './scope.js';

const SCOPE = {
  request: {
    query: { page: '2', empty: '' },
    body: {
      paid: true,
      sent: false,
      none: null,
      n: 5,
      kind: 'gold',
      items: [
        { name: 'mug', tags: ['a', 'b'] },
        { name: 'tea', tags: [] },
      ],
      words: ['x', 'y', 'z'],
      user: { name: 'ann' },
    },
  },
};
const render = (text: string, target: 'json' | 'text' | 'auto' = 'text'): string =>
  compileTemplate(text, { target }).render(scopeOf(SCOPE));

describe('places in a list', () => {
  it.each<[string, string]>([
    ['{{#body.words}}{{@index}}={{.}} {{/body.words}}', '0=x 1=y 2=z '],
    ['{{#body.words}}{{.}}{{^@last}}, {{/@last}}{{/body.words}}', 'x, y, z'],
    ['{{#body.words}}{{#unless @first}}, {{/unless}}{{.}}{{/body.words}}', 'x, y, z'],
    ['{{#body.words}}{{#if @last}}{{.}}!{{/if}}{{/body.words}}', 'z!'],
    ['{{#body.items}}{{@index}}{{#tags}}{{@index}}{{/tags}}{{@index}} {{/body.items}}', '0010 11 '],
    ['{{#body.items}}{{#tags}}{{#@last}}{{@first}}{{/@last}}{{/tags}};{{/body.items}}', 'false;;'],
    ['{{#body.words}}{{add @index 1}}{{/body.words}}', '123'],
    ['{{#body.user}}[{{@index}}]{{/body.user}}', '[]'],
    ['{{@index}}', '{{@index}}'],
  ])('%s', (text, rendered) => {
    expect(render(text)).toBe(rendered);
  });
});

describe('conditions', () => {
  it.each<[string, string]>([
    ['{{#if body.paid}}yes{{/if}}{{#if body.sent}}no{{/if}}', 'yes'],
    ['{{#if body.sent}}a{{else}}b{{/if}}', 'b'],
    ['{{^if body.sent}}a{{else}}b{{/if}}', 'a'],
    ['{{#unless body.sent}}a{{/unless}}{{#unless body.paid}}b{{else}}c{{/unless}}', 'ac'],
    ['{{#eq body.kind "gold"}}G{{/eq}}{{#eq body.kind "x"}}X{{else}}-{{/eq}}', 'G-'],
    [
      '{{#eq query.page 2}}two{{/eq}}{{#eq body.none ""}} none{{/eq}}{{#eq body.n "5.0"}} five{{/eq}}',
      'two none five',
    ],
    ['{{#ne body.kind "gold"}}a{{else}}b{{/ne}}', 'b'],
    [
      '{{#gt body.n 4}}a{{/gt}}{{#gte body.n 5}}b{{/gte}}{{#lt body.n 5}}c{{/lt}}{{#lte body.n 5}}d{{/lte}}',
      'abd',
    ],
    ['{{#gt query.none 1}}a{{else}}b{{/gt}}{{#lt query.none 1}}a{{else}}b{{/lt}}', 'bb'],
    ['{{#gt "2026-02-01" "2026-01-31"}}later{{/gt}}{{#lt 9 10}}, as numbers{{/lt}}', 'later, as numbers'],
    ['{{#if (and body.paid (not body.sent))}}due{{/if}}{{#and body.paid body.sent}}x{{/and}}', 'due'],
    ['{{#if (or body.sent (eq body.kind "gold"))}}y{{/if}}', 'y'],
    ['{{#if body.sent}}1{{else if (gt body.n 9)}}2{{else if body.paid}}3{{else}}4{{/if}}', '3'],
    ['{{#if body.sent}}1{{else if (gt body.n 9)}}2{{else}}4{{/if}}', '4'],
    [
      '{{if body.paid "yes" "no"}} {{if body.sent "yes" body.kind}} {{if body.sent "yes"}} {{eq 1 1}}',
      'yes gold  true',
    ],
    [
      '{{#body.none}}a{{else}}nothing{{/body.none}}{{#body.words}}{{.}}{{else}}x{{/body.words}}',
      'nothingxyz',
    ],
    [
      '{{#body.items}}{{#if tags}}{{name}}:{{#tags}}{{.}}{{/tags}}{{else}}{{name}} bare{{/if}} {{/body.items}}',
      'mug:ab tea bare ',
    ],
    ['{{#body.words}}{{#eq . "y"}}[{{.}}]{{else}}{{.}}{{/eq}}{{/body.words}}', 'x[y]z'],
    ['{{#if body.paid}}\na\n{{else}}\nb\n{{/if}}\nc', 'a\nc'],
    ['{{#at body.items -1}}{{name}}{{/at}}', 'tea'],
    ['{{#upper body.kind}}{{.}}{{/upper body.kind}}', 'GOLD'],
  ])('%s', (text, rendered) => {
    expect(render(text)).toBe(rendered);
  });

  it('knows what is JSON beside conditions', () => {
    const text =
      '{"a": {{#if body.sent}}"x"{{else}}{{body.n}}{{/if}}, "l": [{{#body.words}}"{{.}}"{{#unless @last}},{{/unless}}{{/body.words}}]}';
    const template = compileTemplate(text);
    expect(template.target).toBe('json');
    expect(JSON.parse(template.render(scopeOf(SCOPE)))).toEqual({ a: 5, l: ['x', 'y', 'z'] });
    expect(compileTemplate('{{#if body.paid}}{"a": "{{body.kind}}"}{{else}}{"b": 1}{{/if}}').target).toBe(
      'json',
    );
  });

  it('keeps the type of a lone call', () => {
    const value = { a: '{{if body.paid 1 2}}', b: '{{gt body.n 9}}', c: '{{length body.words}}' };
    expect(compileValue(value).render(scopeOf(SCOPE))).toEqual({ a: 1, b: false, c: 3 });
  });

  it.each<[string, RegExp]>([
    ['{{#if}}a{{/if}}', /helper "if" got 0 arguments/],
    ['{{#if body.a}}a', /not closed/],
    ['{{#if body.a}}a{{/unless}}', /closes|not closed|cannot be parsed/],
    ['{{#if user}}a{{/if}}', /argument user is not known.*request\.body\.user/],
    ['{{#if requst.body.a}}a{{/if}}', /did you mean request\.body\.a/],
    ['{{upper requst.body.a}}', /did you mean request\.body\.a/],
    ['{{#eq body.kind gold}}a{{/eq}}', /write "gold"/],
    ['{{#if body.a}}1{{else}}2{{else}}3{{/if}}', /second {{else}}/],
    ['{{#if body.a}}1{{else upper body.b}}2{{/if}}', /condition follows else/],
    ['{{#each items}}a{{/each}}', /no helper "each"; a list is gone through by its own name/],
    ['{{#each}}a{{/each}}', /no helper "each"/],
    ['{{#with body.user}}a{{/with}}', /no helper "with"/],
    ['{{range .Items}}', /gone through by its own name/],
    ['{{uper body.a}}', /no helper "uper"; did you mean {{upper \.\.\.}}.*{{raw "{{uper body\.a}}"}}/],
    ['{{upper (lowr body.a)}}', /did you mean {{lower/],
    ['{{upper (lower body.a}}', /close every quote and parenthesis/],
    [`{{upper ${'('.repeat(30)}now${')'.repeat(30)}}}`, /cannot be read/],
    ['{{jsonPath body "$.a"}}', /{{json_path /],
  ])('refuses %s', (text, message) => {
    expect(() => compileTemplate(text)).toThrow(message);
  });

  it('has a way to write the text itself', () => {
    expect(render('{{raw "{{#each items}}"}}{{raw \'{{uper "x"}}\'}}{{raw "{{/each}}"}}')).toBe(
      '{{#each items}}{{uper "x"}}{{/each}}',
    );
  });

  it.each<[string, string | undefined]>([
    ['Dear {{first_name}}', '{{first_name}} stays in the text'],
    ['{{requst.body.id}}', 'did you mean {{request.body.id}}?'],
    ['{{uuidd}}', 'did you mean {{uuid}}?'],
    ['{{#items}}{{name}}{{/items}}', '{{#items}} stays in the text'],
    ['{{#body.items}}{{name}}{{/body.items}}', undefined],
    ['{{upper request.body.id}}', undefined],
    ['{{state "cart"}}{{#if body.a}}{{seq "n"}}{{/if}}', undefined],
    ['{{request.body.id}} {{now}} {{state.x}} {{! note }} {{ a + b }}', undefined],
  ])('warns of %s', (text, expected) => {
    const warnings: string[] = [];
    compileTemplate(text, { warn: (message) => warnings.push(message) });
    expect(warnings).toEqual(expected === undefined ? [] : [expect.stringContaining(expected)]);
    const ofValues: string[] = [];
    compileValue({ a: [text] }, undefined, (path, message) => ofValues.push(`${path} ${message}`));
    expect(ofValues).toEqual(warnings.map((message) => `/a/0 ${message}`));
  });
});
