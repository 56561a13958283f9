import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { isBacklotError } from '../../src/errors.js';
import { compileTemplate } from '../../src/templates/template.js';
import { scopeOf, type ScopeOptions } from './scope.js';

const SCOPE: ScopeOptions = {
  request: {
    method: 'POST',
    body: {
      id: 7,
      name: ' Ada "A" ',
      tags: ['x', 'y'],
      empty: '',
      none: null,
      zero: 0,
      layout: '2006',
      key: 'cart:1',
    },
    raw_body: '{"id":7}',
    query: { page: '3', bad: 'zzz', n: '5' },
    headers: { 'x-kind': 'sha256' },
    params: {},
  },
  state: { 'cart:1': 'full', plain: 'yes' },
  vars: { region: 'eu' },
};
const render = (text: string, options: ScopeOptions = SCOPE): string =>
  compileTemplate(text, { target: 'text' }).render(scopeOf(options));
const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('helpers', () => {
  it.each<[string, string]>([
    ['{{now}}', '2026-03-07T09:05:03.045Z'],
    ['{{ now }}', '2026-03-07T09:05:03.045Z'],
    ['{{date "2006-01-02"}}', '2026-03-07'],
    ["{{date '15:04'}}", '09:05'],
    ['{{date `Jan 2`}}', 'Mar 7'],
    ['{{date rfc3339}}', '2026-03-07T09:05:03.045Z'],
    ['{{date "unix"}}', '1772874303'],
    ['{{date request.body.layout}}', '2026'],
    ['{{date request.body.name}}', ''],
    ['{{date_add "2006-01-02" "24h"}}', '2026-03-08'],
    ['{{date_add "2006-01-02T15:04:05Z" "-1d"}}', '2026-03-06T09:05:03Z'],
    ['{{date_add unix_ms 1s}}', '1772874304045'],
    ['{{date_add "2006" request.body.name}}', '2026'],
    ['{{rand_int 5 5}}', '5'],
    ['{{rand_int request.query.n 5}}', '5'],
    ['{{rand_int 1 request.query.bad}}', ''],
    ['{{rand_int 1 request.query.missing}}', ''],
    ['{{rand_float 2 2}}', '2'],
    ['{{rand_string 0}}', ''],
    ['{{pick "only"}}', 'only'],
    ['{{pick request.body.name}}', ' Ada "A" '],
    ['{{seq "a"}} {{seq "a"}} {{seq b}} {{seq "a"}}', '1 2 1 3'],
    ['{{lorem 3}}', 'lorem ipsum dolor'],
    ['{{upper request.body.name}}', ' ADA "A" '],
    ['{{upper .request.method}}', 'POST'],
    ['{{lower "ÄB"}}', 'äb'],
    ['{{trim request.body.name}}', 'Ada "A"'],
    ['{{upper request.body.missing}}', ''],
    ['{{default request.query.page "1"}}', '3'],
    ['{{default request.query.none "1"}}', '1'],
    ['{{default request.body.empty "e"}}', 'e'],
    ['{{default request.body.none 5}}', '5'],
    ['{{default request.body.zero 5}}', '0'],
    ['{{default nothing vars.region}}', 'eu'],
    ['{{json request.body.tags}}', '["x","y"]'],
    ['{{json request.body.name}}', '" Ada \\"A\\" "'],
    ['{{json request.body.missing}}', 'null'],
    ['{{base64 "hé"}}', 'aMOp'],
    ['{{base64_decode "aMOp"}}', 'hé'],
    ['{{url_encode "a b&c/é"}}', 'a%20b%26c%2F%C3%A9'],
    ['{{hash "sha256" request.raw_body}}', sha('{"id":7}')],
    ['{{hash sha256 "x"}}', sha('x')],
    ['{{hash headers.X-Kind "x"}}', sha('x')],
    ['{{hash request.query.bad "x"}}', ''],
    ['{{hash "md5" ""}}', 'd41d8cd98f00b204e9800998ecf8427e'],
    ['{{state "cart:1"}}', 'full'],
    ['{{state plain}}', 'yes'],
    ['{{state request.body.key}}', 'full'],
    ['{{state "nothing"}}', ''],
    ['{{upper "a}}b"}}', 'A}}B'],
    ['{{upper "say \\"hi\\" \\u00e9\\n"}}', 'SAY "HI" É\n'],
    ['{{upper \\"json quoted\\"}}', 'JSON QUOTED'],
    ['{{upper true}}', 'TRUE'],
    ['{{upper now}}', '2026-03-07T09:05:03.045Z'],
  ])('%s gives %j', (text, rendered) => {
    expect(render(text)).toBe(rendered);
  });

  it.each<[string, RegExp]>([
    ['{{uuid}}', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/],
    ['{{default request.body.none uuid}}', /^[0-9a-f-]{36}$/],
    ['{{rand_int}}', /^\d+$/],
    ['{{rand_int 1 100}}', /^(\d{1,2}|100)$/],
    ['{{rand_int -5 -1}}', /^-[1-5]$/],
    ['{{rand_int 9}}', /^\d$/],
    ['{{rand_float}}', /^0\.\d+$/],
    ['{{rand_float 1.5 2.5}}', /^[12]\.\d+$/],
    ['{{rand_float 0 100 1}}', /^\d+(\.\d)?$/],
    ['{{rand_string}}', /^[A-Za-z0-9]{16}$/],
    ['{{rand_string 8 "hex"}}', /^[0-9a-f]{8}$/],
    ['{{rand_string 8 "xy"}}', /^[xy]{8}$/],
    ['{{rand_string 40}}', /^[A-Za-z0-9]{40}$/],
    ['{{rand_bool}}', /^(true|false)$/],
    ['{{pick "red" "green" "blue"}}', /^(red|green|blue)$/],
    ['{{pick request.body.tags}}', /^[xy]$/],
    ['{{fake "name"}}', /^\w+ \w+$/],
    ['{{fake first_name}}', /^[A-Z]\w+$/],
    ['{{fake "last_name"}}', /^[A-Z]\w+$/],
    ['{{fake "email"}}', /^[\w.]+@example\.(com|org|net)$/],
    ['{{fake "username"}}', /^[a-z.]+\d+$/],
    ['{{fake "phone"}}', /^\+1-\d{3}-555-01\d\d$/],
    ['{{fake "company"}}', /^\w+ [\w& ]+$/],
    ['{{fake "city"}}', /^\w+$/],
    ['{{fake "country"}}', /^\w+$/],
    ['{{fake "street"}}', /^\d+ \w+ \w+$/],
    ['{{fake "zip"}}', /^\d{5}$/],
    ['{{fake "ip"}}', /^(192\.0\.2|198\.51\.100|203\.0\.113)\.\d+$/],
    ['{{fake "ipv6"}}', /^2001:db8:[0-9a-f:]+$/],
    ['{{fake "url"}}', /^https:\/\/example\.\w+\/\w+\/\d+$/],
    ['{{fake "useragent"}}', /^(Mozilla|curl)\//],
    ['{{fake "word"}}', /^[a-z]+$/],
    ['{{fake "sentence"}}', /^[A-Z][a-z ]+\.$/],
  ])('%s fits %s', (text, form) => {
    for (let seed = 0; seed < 20; seed += 1) {
      expect(render(text, { ...SCOPE, seed })).toMatch(form);
    }
  });

  it('repeats with the same seed and differs with another', () => {
    const text =
      '{{uuid}} {{rand_int 1 1000000}} {{rand_string 8}} {{fake "email"}} {{pick "a" "b"}} {{rand_float}}';
    expect(render(text, { seed: 5 })).toBe(render(text, { seed: 5 }));
    expect(render(text, { seed: 5 })).not.toBe(render(text, { seed: 6 }));
  });

  it.each<[string, string]>([
    ['{{date}}', 'date "2006-01-02"'],
    ['{{now "x"}}', 'got 1 arguments'],
    ['{{rand_int 1 2 3}}', 'got 3 arguments'],
    ['{{rand_int "a" 3}}', 'must be a whole number'],
    ['{{rand_int 1.5 3}}', 'must be a whole number'],
    ['{{rand_int 3 1}}', '3 is greater than 1'],
    ['{{rand_int true 3}}', 'whole number'],
    ['{{rand_float x" 3}}', 'close every quote'],
    ['{{rand_string 1000000000}}', '65536'],
    ['{{rand_string 1e9}}', '65536'],
    ['{{rand_string -1}}', 'from 0 to'],
    ['{{lorem 1000000}}', '10000'],
    ['{{date "YYYY-MM-DD"}}', 'no part of a date'],
    ['{{date_add "2006" "tomorrow"}}', 'not a duration'],
    ['{{date_add "2006"}}', 'got 1 arguments'],
    ['{{fake "emial"}}', 'unknown kind "emial"'],
    ['{{fake constructor}}', 'unknown kind'],
    ['{{hash "sha3" "x"}}', 'unknown algorithm "sha3"'],
    ['{{upper}}', 'got 0 arguments'],
    ['{{upper "a" "b"}}', 'got 2 arguments'],
    ['{{upper "a}}', 'quote'],
    ['{{upper "a"b}}', 'quote'],
    ['{{upper =}}', 'neither a quoted text'],
    ['{{state}}', 'state "key"'],
    ['{{request.body.id | upper}}', 'takes no arguments'],
    ['{{#request.body x}}{{/request.body x}}', 'takes no arguments'],
  ])('%s is refused', (text, words) => {
    let thrown: unknown;
    try {
      compileTemplate(text);
    } catch (error) {
      thrown = error;
    }
    expect(isBacklotError(thrown) && thrown.status).toBe(400);
    expect((thrown as Error).message).toContain(words);
  });

  it('caps what a message asks for', () => {
    const options = { request: { body: { n: 1e9, date: '9'.repeat(50) } } };
    expect(render('{{rand_string request.body.n}}', options)).toHaveLength(65_536);
    expect(render('{{lorem request.body.n}}', options).split(' ')).toHaveLength(10_000);
    expect(render('{{date_add "2006" request.body.date}}', options)).toBe('2026');
    expect(render('{{now}}', { now: 1e300 })).toBe('+275760-09-13T00:00:00.000Z');
  });

  it('hashes and encodes bytes as they are, and texts that UTF-8 cannot hold', () => {
    const bytes = new Uint8Array([0xff, 0x00, 0xfe]);
    const options = { request: { raw_body: bytes, body: '\ud800' } };
    expect(render('{{base64 request.raw_body}}', options)).toBe('/wD+');
    expect(render('{{hash "md5" request.raw_body}}', options)).toBe(
      createHash('md5').update(bytes).digest('hex'),
    );
    expect(render('{{url_encode body}}', options)).toBe('%EF%BF%BD');
  });
});
