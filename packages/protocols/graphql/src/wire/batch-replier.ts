import type { Random } from '@backlot/core/plugin';
import { bytesOf, type HttpAnswer, type LostForm, type Replier } from '@backlot/kit/http';

/**
 * Puts the answers of the operations of one request together. Each operation has a part, which it answers as if it were
 * a request; when all are answered, the list of them is.
 */
export class Batch {
  readonly parts: readonly Replier[];
  readonly #reply: Replier;
  readonly #send: (list: string) => void;
  readonly #texts: string[] = [];
  #left: number;
  #isOver = false;

  /** @param send - sends the whole answer, a list as JSON */
  constructor(count: number, reply: Replier, send: (list: string) => void) {
    this.#reply = reply;
    this.#send = send;
    this.#left = count;
    this.parts = Array.from({ length: count }, (_, index) => this.#makePart(index));
  }

  #makePart(index: number): Replier {
    const reply = this.#reply;
    return {
      send: (answer) => this.#take(index, answer),
      stream: (head) => reply.stream(head),
      truncate: (answer, bytes) => this.#end(() => reply.truncate(answer, bytes)),
      lose: (form: LostForm, random: Random) => this.#end(() => reply.lose(form, random)),
      get hasBegun() {
        return reply.hasBegun;
      },
      onClose: (listener) => reply.onClose(listener),
    };
  }

  #take(index: number, answer: HttpAnswer): void {
    if (this.#isOver) return;
    this.#texts[index] = resultOf(answer);
    this.#left -= 1;
    if (this.#left === 0) this.#end(() => this.#send(`[${this.#texts.join(',')}]`));
  }

  /** A fault of one operation that breaks its answer breaks that of the request. */
  #end(answer: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    answer();
  }
}

/** The result that an answer holds; of a fault with another body, an error with that. */
function resultOf(answer: HttpAnswer): string {
  const text = bytesOf(answer).toString('utf8');
  if (answer.status === 200 || text.startsWith('{"errors":')) return text;
  return JSON.stringify({ errors: [{ message: text, extensions: { status: answer.status } }] });
}
