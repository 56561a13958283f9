import type { Halves } from './murmur-hash.js';

/** Registers, and bits of the hash that choose one. */
const REGISTERS = 16_384;
const INDEX_MASK = REGISTERS - 1;
const INDEX_BITS = 14;
/** Bits of the hash that are counted. */
const COUNTED_BITS = 50;
const REGISTER_BITS = 6;
const REGISTER_MAX = 63;
const HEADER = 16;
const DENSE_BYTES = (REGISTERS * REGISTER_BITS) / 8;
/** 1 / (2 ln 2): the constant of the estimator. */
const ALPHA = 0.72134752044448170368;
/** The seed of the hash of elements. */
export const HLL_SEED: Halves = { high: 0, low: 0xadc83b19 };
/** Says that the number in the header is not to be used. */
const STALE = 0x80;

/** What is counted in a HyperLogLog, as a string of Redis holds it: 16 bytes of header, and the registers. */
export class HyperLogLog {
  readonly #registers: Uint8Array<ArrayBuffer>;

  constructor(registers = new Uint8Array(REGISTERS)) {
    this.#registers = registers;
  }

  /** Whether an element with this hash changes anything. */
  add({ high, low }: Halves): boolean {
    const index = low & INDEX_MASK;
    return this.#raise(
      index,
      countZeros((low >>> INDEX_BITS) | (high << (32 - INDEX_BITS)), high >>> INDEX_BITS) + 1,
    );
  }

  /** Takes in what another one has counted. */
  merge(other: HyperLogLog): void {
    for (let index = 0; index < REGISTERS; index += 1) this.#raise(index, other.#registers[index] ?? 0);
  }

  /** The estimate (Otmar Ertl, "New cardinality estimation algorithms for HyperLogLog sketches", 2017). */
  count(): number {
    const histogram = new Array<number>(64).fill(0);
    for (const register of this.#registers) histogram[register] = (histogram[register] ?? 0) + 1;
    const last = histogram[COUNTED_BITS + 1] ?? 0;
    let z = REGISTERS * tau((REGISTERS - last) / REGISTERS);
    for (let rank = COUNTED_BITS; rank >= 1; rank -= 1) z = (z + (histogram[rank] ?? 0)) * 0.5;
    z += REGISTERS * sigma((histogram[0] ?? 0) / REGISTERS);
    return Math.round((ALPHA * REGISTERS * REGISTERS) / z);
  }

  /** The dense form. */
  encode(): string {
    const bytes = Buffer.alloc(HEADER + DENSE_BYTES + 1);
    bytes.write('HYLL', 'latin1');
    bytes[HEADER - 1] = STALE;
    for (let index = 0; index < REGISTERS; index += 1) {
      const bit = index * REGISTER_BITS;
      const place = HEADER + (bit >> 3);
      const shifted = (this.#registers[index] ?? 0) << (bit & 7);
      bytes[place] = (bytes[place] ?? 0) | (shifted & 0xff);
      bytes[place + 1] = (bytes[place + 1] ?? 0) | (shifted >> 8);
    }
    return bytes.toString('latin1', 0, HEADER + DENSE_BYTES);
  }

  #raise(index: number, rank: number): boolean {
    if (rank <= (this.#registers[index] ?? 0)) return false;
    this.#registers[index] = rank;
    return true;
  }
}

/** Reads the dense or the sparse form; `undefined` when a string is neither. */
export function decodeHyperLogLog(text: string): HyperLogLog | undefined {
  if (text.length < HEADER || !text.startsWith('HYLL')) return undefined;
  const form = text.charCodeAt(4);
  if (form === 0) return text.length === HEADER + DENSE_BYTES ? new HyperLogLog(readDense(text)) : undefined;
  const sparse = form === 1 ? readSparse(text) : undefined;
  return sparse && new HyperLogLog(sparse);
}

function readDense(text: string): Uint8Array<ArrayBuffer> {
  const registers = new Uint8Array(REGISTERS);
  for (let index = 0; index < REGISTERS; index += 1) {
    const bit = index * REGISTER_BITS;
    const place = HEADER + (bit >> 3);
    const both = text.charCodeAt(place) | ((text.charCodeAt(place + 1) || 0) << 8);
    registers[index] = (both >> (bit & 7)) & REGISTER_MAX;
  }
  return registers;
}

/** Runs: `00xxxxxx` zeros, `01xxxxxx xxxxxxxx` many zeros, `1vvvvvxx` a value some times. */
function readSparse(text: string): Uint8Array<ArrayBuffer> | undefined {
  const registers = new Uint8Array(REGISTERS);
  let index = 0;
  for (let place = HEADER; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    if (code >= 0x80) {
      const end = index + (code & 3) + 1;
      registers.fill(((code >> 2) & 0x1f) + 1, index, end);
      index = end;
    } else if (code >= 0x40) {
      place += 1;
      index += (((code & 0x3f) << 8) | (text.charCodeAt(place) || 0)) + 1;
    } else index += code + 1;
  }
  return index === REGISTERS ? registers : undefined;
}

/** How many zeros stand below the lowest bit that is set, of 50. */
function countZeros(low: number, high: number): number {
  if (low !== 0) return 31 - Math.clz32(low & -low);
  return high === 0 ? COUNTED_BITS : 32 + 31 - Math.clz32(high & -high);
}

function sigma(start: number): number {
  if (start === 1) return Infinity;
  let [x, y, z] = [start, 1, start];
  for (let before = NaN; before !== z;) {
    x *= x;
    before = z;
    z += x * y;
    y += y;
  }
  return z;
}

function tau(start: number): number {
  if (start === 0 || start === 1) return 0;
  let [x, y, z] = [start, 1, 1 - start];
  for (let before = NaN; before !== z;) {
    x = Math.sqrt(x);
    before = z;
    y *= 0.5;
    z -= (1 - x) ** 2 * y;
  }
  return z / 3;
}
