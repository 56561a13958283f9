/** So many messages may wait for a function before no further ones are read. */
const MAX_WAITING = 100;

/** The request messages of one call, for a function that reads them as they come. */
export class Arriving implements AsyncIterableIterator<unknown> {
  readonly #waiting: unknown[];
  readonly #readers: ((step: IteratorResult<unknown, undefined>) => void)[] = [];
  #isOver = false;
  #whenRoom: (() => void) | undefined;

  /** @param early - those that have come */
  constructor(early: readonly unknown[]) {
    this.#waiting = [...early];
  }

  /** Whether no further message should be read now. */
  get isFull(): boolean {
    return this.#waiting.length >= MAX_WAITING && !this.#isOver;
  }

  /** Calls back once there is room for another message. */
  whenRoom(callback: () => void): void {
    this.#whenRoom = callback;
  }

  add(message: unknown): void {
    if (this.#isOver) return;
    const reader = this.#readers.shift();
    if (reader === undefined) this.#waiting.push(message);
    else reader({ done: false, value: message });
  }

  /** No more will come: the client has sent its last message, or the call is over. */
  end(): void {
    this.#isOver = true;
    for (const reader of this.#readers.splice(0)) reader({ done: true, value: undefined });
  }

  next(): Promise<IteratorResult<unknown, undefined>> {
    if (this.#waiting.length > 0) {
      const value = this.#waiting.shift();
      const ask = this.#whenRoom;
      if (ask !== undefined && !this.isFull) {
        this.#whenRoom = undefined;
        ask();
      }
      return Promise.resolve({ done: false, value });
    }
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  /** The function wants no more: further messages are read and forgotten. */
  return(): Promise<IteratorResult<unknown, undefined>> {
    this.#waiting.length = 0;
    this.end();
    this.#whenRoom?.();
    this.#whenRoom = undefined;
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
