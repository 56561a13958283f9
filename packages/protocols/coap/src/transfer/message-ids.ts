import type { Random } from '@backlot/core/plugin';

const ROUNDS = 4;

/**
 * Gives message ids of which none comes again before all 65,536 others have come (RFC 7252 section 4.4), in an order that
 * nobody can foresee: whoever acknowledges a message has received it. A count that goes through a network of Feistel's, each
 * round with a table of its own.
 */
export class MessageIds {
  readonly #tables: readonly Uint8Array[];
  #count: number;

  constructor(random: Random) {
    this.#count = random.int(0, 0xffff);
    this.#tables = Array.from({ length: ROUNDS }, () =>
      Uint8Array.from({ length: 256 }, () => random.int(0, 0xff)),
    );
  }

  next(): number {
    this.#count = (this.#count + 1) & 0xffff;
    let left = this.#count >> 8;
    let right = this.#count & 0xff;
    for (const table of this.#tables) {
      const mixed = left ^ (table[right] ?? 0);
      left = right;
      right = mixed;
    }
    return (left << 8) | right;
  }
}
