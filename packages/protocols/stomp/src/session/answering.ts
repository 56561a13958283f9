import { isUtf8 } from 'node:buffer';
import {
  messageOf,
  nextTurn,
  Slice,
  type Context,
  type ExchangeFor,
  type MatchOf,
  type Reply,
} from '@backlot/core/plugin';
import { ShownMessages } from '@backlot/kit';
import { refusalOfAnswer } from '../contract/gate.js';
import type { Subscription } from '../broker/subscription.js';
import type { CompiledResponse } from '../matcher.js';
import type { StompShape } from '../shape.js';
import { show, StompError } from '../wire/stomp-error.js';
import type { Arrival, Intake, Names, Outcome } from './intake.js';
import { renderAnswer } from './render-answer.js';

/** Answers of several messages that are under way at a time. */
const MAX_PLAYING = 10_000;

/** A message that a mock has matched, and where the answer goes. */
interface Answered {
  readonly exchange: ExchangeFor<StompShape>;
  readonly match: MatchOf<StompShape>;
  readonly names: Names;
  /** What gets messages without a destination, in place of the sender's `reply-to`. */
  readonly subscription: Subscription | undefined;
}

/** A message of an answer as the journal shows it; a promise where many get it. */
interface Sent {
  readonly sent: { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer };
  readonly published: Promise<void> | undefined;
}

/** Publishes the answers of mocks: at once, or one message after the other, each after its delay. */
export class Answering {
  readonly #context: Context<StompShape>;
  readonly #intake: Intake;
  readonly #playing = new Set<ExchangeFor<StompShape>>();

  constructor(context: Context<StompShape>, intake: Intake) {
    this.#context = context;
    this.#intake = intake;
  }

  /**
   * Answers, when a mock has matched.
   *
   * @param subscription - that a mock answers
   * @throws StompError when the answer cannot be made
   */
  give({ exchange, names }: Arrival, outcome: Outcome, subscription?: Subscription): void {
    if (outcome.type === 'aborted') return;
    if (outcome.type !== 'matched') return exchange.done();
    const { steps } = outcome.mock.compiled;
    const answered = { exchange, match: outcome, names, subscription };
    const [only, further] = steps;
    if (only === undefined) exchange.done();
    else if (further === undefined && only.delay === 0) exchange.done(this.#attempt(answered, only.response));
    else this.#begin(answered);
  }

  /** Ends the exchange of what a fault has fired for, or for another message of its transaction. */
  reject({ exchange }: Arrival, outcome: Outcome): void {
    if (outcome.type === 'aborted') return;
    exchange.done({ status: 'ERROR', body: outcome.type === 'fault' ? (outcome.fault.message ?? '') : '' });
  }

  /** The server stops: what is not sent is sent no more. */
  stop(): void {
    for (const exchange of this.#playing) exchange.abort();
    this.#playing.clear();
  }

  #begin(answered: Answered): void {
    const { exchange, match } = answered;
    if (this.#playing.size >= MAX_PLAYING) {
      exchange.done({ status: 'ERROR', body: 'too many answers' });
      throw new StompError(
        'too many answers',
        `${MAX_PLAYING} answers of several messages are under way already`,
      );
    }
    this.#playing.add(exchange);
    this.#play(answered)
      .catch((thrown: unknown) => {
        exchange.done({ status: 'ERROR', body: messageOf(thrown) });
        this.#context.log.error(`a message of the mock "${match.mock.id}" could not be made`, thrown);
      })
      .finally(() => this.#playing.delete(exchange));
  }

  async #play(answered: Answered): Promise<void> {
    const { exchange, match, subscription } = answered;
    const shown = new ShownMessages();
    const slice = new Slice();
    let first: Reply | undefined;
    let body: string | Buffer | undefined;
    for (const { response, delay } of match.mock.compiled.steps) {
      const milliseconds = match.delayOf(delay);
      if (milliseconds > 0) await exchange.wait(milliseconds);
      else if (slice.isOver) await nextTurn();
      if (milliseconds > 0 || slice.isOver) slice.restart();
      if (exchange.ended) return;
      if (!exchange.isCurrent || subscription?.isEnded === true) break;
      const { sent, published } = this.#send(answered, response);
      body = shown.add(isUtf8(sent.body) ? sent.body.toString('utf8') : sent.body);
      if (first === undefined) {
        first = { headers: sent.headers };
        exchange.started({ ...first, ...(body === undefined ? {} : { body }) });
      }
      await published;
    }
    exchange.done({ ...first, ...(body === undefined ? {} : { body }) });
  }

  #attempt(answered: Answered, response: CompiledResponse): Reply {
    try {
      return this.#send(answered, response).sent;
    } catch (thrown) {
      answered.exchange.done({ status: 'ERROR', body: messageOf(thrown) });
      throw new StompError(
        'the mock could not answer',
        `the answer of the mock ${show(answered.match.mock.id)} could not be made: ${messageOf(thrown)}`,
      );
    }
  }

  #send({ exchange, match, names, subscription }: Answered, response: CompiledResponse): Sent {
    const { message } = exchange;
    const { destination: rendered, headers, body } = renderAnswer(match, response, message);
    const replyTo = subscription === undefined ? message.sent['reply-to'] : undefined;
    const named = rendered === '' ? (replyTo ?? '') : rendered;
    const destination = named === '' ? message.path : named;
    const sent = { headers: { destination, ...headers }, body };
    const refusal = refusalOfAnswer(this.#context, exchange, { destination, body });
    if (refusal !== undefined) throw new Error(`the contract does not allow it: ${refusal}`);
    if (named === '' && subscription !== undefined) {
      subscription.push(this.#intake.make(subscription.destination, headers, body));
      return { sent, published: undefined };
    }
    const route = names.route(destination);
    if (route === undefined) return { sent, published: undefined };
    const published = this.#intake.give(this.#intake.make(route, headers, body), exchange.isCurrent);
    return { sent, published };
  }
}
