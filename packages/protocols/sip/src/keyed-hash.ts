/**
 * HalfSipHash-2-4 with 32 bits (Aumasson and Bernstein), of two words, an address and a port: whoever does not have the key
 * cannot tell it for an address, even if they are shown those of many others.
 *
 * @param key - 64 bits
 */
export function keyedHash(
  key: readonly [number, number],
  high: number,
  low: number,
  address: string,
  port: number,
): number {
  const state: State = [key[0], key[1], 0x6c796765 ^ key[0], 0x74656462 ^ key[1]];
  absorb(state, high);
  absorb(state, low);
  for (let index = 0; index < address.length; index += 1) absorb(state, address.charCodeAt(index));
  // The length, so that no two inputs are the same words.
  absorb(state, (address.length << 16) | port);
  state[2] ^= 0xff;
  for (let round = 0; round < 4; round += 1) mix(state);
  return state[1] ^ state[3];
}

type State = [number, number, number, number];

function absorb(state: State, word: number): void {
  state[3] ^= word;
  mix(state);
  mix(state);
  state[0] ^= word;
}

function mix(state: State): void {
  let [a, b, c, d] = state;
  a = (a + b) | 0;
  b = rotate(b, 5) ^ a;
  a = rotate(a, 16);
  c = (c + d) | 0;
  d = rotate(d, 8) ^ c;
  a = (a + d) | 0;
  d = rotate(d, 7) ^ a;
  c = (c + b) | 0;
  b = rotate(b, 13) ^ c;
  c = rotate(c, 16);
  state[0] = a;
  state[1] = b;
  state[2] = c;
  state[3] = d;
}

function rotate(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}
