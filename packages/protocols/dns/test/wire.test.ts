import { describe, expect, it } from '@jest/globals';
import packet from 'dns-packet';
import { makeAnswerRecord, type AnswerRecord } from '../src/wire/answer-record.js';
import { MessageWriter, MAX_MESSAGE } from '../src/wire/message-writer.js';
import { parseName } from '../src/wire/name.js';
import { FLAG, forgetRecords, readQuery, type Query } from '../src/wire/query.js';
import { parseRecord } from '../src/wire/rdata/parse-record.js';
import { readName, type ReadName } from '../src/wire/read-name.js';
import { numberOfType } from '../src/wire/types.js';

const hex = (octets: string): Buffer => Buffer.from(octets.replaceAll(' ', ''), 'hex');
// Sent by dig 9.18.
const PLAIN = hex('975001200001000000000000 0377777707 6578616d706c65 03636f6d00 0001 0001');
const MIXED_CASE = hex(
  '464d01200001000000000001 07 4578616d706c65 03434f4d00 000f 0001 00 0029 04d0 00000000 0000',
);
const WITH_COOKIE = hex(
  'e0d101200001000000000001 045f736970 045f746370 076578616d706c65 03636f6d00 0021 0001 00 0029 04d0 00008000 000c 000a0008 0123456789abcdef',
);

function read(octets: Buffer): Query {
  const query = readQuery(octets);
  if (query === undefined) throw new Error('not a query');
  return query;
}

function record(type: string, text: string, owner?: string): AnswerRecord {
  const data = parseRecord(numberOfType(type) ?? 0, text);
  return makeAnswerRecord(data, 60, owner === undefined ? undefined : parseName(owner));
}

function write(query: Query, records: readonly AnswerRecord[], limit = MAX_MESSAGE): Buffer {
  const octets = new MessageWriter().write(query, { rcode: 0, records }, limit, false);
  if (octets === undefined) throw new Error('too large');
  return octets;
}

