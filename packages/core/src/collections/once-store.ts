import type { Message } from '../contract/message.js';
import type { AnsweringMock } from '../mocks/responder.js';
import type { Found } from './operation.js';

/** How many first answers are kept, and roughly how many bytes their messages may have together. */
export const MAX_ANSWERS = 10_000;
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const ENTRY_BYTES = 1024;

/**
 * What the templates of an answer have read that may change: it is given again in the same order when the answer is
 * made again.
 */
export interface Reading {
  readonly now: number;
  readonly numbers: Map<string, number[]>;
  readonly state: Map<string, string | undefined>;
}

/** A first answer: everything that it is made of. */
export interface FirstAnswer {
  /** Absent where another host has made it: then it is made of the message that asks again. */
  readonly message: Message | undefined;
  /** The seed of the host that has made it; absent for this one. */
  readonly seed?: number;
  readonly call: number;
  readonly found: Found;
  /** What `same` of the mock has given. */
  readonly same: string | undefined;
  readonly reading: Reading;
  /** The mock with the answer that its function has made; a promise while that is under way. */
  answering?: AnsweringMock | Promise<AnsweringMock> | undefined;
}

/** First answers by mock and key. */
export type SavedAnswers = ReadonlyMap<string, FirstAnswer>;

/** The first answers of mocks with `once`. Beyond the bounds the oldest are forgotten. */
export class OnceStore {
  #answers = new Map<string, FirstAnswer>();
  #isShared = false;
  #bytes = 0;

  find(name: string): FirstAnswer | undefined {
    return this.#answers.get(name);
  }

  add(name: string, answer: FirstAnswer): void {
    if (this.#isShared) this.#answers = new Map(this.#answers);
    this.#isShared = false;
    this.#answers.set(name, answer);
    this.#bytes += bytesOf(answer);
    for (const [oldest, dropped] of this.#answers) {
      if (this.#answers.size <= MAX_ANSWERS && this.#bytes <= MAX_ANSWER_BYTES) break;
      this.#answers.delete(oldest);
      this.#bytes -= bytesOf(dropped);
    }
  }

  save(): SavedAnswers {
    this.#isShared = true;
    return this.#answers;
  }

  restore(saved: SavedAnswers): void {
    this.#answers = saved as Map<string, FirstAnswer>;
    this.#isShared = true;
    this.#bytes = 0;
    for (const answer of saved.values()) this.#bytes += bytesOf(answer);
  }
}

function bytesOf({ message }: FirstAnswer): number {
  return ENTRY_BYTES + (message?.body?.length ?? 0) + (message?.path.length ?? 0);
}
