import type { OpenStream, Reply, StreamControl, Waiting } from '@backlot/core/plugin';
import { answerRefusal } from '../contract/gate.js';
import type { Failure } from './failure.js';
import type { GivenResult } from './result.js';
import { pushedText, renderEntry } from './stream-entry.js';
import type { StreamData } from '../schemas.js';
import type { GraphqlContext, GraphqlExchange, GraphqlMatch } from '../shape.js';
import type { ResultWriter } from '../wire/result-channel.js';

/** How much of what was sent the journal shows, in characters. */
const MAX_SHOWN = 64 * 1024;

/** What a subscription is made of. */
export interface SubscriptionParts {
  readonly context: GraphqlContext;
  readonly exchange: GraphqlExchange;
  readonly match: GraphqlMatch;
  readonly writer: ResultWriter;
  /** Status and headers, over HTTP. */
  readonly head?: Pick<Reply, 'status' | 'headers'>;
  /** Completes a result of the mock by the schema, where there is one. */
  readonly complete: ((given: GivenResult) => string) | undefined;
  /** Makes the message that carries a result. */
  readonly frame: (result: string) => string;
  /** Told once when it ends from this side: normally, or with an error. */
  readonly onEnd: (failure: Failure | undefined) => void;
}

/** One open subscription, from the moment when its mock has matched to its end. */
export class Subscription implements StreamControl<StreamData> {
  readonly #parts: SubscriptionParts;
  readonly #open: OpenStream;
  #next = 0;
  #shown = '';
  #waiting: Waiting | undefined;
  #hasEnded = false;

  constructor(parts: SubscriptionParts) {
    this.#parts = parts;
    this.#open = parts.context.streams.open(parts.match.mock.id, this);
    parts.exchange.started(parts.head ?? {});
  }

  /** Sends the entries of the stream, or the one result of a mock without a stream; it then stays open. */
  start(): void {
    const { match, complete } = this.#parts;
    const { stream, result } = match.mock.compiled;
    if (stream !== undefined) return this.#goOn();
    this.#attempt(() => this.#send(complete?.(result.value(match)) ?? result.render(match)));
  }

  push(data: StreamData): void {
    const text = pushedText(data);
    if (this.#hasEnded) return;
    this.#show(text);
    this.#parts.writer.push(this.#parts.frame(text));
  }

  close(error: string | undefined): void {
    this.#finish(error === undefined ? undefined : { message: error });
  }

  /**
   * The client has ended it.
   *
   * @param isGone - whether it has left altogether
   */
  leave(isGone: boolean): void {
    if (this.#hasEnded) return;
    this.#stop();
    if (isGone) this.#parts.exchange.abort();
    else this.#parts.exchange.done({ body: this.#shown });
  }

  readonly #goOn = (): void => {
    const { context, match, writer } = this.#parts;
    const entries = match.mock.compiled.stream ?? [];
    while (!this.#hasEnded && this.#next < entries.length) {
      if (writer.isChoked) return writer.whenDrained(this.#goOn);
      const entry = entries[this.#next];
      const delay = entry === undefined ? 0 : match.delayOf(entry.delay);
      if (delay > 0) {
        this.#waiting = context.clock.after(delay, () => {
          this.#waiting = undefined;
          this.#emit();
          this.#goOn();
        });
        return;
      }
      this.#emit();
    }
  };

  #emit(): void {
    const { match, complete } = this.#parts;
    const index = this.#next;
    const entry = match.mock.compiled.stream?.[index];
    this.#next += 1;
    if (entry === undefined || this.#hasEnded) return;
    this.#attempt(() => {
      const text = renderEntry(entry, index, match);
      this.#send(complete?.(JSON.parse(text) as GivenResult) ?? text);
    });
  }

  #attempt(send: () => void): void {
    try {
      send();
    } catch (thrown) {
      this.#finish({ message: thrown instanceof Error ? thrown.message : String(thrown) });
    }
  }

  #send(text: string): void {
    const { exchange, match } = this.#parts;
    const failure = answerRefusal(exchange, match.mock.id, text);
    if (failure !== undefined) return this.#finish(failure);
    this.#show(text);
    this.#parts.writer.write(this.#parts.frame(text));
  }

  #show(text: string): void {
    if (this.#shown.length >= MAX_SHOWN) return;
    const line = this.#shown === '' ? text : `\n${text}`;
    this.#shown += line.slice(0, MAX_SHOWN + 1 - this.#shown.length);
  }

  #finish(failure: Failure | undefined): void {
    if (this.#hasEnded) return;
    this.#stop();
    this.#parts.exchange.done({ body: this.#shown });
    this.#parts.onEnd(failure);
  }

  #stop(): void {
    this.#hasEnded = true;
    this.#waiting?.cancel();
    this.#parts.writer.forget(this.#goOn);
    this.#open.closed();
  }
}
