import type { Waiting } from '@backlot/core/plugin';
import type { GraphqlContext, GraphqlExchange, GraphqlMatch } from '../shape.js';
import type { ResultChannel, ResultWriter } from '../wire/result-channel.js';
import type { PartedAnswer } from './parted-answer.js';

/** What an answer in parts is made of. */
export interface LaterPartsOptions {
  readonly context: GraphqlContext;
  readonly exchange: GraphqlExchange;
  readonly answer: PartedAnswer;
  readonly channel: ResultChannel;
  /** The mock that answers; absent when the answer is made by the schema alone. */
  readonly match: GraphqlMatch | undefined;
}

/** Sends the payloads of an answer one after another, with the delay of the mock before each but the first one. */
export class LaterParts {
  readonly #options: LaterPartsOptions;
  readonly #writer: ResultWriter;
  #next = 0;
  #waiting: Waiting | undefined;
  #hasEnded = false;

  constructor(options: LaterPartsOptions) {
    this.#options = options;
    const { channel, exchange } = options;
    this.#writer = channel.open();
    channel.onClose(() => this.#leave());
    exchange.started({ status: channel.head.status, headers: channel.head.headers });
  }

  /** Sends what is not delayed, and the rest in its time. */
  readonly start = (): void => {
    const { context, answer, channel, match, exchange } = this.#options;
    while (!this.#hasEnded) {
      if (this.#writer.isChoked) return this.#writer.whenDrained(this.start);
      if (this.#next === answer.payloads.length) {
        this.#hasEnded = true;
        channel.end();
        return exchange.done({ body: answer.payloads.join('\n') });
      }
      const delay = this.#next === 0 ? 0 : (match?.delayOf(match.mock.compiled.deferredDelay) ?? 0);
      if (delay > 0) {
        this.#waiting = context.clock.after(delay, () => {
          this.#write();
          this.start();
        });
        return;
      }
      this.#write();
    }
  };

  #write(): void {
    const { answer, channel } = this.#options;
    const payload = answer.payloads[this.#next] ?? '';
    this.#next += 1;
    this.#writer.write(channel.framing.result(payload));
  }

  #leave(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#waiting?.cancel();
    this.#writer.forget(this.start);
    this.#options.exchange.abort();
  }
}
