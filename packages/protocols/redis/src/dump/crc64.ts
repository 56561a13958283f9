/** The polynomial of Jones, its bits reversed, in halves. */
const POLYNOMIAL = 0x95ac9329ac4bc9b5n;
const HIGH = new Int32Array(256);
const LOW = new Int32Array(256);
for (let byte = 0; byte < 256; byte += 1) {
  let value = BigInt(byte);
  for (let bit = 0; bit < 8; bit += 1) value = value & 1n ? (value >> 1n) ^ POLYNOMIAL : value >> 1n;
  HIGH[byte] = Number(BigInt.asIntN(32, value >> 32n));
  LOW[byte] = Number(BigInt.asIntN(32, value));
}

/** Bytes that are gone through in one step. */
const STEP = 256 * 1024;

/**
 * The CRC-64 that Redis puts behind a dump (redis.io, command page of DUMP), as its eight bytes, the lowest first.
 *
 * @param end - how many bytes of the text count
 */
export function* crc64(bytes: string, end = bytes.length): Generator<undefined, string> {
  let high = 0;
  let low = 0;
  for (let at = 0; at < end;) {
    for (const stop = Math.min(at + STEP, end); at < stop; at += 1) {
      const index = (low ^ bytes.charCodeAt(at)) & 0xff;
      low = ((low >>> 8) | (high << 24)) ^ (LOW[index] ?? 0);
      high = (high >>> 8) ^ (HIGH[index] ?? 0);
    }
    if (at < end) yield;
  }
  return bytesOf(low) + bytesOf(high);
}

function bytesOf(half: number): string {
  return String.fromCharCode(half & 0xff, (half >>> 8) & 0xff, (half >>> 16) & 0xff, half >>> 24);
}