describe('queries', () => {
  it('of dig are read', () => {
    expect(read(PLAIN)).toMatchObject({
      id: 0x9750,
      name: 'www.example.com',
      key: 'www.example.com',
      type: 1,
      class: 1,
      rcode: 0,
      edns: undefined,
    });
    expect(read(MIXED_CASE)).toMatchObject({
      name: 'Example.COM',
      key: 'example.com',
      type: 15,
      edns: { size: 1232, version: 0, dnssecOk: false },
    });
    expect(read(WITH_COOKIE)).toMatchObject({
      name: '_sip._tcp.example.com',
      type: 33,
      rcode: 0,
      edns: { dnssecOk: true },
    });
  });

  it.each([
    ['no octets', ''],
    ['eleven octets', '12340100000100000000 00'],
    ['an answer', '1234 8180 0001 0000 0000 0000 00 0001 0001'],
  ])('%s get no answer', (_, octets) => {
    expect(readQuery(hex(octets))).toBeUndefined();
  });

  it.each([
    ['no question', '1234 0100 0000 0000 0000 0000', 1],
    ['two questions', '1234 0100 0002 0000 0000 0000 00 0001 0001 00 0001 0001', 1],
    ['a question that is cut', '1234 0100 0001 0000 0000 0000 03 7777', 1],
    ['a question without class', '1234 0100 0001 0000 0000 0000 00 0001', 1],
    ['a pointer to itself', '1234 0100 0001 0000 0000 0000 c00c 0001 0001', 1],
    ['a pointer into the header', '1234 0100 0001 0000 0000 0000 c000 0001 0001', 1],
    ['a pointer to behind', '1234 0100 0001 0000 0000 0000 c010 0001 0001 00', 1],
    ['two pointers in a circle', '1234 0100 0001 0000 0000 0001 0161 c00c 0001 0001 c00c', 1],
    ['a reserved label type', '1234 0100 0001 0000 0000 0000 40 0001 0001', 1],
    ['a record that is announced and absent', '1234 0100 0001 0000 0000 0001 00 0001 0001', 1],
    [
      'record data that is cut',
      '1234 0100 0001 0000 0000 0001 00 0001 0001 00 0029 04d0 00000000 0004 0000',
      1,
    ],
    [
      'two OPT records',
      '1234 0100 0001 0000 0000 0002 00 0001 0001 00 0029 04d0 00000000 0000 00 0029 04d0 00000000 0000',
      1,
    ],
    [
      'OPT of another name than the root',
      '1234 0100 0001 0000 0000 0001 00 0001 0001 0161 00 0029 04d0 00000000 0000',
      1,
    ],
    ['OPT among the answers', '1234 0100 0001 0001 0000 0000 00 0001 0001 00 0029 04d0 00000000 0000', 1],
    ['opcode STATUS', '1234 1100 0001 0000 0000 0000 00 0001 0001', 4],
    ['opcode UPDATE without question', '1234 2800 0000 0000 0000 0000', 4],
  ])('with %s are answered with an error', (_, octets, rcode) => {
    expect(read(hex(octets)).rcode).toBe(rcode);
  });

  it('follow 127 pointers in a name, and no more', () => {
    const first = 12;
    const chain = (pointers: number): Buffer => {
      // The root behind the header, and behind it pointers that each lead to the one before.
      const octets = Buffer.alloc(first + 1 + 2 * pointers);
      for (let n = 0; n < pointers; n += 1) {
        octets.writeUInt16BE(0xc000 | (n === 0 ? first : first + 1 + 2 * (n - 1)), first + 1 + 2 * n);
      }
      return octets;
    };
    const endOf = (pointers: number): number => {
      const octets = chain(pointers);
      const into: ReadName = { text: '', key: '', end: 0 };
      readName(octets, octets.length - 2, into);
      return into.end - octets.length;
    };
    expect(endOf(127)).toBe(0);
    expect(endOf(128)).toBeLessThan(0);
  });

  it('cost a few steps for each octet, wherever their pointers lead', () => {
    // A question whose name is pointers alone, then thousands of records whose names are that chain.
    const head = hex('1234 0100 0001 0000 0000 0000 00 0001 0001');
    const chain = Buffer.alloc(2 * 8000);
    for (let n = 0; n < 8000; n += 1) chain.writeUInt16BE(0xc000 | (n === 0 ? 12 : 26 + 2 * n), 2 * n);
    const data = Buffer.concat([
      hex('00 0010 0001 00000000'),
      Buffer.of(chain.length >> 8, chain.length & 255),
      chain,
    ]);
    const record = Buffer.concat([
      Buffer.of(0xc0 | (15_000 >> 8), 15_000 & 255),
      hex('0001 0001 00000000 0000'),
    ]);
    const records = Math.floor((65_535 - head.length - data.length) / record.length);
    const octets = Buffer.concat([head, data, ...Array<Buffer>(records).fill(record)]);
    octets.writeUInt16BE(records + 1, 10);
    let steps = 0;
    const counting = new Proxy(octets, {
      get(target, key) {
        if (typeof key === 'string' && /^\d+$/.test(key)) steps += 1;
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(counting) : value;
      },
    });
    expect(readQuery(counting)?.rcode).toBe(0);
    expect(steps).toBeGreaterThan(records);
    expect(steps).toBeLessThan(2 * octets.length);
  });

  it('skip records that say nothing to a server', () => {
    const octets = packet.encode({
      type: 'query',
      id: 1,
      questions: [{ type: 'A', name: 'a.example' }],
      authorities: [{ type: 'NS', name: 'a.example', data: 'b.a.example' }],
      additionals: [
        { type: 'A', name: 'c.a.example', data: '192.0.2.1' },
        {
          type: 'OPT',
          name: '.',
          udpPayloadSize: 4096,
          extendedRcode: 0,
          ednsVersion: 1,
          flags: 0,
          flag_do: false,
          options: [],
        },
      ],
    });
    expect(read(octets)).toMatchObject({ rcode: 0, edns: { size: 4096, version: 1 } });
  });

  it('names of 255 octets are read, longer ones not', () => {
    const label = `3f${'61'.repeat(63)}`;
    const longest = `${label}${label}${label}3d${'61'.repeat(61)}00`;
    const tooLong = `${label}${label}${label}3e${'61'.repeat(62)}00`;
    const header = '1234 0100 0001 0000 0000 0000';
    expect(read(hex(`${header}${longest}00010001`)).rcode).toBe(0);
    expect(read(hex(`${header}${tooLong}00010001`)).rcode).toBe(1);
  });

  it('escape what is not plain in a name', () => {
    const query = read(hex('1234 0100 0001 0000 0000 0000 05 612e 42 20 ff 0163 00 0001 0001'));
    expect(query.name).toBe('a\\.B\\032\\255.c');
    expect(query.key).toBe('a\\.b\\032\\255.c');
    expect(parseName(query.name).wire).toEqual(hex('05 612e 42 20 ff 0163 00'));
    expect(parseName(query.name).key).toBe(query.key);
  });
});

