// Castagnoli's polynomial, bits reversed (RFC 3720, appendix B.4).
const POLYNOMIAL = 0x82f63b78;
const SLICES = 8;

const TABLES: readonly Int32Array[] = makeTables();
const [T0, T1, T2, T3, T4, T5, T6, T7] = TABLES as unknown as readonly [
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
];

function makeTables(): Int32Array[] {
  const tables = Array.from({ length: SLICES }, () => new Int32Array(256));
  for (let byte = 0; byte < 256; byte += 1) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1) === 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    at(tables, 0)[byte] = crc;
  }
  for (let slice = 1; slice < SLICES; slice += 1) {
    for (let byte = 0; byte < 256; byte += 1) {
      const before = at(tables, slice - 1)[byte] ?? 0;
      at(tables, slice)[byte] = (before >>> 8) ^ (at(tables, 0)[before & 0xff] ?? 0);
    }
  }
  return tables;
}

function at(tables: readonly Int32Array[], index: number): Int32Array {
  return tables[index] as Int32Array;
}

/** The CRC-32C of bytes from `start` to `end`, eight bytes at a time. */
export function crc32c(bytes: Uint8Array, start = 0, end = bytes.length): number {
  let crc = -1;
  let index = start;
  for (; index + SLICES <= end; index += SLICES) {
    const low =
      crc ^
      (byteAt(bytes, index) |
        (byteAt(bytes, index + 1) << 8) |
        (byteAt(bytes, index + 2) << 16) |
        (byteAt(bytes, index + 3) << 24));
    crc =
      byteOf(T7, low & 0xff) ^
      byteOf(T6, (low >>> 8) & 0xff) ^
      byteOf(T5, (low >>> 16) & 0xff) ^
      byteOf(T4, low >>> 24) ^
      byteOf(T3, byteAt(bytes, index + 4)) ^
      byteOf(T2, byteAt(bytes, index + 5)) ^
      byteOf(T1, byteAt(bytes, index + 6)) ^
      byteOf(T0, byteAt(bytes, index + 7));
  }
  for (; index < end; index += 1) crc = (crc >>> 8) ^ byteOf(T0, (crc ^ byteAt(bytes, index)) & 0xff);
  return ~crc >>> 0;
}

function byteAt(bytes: Uint8Array, index: number): number {
  return bytes[index] as number;
}

function byteOf(table: Int32Array, index: number): number {
  return table[index] as number;
}
