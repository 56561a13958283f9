import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { isBacklotError } from '../../src/errors.js';
import { MessageView } from '../../src/pipeline/request-view.js';
import { compileTemplate, compileValue, type TemplateScope } from '../../src/templates/template.js';
import { isLargeJson } from '../../src/validation/json-size.js';
import { scopeOf } from './scope.js';

afterEach(() => {
  jest.restoreAllMocks();
});

const noParams = (): Record<string, string> => ({});

function viewOf(body: string | Uint8Array): MessageView {
  return new MessageView({ method: 'POST', path: '/', remote: '', body }, noParams);
}

function codeOf(action: () => unknown): unknown {
  try {
    action();
    return undefined;
  } catch (error) {
    return isBacklotError(error) ? error.code : error;
  }
}

function messageOf(action: () => unknown): string {
  try {
    action();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

/** A scope that counts how often state is read. */
function countingScope(vars: Record<string, unknown>): { scope: TemplateScope; reads: () => number } {
  let reads = 0;
  const state = (): undefined => {
    reads += 1;
    return undefined;
  };
  return { scope: { ...scopeOf({ vars }), state }, reads: () => reads };
}

describe('the work of one rendering', () => {
  it('decodes a body once for all the tags that name it', () => {
    const decode = jest.spyOn(TextDecoder.prototype, 'decode');
    const request = viewOf(Buffer.from('{"list": [1, 2, 3, 4]}'));
    const template = compileTemplate(
      '{{#request.body.list}}{{request.raw_body}}{{/request.body.list}}{{raw_body}}',
    );
    const text = template.render({ ...scopeOf(), request });
    expect(text.match(/"list"/g)).toHaveLength(4);
    expect(decode).toHaveBeenCalledTimes(1);
  });

  it('counts tags that give nothing', () => {
    const { scope, reads } = countingScope({ list: Array.from({ length: 20_000 }, () => 1) });
    const template = compileTemplate(`{{#vars.list}}${'{{state.x}}'.repeat(1000)}{{/vars.list}}`);
    expect(codeOf(() => template.render(scope))).toBe('too_large');
    // A tag in a section is 50 units of 32,000,000.
    expect(reads()).toBeGreaterThan(500_000);
    expect(reads()).toBeLessThan(1_200_000);
  });

  it.each([
    ['{{upper vars.text}}', 20],
    ['{{url_encode vars.text}}', 20],
    ['{{json vars.text}}', 20],
    ['{{hash "md5" vars.text}}', 20],
    ['{{base64_decode vars.text}}', 20],
    ['{{rand_string 65536 "hex"}}', 20],
    ['{{rand_string 65536}}', 20],
    ['{{lorem 10000}}', 100],
    ['{{date vars.text}}', 200],
    ['{{json row}}', 20],
  ])('counts what %s copies, whatever it gives', (tag, most) => {
    const text = 'x'.repeat(1_000_000);
    const { scope, reads } = countingScope({
      list: Array.from({ length: 1000 }, () => ({ row: { text } })),
      text,
    });
    // What a section takes is made and leaves no output.
    const expression = tag.slice(2, -2);
    const template = compileTemplate(
      `{{#vars.list}}{{state.x}}{{^${expression}}}{{/${expression}}}{{/vars.list}}`,
    );
    expect(codeOf(() => template.render(scope))).toBe('too_large');
    expect(reads()).toBeLessThanOrEqual(most);
  });

  it.each([
    ['text', '{{json vars.object}}{{vars.object}}'],
    ['json', '[{{vars.object}},{{json vars.object}},"{{vars.object}}"],'],
    ['xml', '<a>{{vars.object}}<![CDATA[{{vars.object}}]]></a>'],
  ] as const)('makes the JSON of one object once, however many passes write it: %s', (target, tags) => {
    const stringify = jest.spyOn(JSON, 'stringify');
    const object = { text: 'x'.repeat(1_000_000) };
    const template = compileTemplate(`{{#vars.list}}${tags}{{/vars.list}}`, { target });
    template.render({ ...scopeOf(), vars: { list: [1, 2], object } });
    expect(stringify.mock.calls.filter(([value]) => value === object)).toHaveLength(1);
  });

  it('leaves a body of very many values as text', () => {
    const list = `[${'1,'.repeat(300_000)}1]`;
    expect(viewOf(list).get('body')).toBe(list);
    expect(viewOf(`[${'1,'.repeat(100_000)}1]`).get('body')).toHaveLength(100_001);
    const text = JSON.stringify({ text: ',[{"'.repeat(300_000) });
    expect(viewOf(text).get('body')).toEqual(JSON.parse(text));
  });

  it('takes only so many characters of a layout and of letters', () => {
    const scope = scopeOf({ vars: { layout: '2006'.repeat(1000), letters: `${'a'.repeat(1000)}b` } });
    expect(compileTemplate('{{date vars.layout}}').render(scope)).toBe('2026'.repeat(250));
    expect(compileTemplate('{{rand_string 1000 vars.letters}}').render(scope)).toBe('a'.repeat(1000));
  });
});

describe('isLargeJson', () => {
  it('counts members of wide objects more', () => {
    const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 70_000 }, (_, i) => [`k${i}`, 1])));
    const narrow = JSON.stringify(Array.from({ length: 35_000 }, () => ({ a: 1, b: 2 })));
    expect([isLargeJson(wide), isLargeJson(narrow)]).toEqual([true, false]);
  });

  it('counts nothing inside of texts', () => {
    expect(isLargeJson(JSON.stringify('\\",[{'.repeat(200_000)))).toBe(false);
    expect(isLargeJson(`[${JSON.stringify('\\\\\\"",[{\\'.repeat(200_000))},""]`)).toBe(false);
    expect(isLargeJson(`["${'\\\\'.repeat(300_000)}"${',{}'.repeat(130_000)}]`)).toBe(true);
  });

  it('stops where there is too much', () => {
    expect(isLargeJson('['.repeat(300_000))).toBe(true);
    expect(isLargeJson('['.repeat(200_000))).toBe(false);
    expect(isLargeJson(` \n${'['.repeat(300_000)}`)).toBe(true);
    expect(isLargeJson(`1${'['.repeat(300_000)}`)).toBe(false);
  });
});

