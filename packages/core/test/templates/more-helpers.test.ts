import { createHash, createHmac } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { faker } from '@faker-js/faker/locale/en';
import { offerFaker } from '../../src/templates/helpers/faker.js';
import { compileTemplate, compileValue } from '../../src/templates/template.js';
import { scopeOf } from './scope.js';

const XML = '<o xmlns:m="urn:m"><i id="1">a &amp; b</i><i id="2">c</i><m:n>5</m:n></o>';
const SCOPE = {
  request: {
    raw_body: Uint8Array.of(0xff, 0x00, 0xfe),
    body: {
      n: 5,
      price: '12.345',
      words: ['x', 'y', 'z'],
      mixed: [1, null, { a: 1 }, 'a,b'],
      rows: [
        { id: 1, name: 'a "b"' },
        { id: 2, name: 'c, d\ne' },
      ],
      items: [
        { id: 1, name: 'mug' },
        { id: 2, name: 'tea' },
      ],
      text: '{"deep": [1, 2]}',
      xml: XML,
      path: '$.items[1].name',
      html: `<a href="x">&'</a>`,
      secret: 'key',
      mail: 'ü',
    },
  },
};
const render = (text: string): string => compileTemplate(text, { target: 'text' }).render(scopeOf(SCOPE));

describe('helpers of numbers and lists', () => {
  it.each<[string, string]>([
    [
      '{{add body.n 1}} {{add 0.1 0.2}} {{add 1 2 "3"}} {{sub body.n "7"}} {{mul body.n 1.1}}',
      '6 0.3 6 -2 5.5',
    ],
    ['{{div 10 4}} {{mod 7 3}} [{{div 1 0}}] [{{add body.none 1}}] [{{add body.words 1}}]', '2.5 1 [] [] []'],
    [
      '{{round body.price}} {{round body.price 2}} {{round 1.005 2}} {{round -2.5}} {{round 1234 -2}}',
      '12 12.35 1.01 -3 1200',
    ],
    ['{{round (mul body.price 2) 1}} {{round 1e21 2}} [{{round "x"}}] {{round -0.4}}', '24.7 1e+21 [] 0'],
    ['{{length body.words}} {{length "abc"}} {{length body.none}} {{length body.items.0}}', '3 3 0 2'],
    ['{{at body.words 0}} {{at body.words -1}} [{{at body.words 9}}] [{{at body.n 0}}]', 'x z [] []'],
    ['{{at body.words (sub (length body.words) 2)}}', 'y'],
    [
      '{{join body.words}} {{join body.words " / "}} {{join body.mixed "|"}} [{{join body.none ","}}]',
      'x,y,z x / y / z 1||{"a":1}|a,b []',
    ],
    ['{{upper (join body.words ",")}} {{length (join body.words "")}}', 'X,Y,Z 3'],
    [
      '{{csv body.words}}|{{csv body.mixed}}|{{csv "a,b"}}|{{csv body.words ";"}}',
      'x,y,z|1,,"{""a"":1}","a,b"|"a,b"|x;y;z',
    ],
    ['{{csv body.rows}}', '1,"a ""b"""\r\n2,"c, d\ne"'],
    ['{{xml_escape body.html}}', '&lt;a href=&quot;x&quot;&gt;&amp;&apos;&lt;/a&gt;'],
  ])('%s', (text, rendered) => {
    expect(render(text)).toBe(rendered);
  });
});

