import { describe, expect, it } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { ByteReader, ByteWriter } from '@backlot/kit/framing';
import { makeBatch, RecordBatch } from '../src/wire/batch.js';
import { runAtOnce } from '@backlot/core/plugin';
import { decompress } from '../src/wire/compression.js';
import { crc32c } from '../src/wire/crc32c.js';
import { ERROR, nameOfError, parseErrorCode } from '../src/wire/errors.js';
import { array, int32, nullableArray, nullableString, string } from '../src/wire/fields.js';
import { murmur2, partitionOf } from '../src/wire/murmur2.js';
import { readInt64, readMessage } from '../src/wire/read-message.js';
import { writeInt64, writeZigzag } from '../src/wire/varint.js';
import { writeMessage } from '../src/wire/write-message.js';

describe('crc32c', () => {
  it.each([
    ['', 0],
    ['123456789', 0xe3069283],
    ['The quick brown fox jumps over the lazy dog', 0x22620404],
  ])('of %j is right', (text, crc) => {
    expect(crc32c(Buffer.from(text))).toBe(crc);
  });

  it('of 32 zeros is that of RFC 3720', () => {
    expect(crc32c(Buffer.alloc(32))).toBe(0x8a9136aa);
    expect(crc32c(Buffer.alloc(40, 1), 4, 36)).toBe(crc32c(Buffer.alloc(32, 1)));
  });
});

describe('murmur2', () => {
  // The values that the Java client's own tests have.
  it.each([
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
  ])('of %j is what the Java client has', (text, hash) => {
    expect(murmur2(Buffer.from(text))).toBe(hash);
    expect(partitionOf(Buffer.from(text), 10)).toBe((hash & 0x7fffffff) % 10);
  });
});

describe('numbers', () => {
  it.each([
    0,
    1,
    -1,
    63,
    64,
    -64,
    -65,
    300,
    2 ** 31,
    -(2 ** 31),
    2 ** 40,
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
  ])('of 64 bits keep %d', (value) => {
    const writer = new ByteWriter();
    writeInt64(writer, value);
    expect(readInt64(new ByteReader(writer.finish()))).toBe(value);
  });

  it('beyond 2^53 are cut to it', () => {
    expect(readInt64(new ByteReader(Buffer.from('7fffffffffffffff', 'hex')))).toBe(Number.MAX_SAFE_INTEGER);
    expect(readInt64(new ByteReader(Buffer.from('8000000000000000', 'hex')))).toBe(Number.MIN_SAFE_INTEGER);
  });

  it('in zigzag form are as the protocol has them', () => {
    const encoded = [0, -1, 1, -2, 300].map((value) => {
      const writer = new ByteWriter();
      writeZigzag(writer, value);
      return writer.finish().toString('hex');
    });
    expect(encoded).toEqual(['00', '01', '02', '03', 'd804']);
  });
});

describe('a message', () => {
  const fields = {
    name: string(),
    remark: nullableString({ since: 1 }),
    parts: array({ index: int32({ fallback: 7 }), until: string({ until: 1 }) }),
    list: nullableArray({ index: int32() }, { since: 2 }),
  };
  const value = { name: 'ä', remark: null, parts: [{ index: 1, until: 'x' }, { index: 2 }], list: null };

  it.each([0, 1, 2])('of version %d comes back, with fallbacks for what it does not have', (version) => {
    for (const isFlexible of [false, true]) {
      const writer = new ByteWriter();
      writeMessage(fields, value, writer, version, isFlexible);
      const reader = new ByteReader(writer.finish());
      expect(readMessage(fields, reader, version, isFlexible)).toEqual({
        ...value,
        parts: [
          { index: 1, until: version < 2 ? 'x' : '' },
          { index: 2, until: '' },
        ],
      });
      expect(reader.remaining).toBe(0);
    }
  });

  it.each([
    ['a list of 2^31-1 elements', '0001610000000a7fffffff', 1],
    ['a text that is longer than what is there', '7fff61', 0],
    ['a text that is null and may not be', 'ffff', 0],
    ['a length of -2', 'fffe', 0],
  ])('with %s is refused', (_name, hex, version) => {
    expect(() => readMessage(fields, new ByteReader(Buffer.from(hex, 'hex')), version, false)).toThrow();
  });

  it('with more elements than a request may have is refused before they are made', () => {
    const reader = new ByteReader(
      Buffer.concat([Buffer.from('000001000000', 'hex'), Buffer.alloc(2_000_000)]),
    );
    expect(() => readMessage({ name: string(), parts: array({ index: int32() }) }, reader, 0, false)).toThrow(
      /100000/,
    );
  });
});