describe('answers', () => {
  it('are the octets that other servers send', () => {
    expect(write(read(PLAIN), [record('A', '192.0.2.1')]).toString('hex')).toBe(
      hex(
        '9750 8580 0001 0001 0000 0000 03777777 076578616d706c65 03636f6d00 0001 0001 c00c 0001 0001 0000003c 0004 c0000201',
      ).toString('hex'),
    );
  });

  it('keep the question and compress names with its spelling', () => {
    const octets = write(read(MIXED_CASE), [
      record('MX', '10 mail.example.com'),
      record('MX', '20 mail.example.com'),
    ]);
    expect(octets.toString('hex')).toBe(
      hex(
        '464d 8580 0001 0002 0000 0001 07 4578616d706c65 03434f4d00 000f 0001' +
          'c00c 000f 0001 0000003c 0009 000a 046d61696c c00c' +
          'c00c 000f 0001 0000003c 0004 0014 c02b' +
          '00 0029 04d0 00000000 0000',
      ).toString('hex'),
    );
    const decoded = packet.decode(octets);
    expect(decoded.questions?.[0]?.name).toBe('Example.COM');
    expect(decoded.answers).toMatchObject([
      { data: { exchange: 'mail.Example.COM' } },
      { data: { exchange: 'mail.Example.COM' } },
    ]);
  });

  it('copy DO, and carry a great response code in two parts', () => {
    const octets = new MessageWriter().write(read(WITH_COOKIE), { rcode: 16, records: [] }, 512, false);
    const decoded = packet.decode(octets ?? Buffer.alloc(0));
    expect(decoded.additionals).toMatchObject([
      { type: 'OPT', extendedRcode: 1, flag_do: true, udpPayloadSize: 1232 },
    ]);
    expect((decoded.flags ?? 0) & 0x0f).toBe(0);
  });

  it('keep CD and RD, set RA, and leave AD and Z out', () => {
    const query = read(hex('1234 0170 0001 0000 0000 0000 00 0001 0001'));
    const flags = write(query, []).readUInt16BE(2);
    expect(flags).toBe(FLAG.QR | FLAG.AA | FLAG.RA | FLAG.RD | FLAG.CD);
  });

  it('are truncated to what the client takes', () => {
    const records = Array.from({ length: 40 }, (_, index) => record('A', `192.0.2.${index}`));
    const query = read(PLAIN);
    const octets = write(query, records, 512);
    expect(octets.length).toBe(33);
    expect(packet.decode(octets)).toMatchObject({ flag_tc: true, answers: [] });
    expect(packet.decode(write(query, records, 700))).toMatchObject({ flag_tc: false });
    expect(packet.decode(write(query, records, 673)).answers).toHaveLength(40);
    expect(packet.decode(write(query, records, 672))).toMatchObject({ flag_tc: true });
  });

  it('are no longer written than there is room', () => {
    let looked = 0;
    const one = record('A', '192.0.2.1', 'a.example');
    const counted = Array.from({ length: 5000 }, () => ({
      ...one,
      get data() {
        looked += 1;
        return one.data;
      },
    }));
    expect(packet.decode(write(read(PLAIN), counted, 1232))).toMatchObject({ flag_tc: true, answers: [] });
    expect(looked).toBeLessThan(100);
  });

  it('need no more of a query than its question', () => {
    const query = read(Buffer.concat([PLAIN, Buffer.alloc(60_000)]));
    const before = write(query, [record('A', '192.0.2.1')]);
    forgetRecords(query);
    expect(query.bytes.length).toBe(PLAIN.length);
    expect(write(query, [record('A', '192.0.2.1')])).toEqual(before);
  });

  it('fit with their OPT record', () => {
    const records = Array.from({ length: 30 }, (_, index) => record('MX', `${index} mail.example.com`));
    const whole = write(read(MIXED_CASE), records).length;
    expect(packet.decode(write(read(MIXED_CASE), records, whole))).toMatchObject({ flag_tc: false });
    expect(packet.decode(write(read(MIXED_CASE), records, whole - 1))).toMatchObject({
      flag_tc: true,
      additionals: [{ type: 'OPT' }],
    });
  });

  it('that DNS cannot carry are none', () => {
    const huge = Array.from({ length: 3 }, () => record('TXT', 'x'.repeat(30_000)));
    const writer = new MessageWriter();
    expect(writer.write(read(PLAIN), { rcode: 0, records: huge }, MAX_MESSAGE, true)).toBeUndefined();
    const two = writer.write(read(PLAIN), { rcode: 0, records: huge.slice(0, 2) }, MAX_MESSAGE, true);
    expect(two?.readUInt16BE(0)).toBe((two?.length ?? 0) - 2);
  });

  it('point at most where a pointer reaches', () => {
    const records = [
      record('TXT', 'x'.repeat(17_000)),
      record('NS', 'far.example.net'),
      record('NS', 'far.example.net'),
    ];
    const decoded = packet.decode(write(read(PLAIN), records));
    expect(decoded.answers?.slice(1)).toMatchObject([
      { data: 'far.example.net' },
      { data: 'far.example.net' },
    ]);
  });

  it('name the owner of followed aliases', () => {
    const records = [
      record('CNAME', 'b.example.com'),
      record('A', '192.0.2.1', 'b.example.com'),
      record('A', '192.0.2.2', '.'),
    ];
    const octets = write(read(PLAIN), records);
    expect(packet.decode(octets).answers).toMatchObject([
      { name: 'www.example.com', data: 'b.example.com' },
      { name: 'b.example.com', data: '192.0.2.1' },
      { name: '.', data: '192.0.2.2' },
    ]);
    expect(octets.includes(hex('0162 c010'))).toBe(true);
  });
});
