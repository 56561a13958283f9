import { describe, expect, it } from '@jest/globals';
import { contentTypeIn, targetOf } from '../../src/templates/target.js';
import { compileTemplate } from '../../src/templates/template.js';
import { scopeOf } from './scope.js';

const SCOPE = { request: { body: { text: `a "b" & <c> ]]>'`, n: 5, none: null, list: [1, '<'] } } };
const render = (text: string, contentType?: string): string =>
  compileTemplate(text, { contentType }).render(scopeOf(SCOPE));

describe('what values are escaped for', () => {
  it.each<[string | undefined, string]>([
    ['application/json', 'json'],
    ['application/json; charset=utf-8', 'json'],
    ['application/x-amz-json-1.0', 'json'],
    ['Application/X-NDJSON', 'json'],
    ['application/vnd.api+json', 'json'],
    ['text/json', 'json'],
    ['application/jsonl', 'json'],
    ['application/json-seq', 'json'],
    ['application/xml', 'xml'],
    ['text/xml;charset=utf-8', 'xml'],
    ['application/soap+xml', 'xml'],
    ['image/svg+xml', 'xml'],
    ['text/plain', 'text'],
    ['text/html', 'text'],
    ['application/x-www-form-urlencoded', 'text'],
    ['application/vnd.kafka.binary.v2', 'auto'],
    ['{{request.headers.accept}}', 'auto'],
    ['', 'auto'],
    [undefined, 'auto'],
  ])('%s is %s', (contentType, target) => {
    expect(targetOf(contentType)).toBe(target);
  });

  it('is said by a header of any case', () => {
    expect(contentTypeIn({ a: 'b', 'CONTENT-type': ['x/y', 'z'] })).toBe('x/y');
    expect(contentTypeIn({ a: 'b' })).toBeUndefined();
    expect(contentTypeIn(undefined)).toBeUndefined();
  });

  it('is XML, in which CDATA holds text as it is', () => {
    expect(render('<a b="{{body.text}}">{{body.list}}</a>', 'text/xml')).toBe(
      '<a b="a &quot;b&quot; &amp; &lt;c&gt; ]]&gt;&apos;">[1,&quot;&lt;&quot;]</a>',
    );
    expect(render('<a>{{{body.text}}}</a>', 'application/soap+xml')).toBe(`<a>a "b" & <c> ]]>'</a>`);
    expect(render('<a><![CDATA[{{body.text}}]]>{{body.n}}<b>{{body.text}}</b></a>', 'text/xml')).toBe(
      `<a><![CDATA[a "b" & <c> ]]]]><![CDATA[>']]>5<b>a &quot;b&quot; &amp; &lt;c&gt; ]]&gt;&apos;</b></a>`,
    );
    expect(render('<a>{{body.text}}</a>', 'text/html')).toBe(`<a>a "b" & <c> ]]>'</a>`);
  });

  it('is JSON line by line', () => {
    const lines = render('{"t": "{{body.text}}"}\n{"n": {{body.n}}}\n', 'application/x-ndjson').split('\n');
    expect(JSON.parse(lines[0] ?? '')).toEqual({ t: SCOPE.request.body.text });
    expect(JSON.parse(lines[1] ?? '')).toEqual({ n: 5 });
  });

  it.each<[string, string]>([
    ['{"n": {{body.nothing}}}', '{"n": null}'],
    ['{"n": {{{body.nothing}}}, "m": {{ upper body.nothing }}}', '{"n": null, "m": }'],
    ['{"n": {{add body.nothing 1}}, "s": "{{body.nothing}}"}', '{"n": null, "s": ""}'],
    [
      '{"n": {{body.none}}, "l": [{{body.nothing}}, {{body.n}}, {{body.nothing}}]}',
      '{"n": null, "l": [null, 5, null]}',
    ],
    ['{"n": {{#if body.n}}{{body.nothing}}{{else}}{{body.nothing}}{{/if}}}', '{"n": null}'],
    ['{"n": 1{{body.nothing}}}', '{"n": 1}'],
    ['{"n": {{body.n}}{{body.nothing}}}', '{"n": 5}'],
    ['{"a": "{{body.nothing}}", "b": "x, {{body.nothing}}"}', '{"a": "", "b": "x, "}'],
  ])('%s gives %s', (text, rendered) => {
    expect(render(text, 'application/json')).toBe(rendered);
  });
});
