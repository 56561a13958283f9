import { describe, expect, it } from '@jest/globals';
import packet from 'dns-packet';
import { makeAnswerRecord } from '../src/wire/answer-record.js';
import { parseName } from '../src/wire/name.js';
import { MessageWriter } from '../src/wire/message-writer.js';
import { readQuery } from '../src/wire/query.js';
import { parseRcode } from '../src/wire/rcodes.js';
import { parseRecord } from '../src/wire/rdata/parse-record.js';
import { nameOfType, numberOfType } from '../src/wire/types.js';

const typeOf = (name: string): number => numberOfType(name) ?? 0;

function octetsOf(type: string, text: string): string {
  const { parts } = parseRecord(typeOf(type), text);
  return Buffer.concat(parts.map((part) => ('name' in part ? part.name.wire : part))).toString('hex');
}

/** What dns-packet makes of our octets. */
function decode(type: string, text: string): unknown {
  const query = readQuery(
    packet.encode({ type: 'query', id: 1, questions: [{ type: 'A', name: 'q.example' }] }),
  );
  if (query === undefined) throw new Error('not a query');
  const answer = { rcode: 0, records: [makeAnswerRecord(parseRecord(typeOf(type), text), 60)] };
  const [record] =
    packet.decode(new MessageWriter().write(query, answer, 65_535, false) ?? Buffer.alloc(0)).answers ?? [];
  return record !== undefined && 'data' in record ? record.data : undefined;
}

describe('records that another decoder reads', () => {
  it.each([
    ['A', '192.0.2.1', '192.0.2.1'],
    ['A', ' 192.0.2.1\n', '192.0.2.1'],
    ['AAAA', '2001:db8::1', '2001:db8::1'],
    ['AAAA', '::', '::'],
    ['AAAA', '1::', '1::'],
    ['AAAA', '::ffff:192.0.2.1', '::ffff:c000:201'],
    ['AAAA', '1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
    ['CNAME', 'a.example.', 'a.example'],
    ['NS', 'ns.q.example', 'ns.q.example'],
    ['PTR', '1.2.0.192.in-addr.arpa', '1.2.0.192.in-addr.arpa'],
    ['MX', '10 mail.example.com', { preference: 10, exchange: 'mail.example.com' }],
    ['MX', '0 .', { preference: undefined, exchange: '.' }],
    ['SRV', '10 5 5060 sip.example.com', { priority: 10, weight: 5, port: 5060, target: 'sip.example.com' }],
    [
      'CAA',
      '128 issue "ca.example.net; a=b"',
      { flags: 128, tag: 'issue', value: 'ca.example.net; a=b', issuerCritical: true },
    ],
    [
      'CAA',
      '0 iodef mailto:a@example.com',
      { flags: 0, tag: 'iodef', value: 'mailto:a@example.com', issuerCritical: false },
    ],
    [
      'SOA',
      'ns1.q.example admin.q.example ( 2024010101 7200 3600 1209600 3600 )',
      {
        mname: 'ns1.q.example',
        rname: 'admin.q.example',
        serial: 2024010101,
        refresh: 7200,
        retry: 3600,
        expire: 1209600,
        minimum: 3600,
      },
    ],
    [
      'NAPTR',
      '100 10 "S" "SIP+D2U" "!^.*$!sip:info@example.com!" _sip._udp.example.com',
      {
        order: 100,
        preference: 10,
        flags: 'S',
        services: 'SIP+D2U',
        regexp: '!^.*$!sip:info@example.com!',
        replacement: '_sip._udp.example.com',
      },
    ],
  ])('%s %s', (type, text, data) => {
    const decoded = decode(type, text);
    if (typeof data === 'string') expect(decoded).toBe(data);
    else
      expect({ ...(decoded as object) }).toMatchObject(
        Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined)),
      );
  });
});

describe('text', () => {
  const strings = (text: string): string[] =>
    (decode('TXT', text) as Buffer[]).map((piece) => piece.toString());

  it('is one string as it stands, or the strings in quotes', () => {
    expect(strings('v=spf1 include:_spf.example.net ~all')).toEqual(['v=spf1 include:_spf.example.net ~all']);
    expect(strings('"a b" "c\\"d" "\\065\\\\"')).toEqual(['a b', 'c"d', 'A\\']);
    expect(strings('a "quoted" word')).toEqual(['a "quoted" word']);
    expect(strings('"not" closed"')).toEqual(['"not" closed"']);
    expect(strings('""')).toEqual(['']);
    expect(strings('')).toEqual(['']);
    expect(strings('gr\u00fc\u00dfe')).toEqual(['gr\u00fc\u00dfe']);
  });

  it('is split at 255 octets', () => {
    expect(strings('x'.repeat(600)).map(({ length }) => length)).toEqual([255, 255, 90]);
    expect(strings(`"${'x'.repeat(256)}" "y"`).map(({ length }) => length)).toEqual([255, 1, 1]);
  });

  it('is shown escaped', () => {
    expect(parseRecord(16, 'a"b\n\\').text).toBe('"a\\"b\\010\\\\"');
  });
});

