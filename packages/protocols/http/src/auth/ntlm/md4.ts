// MD4 (RFC 1320), which NTLM is built on and which OpenSSL 3 no longer offers. Not for anything else.

const BLOCK = 64;

interface Round {
  readonly mix: (x: number, y: number, z: number) => number;
  readonly constant: number;
  /** The order in which the words of the block are read. */
  readonly order: readonly number[];
  readonly shifts: readonly [number, number, number, number];
}

const ROUNDS: readonly Round[] = [
  {
    mix: (x, y, z) => (x & y) | (~x & z),
    constant: 0,
    order: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    shifts: [3, 7, 11, 19],
  },
  {
    mix: (x, y, z) => (x & y) | (x & z) | (y & z),
    constant: 0x5a827999,
    order: [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
    shifts: [3, 5, 9, 13],
  },
  {
    mix: (x, y, z) => x ^ y ^ z,
    constant: 0x6ed9eba1,
    order: [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15],
    shifts: [3, 9, 11, 15],
  },
];

/** The MD4 digest of some bytes: 16 bytes. */
export function md4(data: Uint8Array): Buffer {
  const input = pad(data);
  let state: readonly [number, number, number, number] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  for (let start = 0; start < input.length; start += BLOCK) {
    let [a, b, c, d] = state;
    for (const { mix, constant, order, shifts } of ROUNDS) {
      for (const [step, word] of order.entries()) {
        const sum = (a + mix(b, c, d) + input.readInt32LE(start + word * 4) + constant) | 0;
        const shift = shifts[(step & 3) as 0 | 1 | 2 | 3];
        [a, b, c, d] = [d, (sum << shift) | (sum >>> (32 - shift)), b, c];
      }
    }
    state = [(state[0] + a) | 0, (state[1] + b) | 0, (state[2] + c) | 0, (state[3] + d) | 0];
  }
  const digest = Buffer.alloc(16);
  for (const [index, word] of state.entries()) {
    digest.writeInt32LE(word | 0, index * 4);
  }
  return digest;
}

/** RFC 1320, sections 3.1 and 3.2: a one bit, zeros, and the length in bits. */
function pad(data: Uint8Array): Buffer {
  const padded = Buffer.alloc(Math.ceil((data.length + 9) / BLOCK) * BLOCK);
  padded.set(data);
  padded[data.length] = 0x80;
  padded.writeBigUInt64LE(BigInt(data.length) * 8n, padded.length - 8);
  return padded;
}