describe('helpers that search', () => {
  it.each<[string, string]>([
    ['{{json_path body "$.items[?@.id == 2].name"}}', 'tea'],
    ['{{json_path body "$.items[*].name"}} {{json_path body "$.items[5].name" "list"}}', '["mug","tea"] []'],
    [
      '{{json_path body.text "$.deep[-1]"}} [{{json_path "no json" "$.a"}}] [{{json_path body "$.none"}}]',
      '2 [] []',
    ],
    ['{{json_path body body.path}} [{{json_path body body.secret}}]', 'tea []'],
    ['{{#json_path body "$.items[*]"}}{{id}}{{/json_path}}', '12'],
    [
      '{{xpath body.xml "//i[@id=\'2\']"}} {{xpath body.xml "count(//i)"}} {{xpath body.xml "//m:n"}}',
      'c 2 5',
    ],
    [
      '{{xpath body.xml "//i"}} {{xpath body.xml "//q:n" "q" "urn:m"}} [{{xpath body.xml "//none"}}]',
      '["a & b","c"] 5 []',
    ],
    [
      '[{{xpath "no xml" "//a"}}] {{length (xpath body.xml "//i" "list")}} {{xpath body.xml "//i > 1"}}',
      '[] 2 false',
    ],
  ])('%s', (text, rendered) => {
    expect(render(text)).toBe(rendered);
  });

  it('keeps types', () => {
    const value = { a: '{{json_path body "$.items[0]"}}', b: '{{xpath body.xml "count(//i)"}}' };
    expect(compileValue(value).render(scopeOf(SCOPE))).toEqual({ a: { id: 1, name: 'mug' }, b: 2 });
  });

  it.each([
    '{{json_path body "items"}}',
    '{{xpath body "//["}}',
    '{{json_path body}}',
    '{{at body.words "x"}}',
    '{{hmac "sha9" "k" "x"}}',
    '{{hash "md5" "x" "octal"}}',
  ])('refuses %s', (text) => {
    expect(() => compileTemplate(text)).toThrow();
  });
});

describe('helpers of bytes', () => {
  const bytes = Buffer.from([0xff, 0x00, 0xfe]);
  it.each<[string, string]>([
    ['{{hmac "sha256" body.secret "text"}}', createHmac('sha256', 'key').update('text').digest('hex')],
    ['{{hmac "sha1" "k" request.raw_body "base64"}}', createHmac('sha1', 'k').update(bytes).digest('base64')],
    [
      '{{hmac "sha512" "k" body.mail "base64url"}}',
      createHmac('sha512', 'k').update('ü').digest('base64url'),
    ],
    ['{{hash "sha256" request.raw_body}}', createHash('sha256').update(bytes).digest('hex')],
    ['{{hash "sha384" "x" "base64"}}', createHash('sha384').update('x').digest('base64')],
    ['{{base64url_hash "sha256" "verifier"}}', createHash('sha256').update('verifier').digest('base64url')],
    ['{{base64 request.raw_body}} {{base64url request.raw_body}}', '/wD+ _wD-'],
  ])('%s', (text, rendered) => {
    expect(render(text)).toBe(rendered);
  });
});

describe('fake with @faker-js/faker', () => {
  beforeAll(() => offerFaker(faker));

  it('makes the same for the same seed, and goes by the clock', () => {
    const text =
      '{{fake "person.firstName"}} {{fake "internet.email"}} {{fake "number.int"}} {{fake "date.past"}}';
    const made = (seed: number): string =>
      compileTemplate(text, { target: 'text' }).render(scopeOf({ seed }));
    expect(made(1)).toBe(made(1));
    expect(made(1)).not.toBe(made(2));
    expect(made(1)).toMatch(/^\S+ \S+@\S+ \d+ 202[56]-/);
    expect(compileValue('{{fake "datatype.boolean"}}').render(scopeOf())).toEqual(expect.any(Boolean));
    expect(
      compileTemplate('{{fake vars.kind}} {{fake vars.own}} [{{fake vars.none}}]').render(
        scopeOf({ vars: { kind: 'location.city', own: 'city', none: 'no.such' } }),
      ),
    ).toMatch(/^\S.* \S+ \[\]$/);
  });

  it.each<[string, RegExp]>([
    ['{{fake "person.firstNam"}}', /did you mean "person.firstName"/],
    ['{{fake "date.between"}}', /makes nothing by itself/],
    ['{{fake "helpers.fake"}}', /has no "helpers.fake"/],
    ['{{fake "nam"}}', /or a name of @faker-js\/faker/],
  ])('refuses %s', (text, message) => {
    expect(() => compileTemplate(text)).toThrow(message);
  });
});