describe('service bindings (the examples of RFC 9460 appendix D)', () => {
  it.each([
    ['0 foo.example.com.', '0000 03666f6f 076578616d706c65 03636f6d 00'],
    ['1 .', '0001 00'],
    ['16 foo.example.com. port=53', '0010 03666f6f 076578616d706c65 03636f6d 00 0003 0002 0035'],
    ['1 foo.example.com. key667=hello', '0001 03666f6f 076578616d706c65 03636f6d 00 029b 0005 68656c6c6f'],
    [
      '1 foo.example.com. key667="hello\\210qoo"',
      '0001 03666f6f 076578616d706c65 03636f6d 00 029b 0009 68656c6c6fd2716f6f',
    ],
    [
      '1 foo.example.com. ipv6hint="2001:db8::1,2001:db8::53:1"',
      '0001 03666f6f 076578616d706c65 03636f6d 00 0006 0020 20010db8000000000000000000000001 20010db8000000000000000000530001',
    ],
    [
      '16 foo.example.org. alpn=h2,h3-19 mandatory=ipv4hint,alpn ipv4hint=192.0.2.1',
      '0010 03666f6f 076578616d706c65 036f7267 00 0000 0004 0001 0004 0001 0009 026832 0568332d3139 0004 0004 c0000201',
    ],
    [
      '1 . alpn=h2 no-default-alpn ech=AQID dohpath=/q{?dns}',
      '0001 00 0001 0003 026832 0002 0000 0005 0003 010203 0007 0008 2f717b3f646e737d',
    ],
  ])('%s', (text, octets) => {
    expect(octetsOf('HTTPS', text)).toBe(octets.replaceAll(' ', ''));
    expect(octetsOf('SVCB', text)).toBe(octets.replaceAll(' ', ''));
  });
});

describe('other types', () => {
  it('are given as octets', () => {
    expect(octetsOf('TYPE62347', '\\# 0')).toBe('');
    expect(octetsOf('TLSA', '\\# 5 0301 01 ABcd')).toBe('030101abcd');
    expect(octetsOf('A', '\\# 4 c0000201')).toBe('c0000201');
    expect(parseRecord(52, '\\# 5 0301 01 ABcd').text).toBe('\\# 5 030101abcd');
    expect(() => parseRecord(52, '3 1 1 abcd')).toThrow('\\# 4');
  });

  it('have numbers for names and names for numbers', () => {
    expect(['a', 'TYPE1', 'type65535', 'HTTPS'].map(numberOfType)).toEqual([1, 1, 65535, 65]);
    expect(['B', 'TYPE65536', 'TYPE', '1'].map(numberOfType)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect([1, 65, 65280].map(nameOfType)).toEqual(['A', 'HTTPS', 'TYPE65280']);
  });
});

describe('what does not fit', () => {
  it.each([
    ['A', '999.1.1.1'],
    ['A', '1.2.3'],
    ['A', ''],
    ['A', '::1'],
    ['AAAA', '1.2.3.4'],
    ['AAAA', 'fe80::1%lo'],
    ['AAAA', '1::2::3'],
    ['CNAME', ''],
    ['CNAME', 'a b'],
    ['CNAME', 'a..b'],
    ['CNAME', '.a'],
    ['CNAME', `${'a'.repeat(64)}.example`],
    ['CNAME', Array.from({ length: 5 }, () => 'a'.repeat(60)).join('.')],
    ['CNAME', 'a\\256'],
    ['CNAME', 'a\\1x'],
    ['MX', 'mail.example.com'],
    ['MX', '65536 mail.example.com'],
    ['MX', '-1 mail.example.com'],
    ['MX', '10 mail.example.com too'],
    ['SRV', '1 2 sip.example.com'],
    ['SOA', 'a b 1 2 3 4'],
    ['SOA', 'a b 1 2 3 4 4294967296'],
    ['CAA', '0 issue'],
    ['CAA', '256 issue "a"'],
    ['CAA', '0 is-sue "a"'],
    ['CAA', '0 issue "a'],
    ['NAPTR', '1 2 "S" "x" "y"'],
    ['NAPTR', `1 2 "${'x'.repeat(256)}" "x" "y" .`],
    ['TXT', 'x'.repeat(65_000)],
    ['TXT', '"\\999"'],
    ['HTTPS', '1'],
    ['HTTPS', '1 . alpn'],
    ['HTTPS', '1 . alpn=h2,,h3'],
    ['HTTPS', '1 . port=65536'],
    ['HTTPS', '1 . port=1 port=2'],
    ['HTTPS', '1 . colour=red'],
    ['HTTPS', '1 . mandatory=port'],
    ['HTTPS', '1 . mandatory=mandatory'],
    ['HTTPS', '1 . no-default-alpn=1'],
    ['HTTPS', '1 . ipv4hint=1.2.3'],
    ['HTTPS', '1 . ech=#'],
    ['HTTPS', '0 a.example port=1'],
    ['HTTPS', '1 . key65535=x'],
    ['TYPE300', '\\# 2 00'],
    ['TYPE300', '\\# 1 0g'],
    ['TYPE300', '\\#'],
  ])('%s %s is refused', (type, text) => {
    expect(() => parseRecord(typeOf(type), text)).toThrow(/"|octets/);
  });

  it('response codes are names or numbers up to 15', () => {
    expect(['NXDOMAIN', 'servfail', 5, '15'].map(parseRcode)).toEqual([3, 2, 5, 15]);
    for (const code of ['NOPE', 16, 'BADVERS', '', -1, 1.5]) expect(() => parseRcode(code)).toThrow('rcode');
  });

  it('names may be international', () => {
    expect(parseName('b\u00fccher.example').text).toBe('xn--bcher-kva.example');
    expect(parseName('A.Example.').key).toBe('a.example');
    expect(parseName('.').wire).toEqual(Buffer.from([0]));
    expect(parseRecord(6, 'ns.example a.b@example.com 1 2 3 4 5').text).toBe(
      'ns.example. a\\.b.example.com. 1 2 3 4 5',
    );
  });
});
