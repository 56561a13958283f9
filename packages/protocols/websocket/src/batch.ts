import { frameList } from './framing.js';

/** Characters of answers that are gathered; beyond them those that are there are sent. */
const MAX_GATHERED = 1024 * 1024;

/** The answers to messages that came in one list: they leave in one as well, once the last of them is made. */
export class Batch {
  readonly #send: (text: string) => void;
  #left: number;
  #answers: string[] = [];
  #length = 0;

  /** @param left - how many messages the list has */
  constructor(left: number, send: (text: string) => void) {
    this.#left = left;
    this.#send = send;
  }

  add(answer: string): void {
    this.#answers.push(answer);
    this.#length += answer.length;
    if (this.#length > MAX_GATHERED) this.flush();
  }

  /** One of the messages has been answered as far as it is. */
  endOne(): void {
    this.#left -= 1;
    if (this.#left <= 0) this.flush();
  }

  /** Sends what there is. */
  flush(): void {
    if (this.#answers.length === 0) return;
    const answers = this.#answers;
    this.#answers = [];
    this.#length = 0;
    this.#send(frameList(answers));
  }
}