describe('the size of a template', () => {
  it.each([
    ['{{request.path}}'.repeat(400_000), '20000 tags'],
    ['{{request.path}}'.repeat(5001), '5001 tags'],
    ['{{x '.repeat(400_000), '20000'],
    ['{{{'.repeat(400_000), '20000'],
    [`{{#vars${'.a'.repeat(300)}}}{{/vars${'.a'.repeat(300)}}}`, '301 names'],
    [`{{date "${'2006'.repeat(300)}"}}`, '1200 characters'],
  ])('%.30s is refused', (text, words) => {
    expect(codeOf(() => compileTemplate(text))).toBe('invalid');
    expect(messageOf(() => compileTemplate(text))).toContain(words);
  });

  it('takes a large text that holds few tags, and as many tags as are allowed', () => {
    const text = `${'{ "a": [1, 2, 3] }\n'.repeat(100_000)}{{request.path}}`;
    const scope = scopeOf({ request: { path: '/x' } });
    expect(compileTemplate(text).render(scope)).toBe(text.replace('{{request.path}}', '/x'));
    expect(compileTemplate('{{request.path}}'.repeat(5000)).render(scope)).toBe('/x'.repeat(5000));
  });

  it('looks only at the ends of a text of very many values to see whether it is JSON', () => {
    const parse = jest.spyOn(JSON, 'parse');
    const many = '1,'.repeat(300_000);
    expect(compileTemplate(`[${many}1]`).target).toBe('json');
    expect(compileTemplate(`[${many}1`).target).toBe('text');
    expect(compileTemplate(`["{{request.path}}",${many}1]`).target).toBe('json');
    expect(parse).not.toHaveBeenCalled();
  });

  it('bounds the tags and the members of a structured answer', () => {
    const many = Array.from({ length: 6000 }, () => '{{request.path}}');
    expect(messageOf(() => compileValue(many))).toContain('5001 tags');
    expect(messageOf(() => compileValue(['{{now}}', ...Array.from({ length: 100_000 }, () => 1)]))).toContain(
      '100001 members',
    );
    expect(compileValue(Array.from({ length: 100_001 }, () => 'x')).constant).toBe(true);
  });

  it('names at most a hundred problems of a structured answer', () => {
    try {
      compileValue(Array.from({ length: 1000 }, () => '{{#a}}'));
    } catch (error) {
      expect(isBacklotError(error) && error.details).toHaveLength(100);
    }
    expect.assertions(1);
  });
});