describe('a batch', () => {
  const headers: [string, Buffer | null][] = [
    ['a', Buffer.from('1')],
    ['empty', null],
  ];
  const records = [
    { key: Buffer.from('k'), value: Buffer.from('v'), headers },
    { key: null, value: null, headers: [] },
  ];

  it('has its records back', () => {
    const batch = makeBatch(records, 1_700_000_000_000);
    expect(batch.hasGoodChecksum).toBe(true);
    expect(
      batch
        .records()
        .map(({ key, value, headers: got, timestamp }) => ({ key, value, headers: got, timestamp })),
    ).toEqual(records.map((record) => ({ ...record, timestamp: 1_700_000_000_000 })));
  });

  it('keeps its checksum at whatever place', () => {
    const batch = makeBatch(records, 5);
    batch.placeAt(2 ** 40 + 3);
    expect(batch.hasGoodChecksum).toBe(true);
    expect(batch.bytes.readBigInt64BE(0)).toBe(2n ** 40n + 3n);
  });

  it('with a length that is not its own is refused', () => {
    const { bytes } = makeBatch(records, 5);
    expect(() => new RecordBatch(bytes.subarray(0, -1))).toThrow(/says it has/);
    expect(() => new RecordBatch(bytes.subarray(0, 10))).toThrow(/no record batch/);
  });

  it('with a number of records that is not its own is refused', () => {
    for (const count of [-1, 0, 1, 3, 2 ** 31 - 1]) {
      const { bytes } = makeBatch(records, 5);
      bytes.writeInt32BE(count, 57);
      expect(() => new RecordBatch(bytes).records()).toThrow();
    }
  });
});

function unpack(codec: number, bytes: Buffer): Buffer {
  return runAtOnce(decompress(codec, bytes));
}

describe('compression', () => {
  it('of more than is taken is refused', () => {
    expect(() => unpack(1, gzipSync(Buffer.alloc(33 * 1024 * 1024), { level: 1 }))).toThrow(/more than/);
    const bomb = Buffer.concat([
      Buffer.from([0xff, 0xff, 0xff, 0x0f, 0x00, 0x61]),
      Buffer.alloc(3_000_000, Buffer.from([0xfe, 1, 0])),
    ]);
    expect(() => unpack(2, bomb)).toThrow(/more than/);
  });

  it('that refers to before its start is refused', () => {
    expect(() => unpack(2, Buffer.from([4, 0xfe, 9, 0]))).toThrow(/before the start/);
    expect(() => unpack(3, Buffer.from('04224d18604082050000001061090000000000', 'hex'))).toThrow();
  });

  it.each([1, 2, 3])('%d of random bytes is refused', (codec) => {
    for (let seed = 0; seed < 200; seed += 1) {
      const bytes = Buffer.from(Array.from({ length: 40 }, (_, n) => (seed * 73 + n * n * 31) & 0xff));
      bytes.writeUInt32BE(0x04224d18, 0);
      expect(() => unpack(codec, codec === 3 ? bytes : bytes.subarray(4))).toThrow();
    }
  });
});

describe('error codes', () => {
  it('go by name in any case, and by number', () => {
    expect(parseErrorCode('leader_not_available')).toBe(5);
    expect(parseErrorCode('7')).toBe(7);
    expect(parseErrorCode(-1)).toBe(-1);
    expect(nameOfError(5)).toBe('LEADER_NOT_AVAILABLE');
    expect(nameOfError(12345)).toBe('12345');
  });

  it.each(['NONE', 'nonsense', '', 0, '99999', '__proto__'])('do not go by %j', (given) => {
    expect(() => parseErrorCode(given)).toThrow(/not an error of Kafka/);
  });

  it('are all different', () => {
    const codes = Object.values(ERROR);
    expect(new Set(codes).size).toBe(codes.length);
  });
});
