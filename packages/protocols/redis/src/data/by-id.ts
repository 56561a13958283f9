import { Sequence } from './sequence.js';

/** An id of a stream as one number: milliseconds in the upper 64 bits, the sequence number in the lower. */
export type StreamId = bigint;

/** The largest id, and the smallest. */
export const MAX_ID: StreamId = 2n ** 128n - 1n;
/** See {@link MAX_ID}. */
export const MIN_ID: StreamId = 0n;

/** Things with ids, in the order of these: seeking, adding and removing take steps that grow with the logarithm of the size. */
export class ById<T extends { readonly id: StreamId }> {
  readonly #items = new Sequence<T>();

  get size(): number {
    return this.#items.size;
  }

  get first(): T | undefined {
    return this.#items.at(0);
  }

  get last(): T | undefined {
    return this.#items.at(this.size - 1);
  }

  at(place: number): T | undefined {
    return this.#items.at(place);
  }

  /** How many things have smaller ids. */
  placeOf(id: StreamId): number {
    const { last } = this;
    return last === undefined || last.id < id ? this.size : this.#items.firstWhere((item) => item.id >= id);
  }

  get(id: StreamId): T | undefined {
    const item = this.#items.at(this.placeOf(id));
    return item?.id === id ? item : undefined;
  }

  /** Adds a thing whose id is not there. */
  add(item: T): void {
    this.#items.insert(this.placeOf(item.id), item);
  }

  /** Takes a thing out, and gives it; `undefined` when it is not there. */
  delete(id: StreamId): T | undefined {
    const place = this.placeOf(id);
    return this.#items.at(place)?.id === id ? this.#items.take(place) : undefined;
  }

  /** Takes out the first things, and gives them. */
  shift(count: number): T[] {
    return this.#items.remove(0, count);
  }

  /** How many things stand before the first for which `isIn` holds; it must hold for all behind that one. */
  firstWhere(isIn: (item: T) => boolean): number {
    return this.#items.firstWhere(isIn);
  }

  /** Goes through the things from one place up to, not including, another; see {@link Sequence.range}. */
  range(start = 0, end = this.size, isReversed = false): Generator<T, void> {
    return this.#items.range(start, Math.min(end, this.size), isReversed);
  }
}
