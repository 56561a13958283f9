import { describe, expect, it } from '@jest/globals';
import { DEFAULT_OPTIONS, parseConnect } from '../src/wire/connect-options.js';
import { ERRORS } from '../src/wire/errors.js';
import { encodeHeaders, lowerNames, parseHeaders } from '../src/wire/headers.js';
import { NatsFramer } from '../src/wire/nats-framer.js';
import { parseHpub, parseLine, parsePub, parseSub, parseUnsub } from '../src/wire/operation.js';
import { fromWire, isLiteral, isSubscribable, toWire, whyNotPublishable } from '../src/wire/subject.js';

describe('control lines', () => {
  it.each([
    ['PUB a 1', 'PUB', 'a 1'],
    ['hpub\ta 1', 'HPUB', 'a 1'],
    ['Ping', 'PING', ''],
    ['CONNECT   {"a": "b c"} ', 'CONNECT', '{"a": "b c"} '],
    ['', '', ''],
  ])('%j is parted', (line, name, rest) => {
    expect(parseLine(Buffer.from(line))).toEqual({ name, rest });
  });

  it('may not hold a lone CR', () => {
    expect(() => parseLine(Buffer.from('PUB a\rb 1'))).toThrow(ERRORS.parser);
  });

  it('of PUB have a subject, perhaps a reply subject, and a size', () => {
    expect(parsePub('a 5', 10)).toEqual({ subject: 'a', reply: '', headerSize: 0, size: 5 });
    expect(parsePub(' a\tr  010 ', 10)).toEqual({ subject: 'a', reply: 'r', headerSize: 0, size: 10 });
  });

  it('of HPUB have two sizes', () => {
    expect(parseHpub('a 12 17', 20)).toEqual({ subject: 'a', reply: '', headerSize: 12, size: 17 });
    expect(parseHpub('a r 12 12', 20)).toEqual({ subject: 'a', reply: 'r', headerSize: 12, size: 12 });
  });

  it.each([
    ['', ERRORS.unknownOperation],
    ['a', ERRORS.parser],
    ['a b c d', ERRORS.parser],
    ['a -1', ERRORS.parser],
    ['a +1', ERRORS.parser],
    ['a 1x', ERRORS.parser],
    ['a 0x10', ERRORS.parser],
    ['a 11', ERRORS.payload],
    ['a 2147483648', ERRORS.payload],
    [`a ${'9'.repeat(400)}`, ERRORS.payload],
    [`a ${'0'.repeat(400)}`, ERRORS.payload],
  ])('PUB %j is refused', (rest, text) => {
    expect(() => parsePub(rest, 10)).toThrow(text);
  });

  it.each([
    ['', ERRORS.unknownOperation],
    ['a 1', ERRORS.parser],
    ['a b 1', ERRORS.parser],
    ['a b c 1 2', ERRORS.parser],
    ['a 5 2', ERRORS.parser],
    ['a -5 2', ERRORS.parser],
    ['a 5 -2', ERRORS.parser],
    ['a 5 11', ERRORS.payload],
    ['a 4294967296 4294967296', ERRORS.payload],
  ])('HPUB %j is refused', (rest, text) => {
    expect(() => parseHpub(rest, 10)).toThrow(text);
  });

  it('of SUB and UNSUB name a subscription', () => {
    expect(parseSub('a 1')).toEqual({ subject: 'a', queue: '', sid: '1' });
    expect(parseSub('a q 1')).toEqual({ subject: 'a', queue: 'q', sid: '1' });
    expect(parseUnsub('1')).toEqual({ sid: '1', max: 0 });
    expect(parseUnsub('1 5')).toEqual({ sid: '1', max: 5 });
    expect(parseUnsub('1 x')).toEqual({ sid: '1', max: 0 });
    for (const rest of ['a', 'a b c d']) expect(() => parseSub(rest)).toThrow(ERRORS.parser);
    expect(() => parseUnsub('1 2 3')).toThrow(ERRORS.parser);
    expect(() => parseUnsub('')).toThrow(ERRORS.unknownOperation);
  });
});

describe('CONNECT', () => {
  it('fills in what is left out, and takes names in any case', () => {
    expect(parseConnect('{}')).toEqual(DEFAULT_OPTIONS);
    expect(parseConnect('null')).toEqual(DEFAULT_OPTIONS);
    expect(
      parseConnect(
        '{"VERBOSE":false,"echo":false,"headers":true,"no_responders":true,"user":"u","pass":null,"x":{}}',
      ),
    ).toMatchObject({
      verbose: false,
      pedantic: true,
      echo: false,
      noResponders: true,
      username: 'u',
      password: '',
    });
  });

  it.each([
    ['', ERRORS.parser],
    ['{', ERRORS.parser],
    ['[]', ERRORS.parser],
    ['1', ERRORS.parser],
    ['{"verbose":"yes"}', ERRORS.parser],
    ['{"lang":5}', ERRORS.parser],
    ['{"protocol":2}', ERRORS.clientProtocol],
    ['{"no_responders":true}', ERRORS.noRespondersWithoutHeaders],
  ])('%j is refused', (json, text) => {
    expect(() => parseConnect(json)).toThrow(text);
  });
});

