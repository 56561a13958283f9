const SEED = 0x9747b28c;
const MULTIPLIER = 0x5bd1e995;

/** MurmurHash2 of 32 bits with the seed that Kafka's producers use. */
export function murmur2(bytes: Uint8Array): number {
  const whole = bytes.length & ~3;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let hash = SEED ^ bytes.length;
  for (let index = 0; index < whole; index += 4) {
    let part = Math.imul(view.getInt32(index, true), MULTIPLIER);
    part ^= part >>> 24;
    hash = Math.imul(hash, MULTIPLIER) ^ Math.imul(part, MULTIPLIER);
  }
  const left = bytes.length - whole;
  if (left >= 3) hash ^= view.getUint8(whole + 2) << 16;
  if (left >= 2) hash ^= view.getUint8(whole + 1) << 8;
  if (left >= 1) hash = Math.imul(hash ^ view.getUint8(whole), MULTIPLIER);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, MULTIPLIER);
  return hash ^ (hash >>> 15);
}

/** The partition of a key, as the Java client's default partitioner chooses it for records with keys. */
export function partitionOf(key: Uint8Array, partitions: number): number {
  return (murmur2(key) & 0x7fffffff) % partitions;
}
