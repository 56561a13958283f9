import { describe, expect, it } from '@jest/globals';
import { ByteReader, ByteWriter, isFramingError } from '../src/framing.js';

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return isFramingError(error) ? error.code : String(error);
  }
  return 'nothing thrown';
}

describe('ByteWriter and ByteReader', () => {
  it('agree on every kind of value', () => {
    const writer = new ByteWriter(1);
    writer.u8(255).i8(-1).u16(65_535).i16(-2).u32(4_294_967_295).i32(-3);
    writer
      .u64(2n ** 64n - 1n)
      .i64(-(2n ** 63n))
      .f32(0.5)
      .f64(Math.PI);
    writer
      .varint(0)
      .varint(127)
      .varint(128)
      .varint(268_435_455)
      .varint(4_294_967_295)
      .varint(2n ** 64n - 1n);
    writer.text('grüß').text('é', 'latin1').bytes(Buffer.from('raw')).text('the rest');
    const bytes = writer.finish();
    expect(bytes.length).toBe(writer.length);
    const reader = new ByteReader(bytes);
    expect([reader.u8(), reader.i8(), reader.u16(), reader.i16(), reader.u32(), reader.i32()]).toEqual([
      255, -1, 65_535, -2, 4_294_967_295, -3,
    ]);
    expect([reader.u64(), reader.i64()]).toEqual([2n ** 64n - 1n, -(2n ** 63n)]);
    expect([reader.f32(), reader.f64()]).toEqual([0.5, Math.PI]);
    expect(Array.from({ length: 5 }, () => reader.varint())).toEqual([
      0, 127, 128, 268_435_455, 4_294_967_295,
    ]);
    expect(reader.varint64()).toBe(2n ** 64n - 1n);
    expect([reader.text(6), reader.text(1, 'latin1')]).toEqual(['grüß', 'é']);
    expect(reader.bytes(3).toString()).toBe('raw');
    reader.skip(4);
    expect(reader.remaining).toBe(4);
    expect(reader.position).toBe(bytes.length - 4);
    expect(reader.rest().toString()).toBe('rest');
    expect(reader.rest()).toHaveLength(0);
  });

  it('write as the network has it', () => {
    const writer = new ByteWriter().u32(0).u16(0x0102).varint(321).text('ab');
    writer.setU32(0, writer.length - 4);
    expect(writer.finish().toString('hex')).toBe('000000060102c1026162');
    expect(() => writer.setU32(7, 1)).toThrow('position 7 is not within');
    expect(() => writer.varint(-1)).toThrow('cannot be -1');
    expect(() => writer.u8(256)).toThrow('out of range');
  });
});

describe('ByteReader at the end of its bytes', () => {
  it.each<[string, (reader: ByteReader) => unknown]>([
    ['u8', (reader) => reader.u8()],
    ['i16', (reader) => reader.i16()],
    ['u32', (reader) => reader.u32()],
    ['i64', (reader) => reader.i64()],
    ['f64', (reader) => reader.f64()],
    ['varint', (reader) => reader.varint()],
    ['varint64', (reader) => reader.varint64()],
    ['bytes', (reader) => reader.bytes(1)],
    ['text', (reader) => reader.text(4_294_967_295)],
    ['skip', (reader) => reader.skip(1)],
    ['a negative length', (reader) => reader.bytes(-1)],
    ['no number', (reader) => reader.bytes(Number.NaN)],
  ])('%s is truncated, never read beyond', (_name, read) => {
    // The buffer goes on, the message in it does not.
    const reader = new ByteReader(Buffer.alloc(20, 0xff), 4, 4);
    expect(codeOf(() => read(reader))).toBe('truncated');
    expect(reader.remaining).toBe(0);
  });

  it('takes no bounds beyond the buffer', () => {
    expect(new ByteReader(Buffer.alloc(4), 1, 99).remaining).toBe(3);
  });

  it('refuses variable-length numbers without end', () => {
    const endless = Buffer.alloc(20, 0xff);
    expect(codeOf(() => new ByteReader(endless).varint())).toBe('malformed');
    expect(codeOf(() => new ByteReader(endless).varint64())).toBe('malformed');
    expect(codeOf(() => new ByteReader(Buffer.from('ffffffff7f', 'hex')).varint())).toBe('malformed');
    expect(codeOf(() => new ByteReader(Buffer.from('ffffffff0f', 'hex')).varint(4))).toBe('malformed');
    expect(codeOf(() => new ByteReader(Buffer.from(`${'ff'.repeat(9)}02`, 'hex')).varint64())).toBe(
      'malformed',
    );
  });
});
