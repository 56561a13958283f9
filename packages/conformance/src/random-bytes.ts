/** Bytes that look random and are the same in every run (xorshift32). */
export function randomBytes(seed: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = (seed * 0x9e3779b9) >>> 0 || 1;
  for (let index = 0; index < length; index += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[index] = state & 0xff;
  }
  return bytes;
}
