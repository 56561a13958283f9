import { describe, expect, it } from '@jest/globals';
import { frameEvent } from '../src/answer/sse.js';
import { parseCookies } from '../src/match/cookies.js';
import { jsonText, parseJsonPath, readJsonPath } from '@backlot/core/plugin';
import { cleanHeaderValue, isHeaderName, parseForm, readHeaders } from '@backlot/kit/http';

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

  it.each<[string, string, Record<string, string>]>([
    ['a boundary within a line is content', part('a', 'hello --B there'), { a: 'hello --B there' }],
    [
      'a line that only begins with the boundary is content',
      part('a', 'x\r\n--Bee\r\ny'),
      { a: 'x\r\n--Bee\r\ny' },
    ],
    ['white space may follow a delimiter', part('a', '1').replace('--B', '--B \t'), { a: '1' }],
    ['what stands before and behind is ignored', `preamble\r\n${part('a', '1')}`, { a: '1' }],
    ['a value may end with line breaks', part('a', '1\r\n\r\n'), { a: '1\r\n\r\n' }],
    ['names may hold quotes and backslashes', part('a\\"b\\\\c', '1'), { 'a"b\\c': '1' }],
    ['names are UTF-8', part('ä€', 'ö'), { 'ä€': 'ö' }],
    [
      'a file is a field, its name is not',
      '--B\r\ncontent-type: text/plain\r\nCONTENT-DISPOSITION: form-data; filename="name=\\"x\\".txt";\r\n name=f\r\n\r\ndata\r\n',
      { f: 'data' },
    ],
    ['a part without a name is left out', '--B\r\nContent-Disposition: form-data\r\n\r\n1\r\n', {}],
    ['a part without a head is left out', '--B\r\n\r\n1\r\n', {}],
    ['an empty part is left out', `--B\r\n${part('a', '1')}`, { a: '1' }],
    [
      'a name in quotes without end is none',
      '--B\r\nContent-Disposition: form-data; name="a\r\n\r\n1\r\n',
      {},
    ],
    [
      'header lines without end are left out',
      `--B\r\nX: ${'x'.repeat(9000)}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n${part('b', '2')}`,
      { b: '2' },
    ],
  ])('multipart: %s', (_, body, fields) => {
    const whole = Buffer.from(`${body}--B--\r\nbehind\r\n${part('z', 'z')}`);
    expect({ ...parseForm('multipart/form-data; charset=utf-8; boundary=B', whole) }).toEqual(fields);
  });

  it('are read as node writes them', async () => {
    const form = new FormData();
    const values = [
      '',
      'a',
      '--',
      '\r\n',
      '\r\n--',
      'x\r\n--formdata-undici-0\r\n',
      ' \t',
      'ä€😀',
      '"',
      '\\',
    ];
    for (const [index, value] of values.entries()) {
      form.append(`text ${index}`, value);
      form.append(`file ${index}`, new Blob([value]), `name="${value}".txt`);
      form.append('all', value);
    }
    const encoded = new Response(form);
    const type = encoded.headers.get('content-type') ?? '';
    const fields = parseForm(type, Buffer.from(await encoded.arrayBuffer()));
    for (const [index, value] of values.entries()) {
      expect(fields[`text ${index}`]).toBe(value);
      expect(fields[`file ${index}`]).toBe(value);
    }
    expect(fields['all']).toEqual(values);
  });

  it('hold a bounded number of parts and fields', () => {
    const parts = Array.from({ length: 1100 }, (_, n) => part(`p${n}`, 'x')).join('');
    expect(
      Object.keys(parseForm('multipart/form-data; boundary=B', Buffer.from(`${parts}--B--`))),
    ).toHaveLength(1000);
    const fields = Array.from({ length: 10_100 }, (_, n) => `f${n}=x`).join('&');
    expect(Object.keys(parseForm('application/x-www-form-urlencoded', Buffer.from(fields)))).toHaveLength(
      10_000,
    );
    const long = parseForm('application/x-www-form-urlencoded', Buffer.from(`a=${'ä+%2B'.repeat(1000)}`));
    expect(long['a']).toBe('ä +'.repeat(1000));
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
