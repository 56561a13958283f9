/** Numbers that follow from a seed. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = (Math.floor(seed) ^ 0x9e3779b9) >>> 0;
  }

  /** The numbers of one of many things that are made with the same seed. */
  static of(seed: number, ...parts: readonly (string | number)[]): Chance {
    let hash = 0x811c9dc5;
    for (const character of [seed, ...parts].join('\n')) {
      hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
    }
    return new Chance(hash >>> 0);
  }

  /** From 0 (inclusive) to 1 (exclusive); mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both bounds included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  hex(length: number): string {
    return Array.from({ length }, () => this.int(0, 15).toString(16)).join('');
  }

  uuid(): string {
    return `${this.hex(8)}-${this.hex(4)}-4${this.hex(3)}-${'89ab'.charAt(this.int(0, 3))}${this.hex(3)}-${this.hex(12)}`;
  }
}
