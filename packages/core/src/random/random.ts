import { randomBytes } from 'node:crypto';

/** A source of chance that gives the same numbers for the same seed. */
export interface Random {
  /** A number from 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** A whole number from `min` to `max`, both inclusive. */
  int(min: number, max: number): number;
  /** A number from `min` (inclusive) to `max` (exclusive). */
  float(min: number, max: number): number;
  bool(): boolean;
  /** One element of a list; `undefined` when it is empty. */
  pick<T>(list: readonly T[]): T | undefined;
  /** A text of letters and digits, `length` characters long. */
  string(length: number): string;
  /** A version 4 UUID (RFC 9562, section 5.4) from this source. */
  uuid(): string;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const TWO_32 = 2 ** 32;
const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * Makes the source of chance for one event, such as (seed, kind, mock id, call number). It depends on nothing
 * else, so concurrent events do not change each other's numbers.
 */
export function randomFor(seed: number, ...parts: readonly (string | number)[]): Random {
  const state = new State();
  state.mixNumber(seed);
  for (const part of parts) {
    if (typeof part === 'number') {
      state.mixNumber(part);
    } else {
      state.mixText(part);
    }
  }
  return new Generator(state);
}

/** A seed for a run that was given none, from the operating system. */
export function freshSeed(): number {
  return randomBytes(6).readUIntBE(0, 6);
}

/** A 32-bit hash of a text (FNV-1a over its UTF-16 units, then mixed). */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return finish(hash);
}

/**
 * The n-th roll of a kind's dice, from 0 (inclusive) to 1 (exclusive), without making a {@link Random}.
 *
 * @param kindHash - {@link hashText} of the kind, computed once
 */
export function roll(seed: number, kindHash: number, n: number): number {
  let hash = finish(low(seed) ^ 0x9e3779b9);
  hash = finish(hash ^ high(seed) ^ Math.imul(kindHash, 0x85ebca6b));
  hash = finish(hash + Math.imul(low(n), 0x9e3779b1) + high(n));
  return hash / TWO_32;
}

/** The 128 bits that events are hashed into: 32 would make UUIDs of different events collide. */
class State {
  // Signed 32-bit numbers throughout: larger ones would be boxed.
  a = 0x6a09e667 | 0;
  b = 0xbb67ae85 | 0;
  c = 0x3c6ef372 | 0;
  d = 0xa54ff53a | 0;

  mixNumber(value: number): void {
    this.mix(0x6e756d);
    if (Number.isInteger(value)) {
      this.mix(low(value));
      this.mix(high(value));
    } else {
      this.mixText(String(value));
    }
  }

  mixText(text: string): void {
    // The length first, so that ("ab", "c") and ("a", "bc") differ.
    this.mix(text.length);
    for (let index = 0; index < text.length; index += 1) {
      this.mix(text.charCodeAt(index));
    }
  }

  private mix(unit: number): void {
    const a = this.b ^ Math.imul(this.a ^ unit, 597399067);
    const b = this.c ^ Math.imul(this.b ^ unit, 2869860233);
    const c = this.d ^ Math.imul(this.c ^ unit, 951274213);
    this.d = a ^ Math.imul(this.d ^ unit, 2716044179);
    this.a = a;
    this.b = b;
    this.c = c;
  }
}

/** The sfc32 generator (Chris Doty-Humphrey, PractRand), 128 bits of state. */
class Generator implements Random {
  private a: number;
  private b: number;
  private c: number;
  private d: number;

  constructor(state: State) {
    this.a = finish(state.a) | 0;
    this.b = finish(state.b) | 0;
    this.c = finish(state.c) | 0;
    this.d = finish(state.d) | 0;
    for (let round = 0; round < 8; round += 1) {
      this.bits();
    }
  }

  next(): number {
    return this.bits() / TWO_32;
  }

  int(min: number, max: number): number {
    const lowest = Math.ceil(Math.min(min, max));
    const highest = Math.floor(Math.max(min, max));
    const span = highest - lowest + 1;
    if (span <= 1) {
      return lowest;
    }
    if (span <= TWO_32) {
      return lowest + Math.floor(this.next() * span);
    }
    const wide = ((this.bits() >>> 5) * 2 ** 26 + (this.bits() >>> 6)) / 2 ** 53;
    return Math.min(highest, lowest + Math.floor(wide * span));
  }

  float(min: number, max: number): number {
    return min + this.next() * (max - min);
  }

  bool(): boolean {
    return this.bits() >= 0x80000000;
  }

  pick<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.next() * list.length)];
  }

  string(length: number): string {
    const bytes = Buffer.allocUnsafe(length);
    for (let index = 0; index < length; index += 1) {
      bytes[index] = ALPHABET.charCodeAt(Math.floor(this.next() * ALPHABET.length));
    }
    return bytes.toString('latin1');
  }

  uuid(): string {
    const a = this.bits();
    const b = ((this.bits() & 0xffff0fff) | 0x4000) >>> 0;
    const c = ((this.bits() & 0x3fffffff) | 0x80000000) >>> 0;
    const d = this.bits();
    return `${hex16(a >>> 16)}${hex16(a)}-${hex16(b >>> 16)}-${hex16(b)}-${hex16(c >>> 16)}-${hex16(c)}${hex16(d >>> 16)}${hex16(d)}`;
  }

  private bits(): number {
    const sum = (((this.a + this.b) | 0) + this.d) | 0;
    this.d = (this.d + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }
}

function hex16(value: number): string {
  return `${HEX[(value >>> 8) & 0xff] ?? ''}${HEX[value & 0xff] ?? ''}`;
}

/** The finaliser of MurmurHash3 (Austin Appleby): every input bit reaches every output bit. */
function finish(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function low(value: number): number {
  return value | 0;
}

function high(value: number): number {
  return Math.floor(value / TWO_32) | 0;
}
