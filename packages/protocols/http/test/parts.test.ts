import { describe, expect, it } from '@jest/globals';
import { frameEvent } from '../src/answer/sse.js';
import { parseCookies } from '../src/match/cookies.js';
import { parseForm } from '../src/match/form.js';
import { jsonText, parseJsonPath, readJsonPath } from '@backlot/core/plugin';
import { cleanHeaderValue, isHeaderName, readHeaders } from '@backlot/kit';

describe('a place in JSON', () => {
  it.each([
    ['a.b', ['a', 'b']],
    ['a[0].b[12]', ['a', '0', 'b', '12']],
    ['$.a', ['a']],
    ['$[0]', ['0']],
    ['a\\.b.c', ['a.b', 'c']],
    ['', []],
  ])('%s', (source, steps) => {
    expect(parseJsonPath(source)).toEqual(steps);
  });

  it('is read through own members and list indexes only', () => {
    const value: unknown = JSON.parse('{"a": [{"b": null}, [1]], "__proto__": {"c": 1.50}}');
    const read = (source: string): string | undefined => jsonText(readJsonPath(value, parseJsonPath(source)));
    expect([
      read('a.0.b'),
      read('a.1.0'),
      read('a.1'),
      read('a.length'),
      read('__proto__.c'),
      read('toString'),
      read('a.0.b.c'),
    ]).toEqual(['null', '1', '[1]', undefined, '1.5', undefined, undefined]);
  });
});

describe('cookies', () => {
  it('are read as clients write them', () => {
    expect({ ...parseCookies('a=1;b="q";  c=%20x; a=2; d; e=f=g; h=%zz') }).toEqual({
      a: '1',
      b: 'q',
      c: ' x',
      e: 'f=g',
      h: '%zz',
    });
    expect({ ...parseCookies(undefined) }).toEqual({});
    expect(Object.hasOwn(parseCookies('__proto__=1'), '__proto__')).toBe(true);
  });
});

describe('forms', () => {
  const part = (name: string, value: string): string =>
    `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

  it('multipart fields may repeat, be empty and be called anything', () => {
    const body = Buffer.from(
      `${part('a', '1')}${part('a', '2\r\n3')}${part('a', '4')}${part('__proto__', '')}--B--\r\n`,
    );
    const fields = parseForm('multipart/form-data; boundary=B', body);
    expect(fields['a']).toEqual(['1', '2\r\n3', '4']);
    expect(Object.hasOwn(fields, '__proto__')).toBe(true);
    expect(Object.keys(parseForm('multipart/form-data; boundary="B"', body))).toEqual(['a', '__proto__']);
  });

  it.each([
    ['multipart/form-data', '--B'],
    ['multipart/form-data; boundary=B', '--B'],
    ['multipart/form-data; boundary=B', '--B\r\nno end'],
    ['multipart/form-data; boundary=B', '--B--B--B'],
    [`multipart/form-data; boundary=${'B'.repeat(71)}`, '--B'],
    ['application/json', '{"a": 1}'],
  ])('%s with %j has none', (type, body) => {
    expect(Object.keys(parseForm(type, Buffer.from(body)))).toEqual([]);
  });
});

describe('headers', () => {
  it('are joined as RFC 9110 has it', () => {
    const { joined, repeated } = readHeaders([
      'A',
      '1',
      'a',
      '2',
      'Cookie',
      'x=1',
      'cookie',
      'y=2',
      'Host',
      'h',
      'host',
      'i',
    ]);
    expect({ ...joined }).toEqual({ a: '1, 2', cookie: 'x=1; y=2', host: 'h' });
    expect(repeated?.get('a')).toEqual(['1', '2']);
  });

  it('of HTTP/2 lose their pseudo headers', () => {
    expect({ ...readHeaders([':method', 'GET', ':authority', 'h', 'a', 'b']).joined }).toEqual({
      a: 'b',
      host: 'h',
    });
    expect({ ...readHeaders([':authority', 'h', 'host', 'i']).joined }).toEqual({ host: 'i' });
  });

  it('have names that are tokens and values without control characters', () => {
    expect(['X-A', '__proto__', 'a!#$'].every(isHeaderName)).toBe(true);
    expect(['', 'a b', 'a:', 'ä', 'a\n'].some(isHeaderName)).toBe(false);
    expect(cleanHeaderValue('a\r\nb\0c\td')).toBe('a b c\td');
    expect(cleanHeaderValue('é')).toBe('Ã©');
  });
});

describe('server-sent events', () => {
  it('hold no line breaks outside of their data', () => {
    expect(frameEvent({ data: 'a\rb', event: 'e\nf', id: '1\r\n2\0' })).toBe(
      'id: 1 2 \nevent: e f\ndata: a\ndata: b\n\n',
    );
    expect(frameEvent({ data: '' })).toBe('data: \n\n');
  });
});
