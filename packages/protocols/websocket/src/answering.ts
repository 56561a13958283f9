import { nextTurn, Slice } from '@backlot/core/plugin';
import { ShownMessages } from '@backlot/kit';
import type { Answer, Step } from './answer.js';
import type { WebsocketContext, WebsocketExchange, WebsocketMatch } from './shape.js';
import { AnswerNotAllowed } from './contract/gate.js';
import { INTERNAL_ERROR } from './wire/close-code.js';

/** Where answers go. */
export interface Outlet {
  /** Whether more was sent than the client has read: no more is to be sent now. */
  readonly isChoked: boolean;
  /** Resolves once {@link isChoked} is over, or nobody is to wait any more. */
  whenRead(): Promise<void>;
  /** Makes and sends the messages of a step. @returns what the journal shows of them */
  send(exchange: WebsocketExchange, match: WebsocketMatch, step: Step): string | Buffer | undefined;
  /** Closes the connection after an answer. */
  close(code: number, reason: string, exchange: WebsocketExchange): void;
}

/** Gives the answers of mocks: step by step, each after its delay, to a client that reads them. */
export class Answering {
  readonly #context: WebsocketContext;
  readonly #outlet: Outlet;

  constructor(context: WebsocketContext, outlet: Outlet) {
    this.#context = context;
    this.#outlet = outlet;
  }

  /** @returns a promise only when the answer has to wait */
  give(exchange: WebsocketExchange, match: WebsocketMatch, answer: Answer): Promise<void> | undefined {
    const [only, further] = answer.steps;
    if (further === undefined && only?.delay === 0) {
      this.#finish(exchange, match, answer, () => this.#outlet.send(exchange, match, only));
      return undefined;
    }
    return this.#play(exchange, match, answer);
  }

  /** An answer cannot be made: the connection is closed with 1011. */
  fail(exchange: WebsocketExchange, match: WebsocketMatch, thrown: unknown): void {
    this.#context.log.error(`an answer of mock "${match.mock.id}" could not be made`, thrown);
    const reason = thrown instanceof AnswerNotAllowed ? `mock "${match.mock.id}": ${thrown.message}` : '';
    this.#outlet.close(INTERNAL_ERROR, reason, exchange);
    exchange.done({ status: INTERNAL_ERROR });
  }

  /** Sends what has to wait: for its delay, or for what stands before it. */
  async #play(exchange: WebsocketExchange, match: WebsocketMatch, answer: Answer): Promise<void> {
    const { steps } = answer;
    const outlet = this.#outlet;
    const slice = new Slice();
    const shown = new ShownMessages();
    for (const [index, step] of steps.entries()) {
      const delay = match.delayOf(step.delay);
      const waits = delay > 0 || (outlet.isChoked && !exchange.ended);
      if (delay > 0) await exchange.wait(delay);
      if (outlet.isChoked && !exchange.ended) await outlet.whenRead();
      // Others were let in meanwhile: who has waited longer does not stand back behind who has not, else answers that
      // are due at the same time would change places.
      if (waits) slice.restart();
      else if (slice.isOver) {
        await nextTurn();
        slice.restart();
      }
      if (exchange.ended) return;
      const send = (): string | Buffer | undefined => shown.add(outlet.send(exchange, match, step));
      if (index === steps.length - 1) this.#finish(exchange, match, answer, send);
      else if (!this.#attempt(exchange, match, send)) return;
      else exchange.started({});
    }
  }

  /** Sends the last messages of an answer, and closes the connection when the answer says so. */
  #finish(
    exchange: WebsocketExchange,
    match: WebsocketMatch,
    answer: Answer,
    send: () => string | Buffer | undefined,
  ): void {
    this.#attempt(exchange, match, () => {
      const body = send();
      const shown = body === undefined ? {} : { body };
      if (answer.close === undefined) return exchange.done(shown);
      const { code, reason } = answer.close;
      this.#outlet.close(code, reason === undefined ? '' : match.render(reason), exchange);
      exchange.done({ status: code, ...shown });
    });
  }

  /** Makes and sends messages; one that cannot be made closes the connection. */
  #attempt(exchange: WebsocketExchange, match: WebsocketMatch, send: () => unknown): boolean {
    try {
      send();
      return true;
    } catch (thrown) {
      this.fail(exchange, match, thrown);
      return false;
    }
  }
}
