import { Sequence, type Page } from './sequence.js';

/** What an element takes in memory beside its bytes. */
const ELEMENT_BYTES = 48;

/** A list. Both ends and every place between are reached in steps that grow with the logarithm of its size. */
export class ListValue {
  readonly #elements = new Sequence<string>();
  #bytes = 0;

  get size(): number {
    return this.#elements.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  at(index: number): string | undefined {
    return this.#elements.at(index);
  }

  /** Puts another element in place of one that is there. */
  set(index: number, element: string): void {
    this.#bytes += element.length - (this.at(index)?.length ?? 0);
    this.#elements.set(index, element);
  }

  /** Puts an element before the one at `index`, or behind all when that is the size. */
  insert(index: number, element: string): void {
    this.#elements.insert(index, element);
    this.#bytes += element.length + ELEMENT_BYTES;
  }

  pushFirst(element: string): void {
    this.insert(0, element);
  }

  pushLast(element: string): void {
    this.insert(this.size, element);
  }

  popFirst(): string | undefined {
    return this.#take(0);
  }

  popLast(): string | undefined {
    return this.#take(this.size - 1);
  }

  /** Takes out the elements from one index up to, not including, another, and gives them. */
  remove(start: number, end: number): string[] {
    const removed = this.#elements.remove(start, end);
    for (const element of removed) this.#bytes -= element.length + ELEMENT_BYTES;
    return removed;
  }

  /** The elements that stand together with the one at an index; see {@link Sequence.pageAt}. */
  pageAt(index: number): Page<string> {
    return this.#elements.pageAt(index);
  }

  /** The elements from one index up to, not including, another. */
  slice(start: number, end: number): string[] {
    return this.#elements.slice(start, end);
  }

  /** Goes through the elements from one index up to, not including, another; see {@link Sequence.range}. */
  range(start: number, end: number): Iterable<string> {
    return this.#elements.range(start, end);
  }

  /** An independent copy, made step by step. */
  *copy(): Generator<undefined, ListValue> {
    const made = new ListValue();
    for (const element of this.range(0, this.size)) {
      made.pushLast(element);
      yield;
    }
    return made;
  }

  #take(index: number): string | undefined {
    const taken = this.#elements.take(index);
    if (taken !== undefined) this.#bytes -= taken.length + ELEMENT_BYTES;
    return taken;
  }
}
