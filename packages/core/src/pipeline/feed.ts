import { messageOf } from '../errors.js';
import { nextTurn } from '../time/turns.js';

/** So much is passed on before others are let in, of a feed that has it ready. */
const AT_ONCE = 50;

/** The open stream that a feed goes into. */
export interface FedStream {
  /** @throws BacklotError `invalid` for data that the kind does not take */
  push(data: unknown): void;
  /** Ends the stream: well, or with the text of an error, and what has thrown it. */
  close(error: string | undefined, cause?: unknown): void;
}

/** What a function goes on sending into the stream that its answer has opened. */
export class Feed {
  readonly #source: AsyncIterable<unknown>;
  readonly #leave: () => void;
  readonly #fail: (thrown: unknown) => void;
  #iterator: AsyncIterator<unknown> | undefined;
  #isOver = false;

  /**
   * @param leave - told when nobody takes any more
   * @param fail - told what the source has thrown
   */
  constructor(source: AsyncIterable<unknown>, leave: () => void, fail: (thrown: unknown) => void) {
    this.#source = source;
    this.#leave = leave;
    this.#fail = fail;
  }

  /** Begins to push, after what the answer itself sends first. */
  start(stream: FedStream): void {
    void Promise.resolve().then(() => this.#run(stream));
  }

  /** The stream has ended, for whatever reason. */
  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#leave();
    const ending = this.#iterator?.return?.();
    if (ending !== undefined) Promise.resolve(ending).catch(() => undefined);
  }

  async #run(stream: FedStream): Promise<void> {
    if (this.#isOver) return;
    try {
      this.#iterator = this.#source[Symbol.asyncIterator]();
      for (let count = 1; ; count += 1) {
        const step = await this.#iterator.next();
        if (this.#isOver) return;
        if (step.done === true) break;
        stream.push(step.value);
        if (count % AT_ONCE === 0) await nextTurn();
      }
    } catch (thrown) {
      if (this.#isOver) return;
      this.#fail(thrown);
      stream.close(messageOf(thrown), thrown);
      return;
    }
    stream.close(undefined);
  }
}

/** Whether a function has returned what gives one value after the other. */
export function isFeed(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
