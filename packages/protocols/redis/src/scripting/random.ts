/** Numbers of `lrand48` (POSIX, drand48), as scripts of Redis get them from math.random. */
export class Rand48 {
  #high = 0x1234abcd;
  #low = 0x330e;

  /** @param seed - as for `srand48` */
  seed(seed: number): void {
    this.#high = seed >>> 0;
    this.#low = 0x330e;
  }

  /** An integer from 0 up to 2^31 - 1. */
  next(): number {
    // state = state * 0x5deece66d + 0xb, of 48 bits: in two parts, of which no product exceeds 2^53.
    const low = this.#low * 0xe66d + 0xb;
    const middle = this.#low * 0x5deec + Math.floor(low / 0x10000);
    const high = (this.#high % 0x10000) * 0xe66d + middle;
    const upper = Math.floor(this.#high / 0x10000) * 0xe66d + (this.#high % 0x10000) * 0x5deec;
    const top = (upper % 0x10000) * 0x10000 + high;
    this.#low = low % 0x10000;
    this.#high = top % 0x100000000;
    return Math.floor(this.#high / 2);
  }
}
