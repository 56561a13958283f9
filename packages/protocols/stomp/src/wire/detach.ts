/** A small part of a large packet keeps all of it in memory. */
const SPARE = 16_384;

/** Bytes to keep: the same, or a copy when they are a small part of the packet that they came in. */
export function detach(bytes: Buffer): Buffer {
  return bytes.buffer.byteLength > 2 * bytes.length + SPARE ? Buffer.from(bytes) : bytes;
}