describe('headers', () => {
  it('are read with every value, in the case they have', () => {
    const bytes = Buffer.from(
      'NATS/1.0\r\nA: 1\r\na:2\r\nA:  3 \r\nB:\r\nnone\r\n: x\r\n__proto__: y\r\n\r\n',
    );
    const headers = parseHeaders(bytes);
    expect(Object.entries(headers)).toEqual([
      ['A', ['1', '3']],
      ['a', '2'],
      ['B', ''],
      ['__proto__', 'y'],
    ]);
    expect(Object.entries(lowerNames(headers))).toEqual([
      ['a', ['1', '3', '2']],
      ['b', ''],
      ['__proto__', 'y'],
    ]);
  });

  it('hold the status of the first line', () => {
    expect({ ...parseHeaders(Buffer.from('NATS/1.0 503\r\n\r\n')) }).toEqual({ Status: '503' });
    expect({ ...parseHeaders(Buffer.from('NATS/1.0 100 Idle Heartbeat\r\nA: b\r\n\r\n')) }).toEqual({
      Status: '100',
      Description: 'Idle Heartbeat',
      A: 'b',
    });
    expect({ ...parseHeaders(Buffer.from('garbage')) }).toEqual({});
  });

  it('are written, a status first', () => {
    const encode = (...headers: [string, string][]): string => encodeHeaders(headers).toString();
    expect(encode(['A', '1'], ['A', '2\r\nB: x'])).toBe('NATS/1.0\r\nA: 1\r\nA: 2 B: x\r\n\r\n');
    expect(encode(['A', 'b'], ['Status', '404'], ['Description', 'No Messages'])).toBe(
      'NATS/1.0 404 No Messages\r\nA: b\r\n\r\n',
    );
    expect(encode(['Status', 'fine'], ['Description', 'x'])).toBe(
      'NATS/1.0\r\nStatus: fine\r\nDescription: x\r\n\r\n',
    );
  });
});

describe('subjects', () => {
  it('are told apart', () => {
    for (const subject of ['a', 'a.b', '*', '>', 'a.*.>', 'a*.b', 'a.>b'])
      expect([subject, isSubscribable(subject)]).toEqual([subject, true]);
    for (const subject of ['', '.', 'a.', '.a', 'a..b', '>.a', 'a.>.*', 'a.'.repeat(200) + 'a']) {
      expect([subject, isSubscribable(subject)]).toEqual([subject, false]);
    }
    expect([isLiteral('a.b*'), isLiteral('a.*'), isLiteral('a..b')]).toEqual([true, false, false]);
    expect(whyNotPublishable('a b')).toContain('white space');
    expect(whyNotPublishable('a.b')).toBeUndefined();
  });

  it('are bytes on the wire', () => {
    expect(toWire('ä')).toBe('\xc3\xa4');
    expect(fromWire('\xc3\xa4')).toBe('ä');
    expect([toWire('abc'), fromWire('abc')]).toEqual(['abc', 'abc']);
  });
});

describe('the framer', () => {
  function cut(chunks: readonly string[], limit = 20): string[] {
    const frames: string[] = [];
    const framer = new NatsFramer(limit, 1024 * 1024);
    for (const chunk of chunks) {
      framer.push(Buffer.from(chunk), (frame) => {
        const text = frame.toString();
        frames.push(text);
        if (text.startsWith('PUB')) framer.expectBytes(Number(text.slice(4)) + 2);
      });
    }
    return frames;
  }

  it('cuts lines and payloads, however they come', () => {
    const text = 'PING\r\nPUB 4\r\n\r\n\r\n\r\nPONG\n';
    const frames = ['PING', 'PUB 4', '\r\n\r\n\r\n', 'PONG'];
    expect(cut([text])).toEqual(frames);
    expect(cut([...text])).toEqual(frames);
  });

  it('refuses at once what can become nothing', () => {
    expect(() => cut(['A'])).toThrow('no operation');
    expect(() => cut(['PING\r\n', '\r'])).toThrow('no operation');
    expect(cut(['CONNECT ' + 'a'.repeat(20) + '\n'])).toHaveLength(1);
    expect(() => cut(['CONNECT ' + 'a'.repeat(21)])).toThrow('28 bytes');
    expect(() => cut(['C', ...'a'.repeat(40)])).toThrow('28 bytes');
  });
});
