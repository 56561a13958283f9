import type { CollectionChange } from '../contract/collections.js';

/** So many changes wait for one who reads them. */
const MAX_WAITING = 1_000;

/** The changes of some collections, one after the other, for one reader. */
export class ChangeQueue implements AsyncIterableIterator<CollectionChange> {
  readonly #names: readonly string[];
  #waiting: CollectionChange[] = [];
  readonly #readers: ((step: IteratorResult<CollectionChange, undefined>) => void)[] = [];
  #onEnd: (() => void) | undefined;
  #isOver = false;

  /** @param names - the collections, of which each is told as `replaced` when there is too much to tell */
  constructor(names: readonly string[]) {
    this.#names = names;
  }

  /** Says what is called once nobody is told any more. */
  onEnd(callback: () => void): void {
    this.#onEnd = callback;
  }

  add(change: CollectionChange): void {
    if (this.#isOver) return;
    const reader = this.#readers.shift();
    if (reader !== undefined) reader({ done: false, value: change });
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(change);
    else this.#waiting = this.#names.map((collection) => ({ type: 'replaced', collection }));
  }

  /** Nothing more is told; what waits is dropped. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#waiting = [];
    for (const reader of this.#readers.splice(0)) reader({ done: true, value: undefined });
    this.#onEnd?.();
  }

  next(): Promise<IteratorResult<CollectionChange, undefined>> {
    const value = this.#waiting.shift();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  return(): Promise<IteratorResult<CollectionChange, undefined>> {
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
