/** An integer of some bytes, the lowest first; negative ones in two's complement. */
export function littleEndian(value: number | bigint, size: number): string {
  let rest = BigInt.asUintN(8 * size, BigInt(value));
  let bytes = '';
  for (let left = size; left > 0; left -= 1) {
    bytes += String.fromCharCode(Number(rest & 0xffn));
    rest >>= 8n;
  }
  return bytes;
}

/** An integer of some bytes, the highest first. */
export function bigEndian(value: number | bigint, size: number): string {
  return [...littleEndian(value, size)].reverse().join('');
}

/** A double in eight bytes, the lowest first. */
export function doubleBytes(value: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes.toString('latin1');
}
