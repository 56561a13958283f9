/** Beyond this many a block is halved: small enough to insert into cheaply, large enough that blocks are few. */
const MAX_BLOCK = 512;

/** Keys in order, in blocks, so that neither adding nor finding the next one grows with their number. */
export class SortedKeys {
  readonly #blocks: string[][] = [];

  add(key: string): void {
    const at = this.#blockOf(key);
    const block = this.#blocks[at];
    if (block === undefined) {
      this.#blocks.push([key]);
      return;
    }
    const place = lowerBound(block, key);
    if (block[place] === key) return;
    block.splice(place, 0, key);
    if (block.length > MAX_BLOCK) this.#blocks.splice(at + 1, 0, block.splice(MAX_BLOCK / 2));
  }

  remove(key: string): void {
    const at = this.#blockOf(key);
    const block = this.#blocks[at];
    if (block === undefined) return;
    const place = lowerBound(block, key);
    if (block[place] !== key) return;
    block.splice(place, 1);
    if (block.length === 0) this.#blocks.splice(at, 1);
  }

  /** The first key after this one, which need not be there. */
  next(key: string): string | undefined {
    const at = this.#blockOf(key);
    const block = this.#blocks[at];
    if (block === undefined) return undefined;
    let place = lowerBound(block, key);
    if (block[place] === key) place += 1;
    return block[place] ?? this.#blocks[at + 1]?.[0];
  }

  /** The last block that begins at or before the key; the first one when none does. */
  #blockOf(key: string): number {
    const blocks = this.#blocks;
    let low = 0;
    let high = blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((blocks[middle]?.[0] ?? '') <= key) low = middle + 1;
      else high = middle;
    }
    return Math.max(low - 1, 0);
  }
}

function lowerBound(block: readonly string[], key: string): number {
  let low = 0;
  let high = block.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((block[middle] ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
