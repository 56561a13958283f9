import type { Context, ExchangeFor, OutcomeFor } from '@backlot/core/plugin';
import { turns } from '@backlot/core/plugin';
import { readFrames, type Connection } from '@backlot/kit';
import { FramingError } from '@backlot/kit/framing';
import type { LdapMessage } from './message.js';
import { parseResultCode, RESULT } from './result-codes.js';
import { resultOf } from './result-of.js';
import { SearchSender, type SearchAnswer } from './search-answer.js';
import type { LdapShape } from './shape.js';
import { BerFramer } from './wire/ber-framer.js';
import { encodeMessage, encodeNotice, encodeResult, type Result } from './wire/encode.js';
import { decodeEnvelope, type Envelope } from './wire/request.js';

/** Answers of one connection that may wait for a delay; beyond them nothing more is read until one is sent. */
const MAX_WAITING = 1000;
/** Milliseconds after which a client that has sent half a message, and nothing more, is let go. */
const HALF_SENT = 30_000;

export type LdapExchange = ExchangeFor<LdapShape>;
export type LdapOutcome = OutcomeFor<LdapShape>;

/** The result that a fault ends an operation with. */
export function faultResult(fault: Extract<LdapOutcome, { type: 'fault' }>['fault']): Result {
  const { result_code: code = RESULT.unavailable, message = '', referral } = fault;
  return referral === undefined
    ? { code: parseResultCode(code), message }
    : { code: RESULT.referral, message, referral };
}

/**
 * One connection: reads messages, keeps account of what is not answered yet, and sends answers. Answers may come in another
 * order than the requests (RFC 4511, section 3.1): one that is delayed holds up no other.
 */
export class LdapConnection {
  readonly connection: Connection;
  #context: Context<LdapShape>;
  readonly #unanswered = new Map<number, LdapExchange>();
  readonly #senders: SearchSender[] = [];
  readonly #framer = new BerFramer();
  readonly #take: (envelope: Envelope) => void;
  #hasLeft = false;

  /** @param take - takes a request; what it throws is answered */
  constructor(connection: Connection, context: Context<LdapShape>, take: (envelope: Envelope) => void) {
    this.connection = connection;
    this.#context = context;
    this.#take = take;
    connection.setIdleTimeout(HALF_SENT, this.#watchSilence);
    connection.onResume(() => this.#sendMore());
    connection.onEnd(() => this.#abandonWaiting());
    connection.onClose(() => this.#abortAll());
    readFrames(
      connection,
      this.#framer,
      (frame) => this.#receive(frame),
      (error) => this.#disconnect(error),
    );
  }

  /** A client between two requests may stay for as long as it likes. */
  readonly #watchSilence = (): void => {
    if (this.#framer.waiting > 0) this.connection.destroy();
    else this.connection.setIdleTimeout(HALF_SENT, this.#watchSilence);
  };

  /** Its client has named another world. */
  moveTo(context: Context<LdapShape>): void {
    this.#context = context;
    this.connection.setIdleTimeout(HALF_SENT, this.#watchSilence);
  }

  /** How many requests are not answered yet. */
  get waiting(): number {
    return this.#unanswered.size;
  }

  /** Asks mocks and faults, and answers then. */
  resolve(
    id: number,
    tag: number,
    message: LdapMessage,
    answer: (exchange: LdapExchange, outcome: LdapOutcome) => void,
  ): void {
    this.decide(id, tag, this.#context.receive(message), answer);
  }

  /** As {@link resolve}, for what was recorded already. */
  decide(
    id: number,
    tag: number,
    exchange: LdapExchange,
    answer: (exchange: LdapExchange, outcome: LdapOutcome) => void,
  ): void {
    const guarded = (outcome: LdapOutcome): void => {
      this.#guard(id, tag, exchange, () => {
        if (outcome.type === 'aborted') return;
        if (outcome.type === 'fault') {
          this.answer(id, tag, exchange, faultResult(outcome.fault));
        } else answer(exchange, outcome);
      });
    };
    const outcome = exchange.resolve();
    if (outcome instanceof Promise) this.#hold(id, exchange, outcome, guarded);
    else guarded(outcome);
  }

  /** The result that tells a client of an error; what is no mistake of the client goes to the log too. */
  explain(error: unknown): Result {
    const result = resultOf(error);
    if (result !== undefined) return result;
    this.#context.log.error('a request could not be answered', error);
    return { code: RESULT.other, message: 'the server has failed' };
  }

  /** Records what no mock could answer. */
  record(message: LdapMessage): LdapExchange {
    return this.#context.receive(message);
  }

  /** Sends a result. */
  answer(id: number, tag: number, exchange: LdapExchange, result: Result, ...more: readonly Buffer[]): void {
    this.connection.write(encodeMessage(id, encodeResult(tag, result, ...more)));
    exchange.done({ status: result.code, body: result.message ?? '' });
  }

  /** Sends what a search has found. */
  answerSearch(exchange: LdapExchange, answer: SearchAnswer): void {
    const sender = new SearchSender(this.connection, answer, exchange);
    const progress = sender.send();
    if (progress === 'done') return;
    this.connection.busy();
    this.#senders.push(sender);
    this.#unanswered.set(answer.id, exchange);
    if (progress === 'long') this.#sendSoon();
  }

  /** Answers once the work is done; meanwhile the request can be abandoned, and others are answered. */
  answerLater<T>(
    id: number,
    tag: number,
    exchange: LdapExchange,
    work: Promise<T>,
    answer: (done: T) => void,
  ): void {
    this.#hold(id, exchange, work, (done) => {
      if (!exchange.ended) this.#guard(id, tag, exchange, () => answer(done));
    });
  }

  /** Gives up a request that is not answered yet (RFC 4511, section 4.11). */
  abandon(id: number): void {
    const exchange = this.#unanswered.get(id);
    if (exchange === undefined) return;
    this.#unanswered.delete(id);
    exchange.abort();
    const at = this.#senders.findIndex((sender) => sender.id === id);
    if (at < 0) return;
    this.#senders.splice(at, 1);
    this.connection.idle();
  }

  /** The client has said that it goes. */
  leave(): void {
    this.#hasLeft = true;
    this.#abortAll();
    this.connection.end();
  }

  #receive(frame: Buffer): void {
    if (this.#hasLeft) return;
    const envelope = decodeEnvelope(frame);
    if (this.#unanswered.has(envelope.id)) {
      throw new FramingError('malformed', `the request with number ${envelope.id} is not answered yet`);
    }
    this.#take(envelope);
  }

  #disconnect(error: FramingError): void {
    this.connection.end(encodeNotice(RESULT.protocolError, error.message));
  }

  #hold<T>(id: number, exchange: LdapExchange, work: Promise<T>, answer: (done: T) => void): void {
    const { connection } = this;
    this.#unanswered.set(id, exchange);
    connection.busy();
    if (this.#unanswered.size === MAX_WAITING) connection.pause();
    const settle = (): void => {
      if (this.#unanswered.get(id) === exchange) this.#unanswered.delete(id);
      if (this.#unanswered.size < MAX_WAITING) connection.resume();
    };
    work.then(
      connection.isolate((late: T) => {
        settle();
        answer(late);
        connection.idle();
      }),
      connection.isolate((error) => {
        settle();
        throw error;
      }),
    );
  }

  /** A request that is refused is answered, and only that one ends. */
  #guard(id: number, tag: number, exchange: LdapExchange, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.answer(id, tag, exchange, this.explain(error));
    }
  }

  #sendMore(): void {
    for (let sender = this.#senders[0]; sender !== undefined; sender = this.#senders[0]) {
      const progress = this.connection.isPaused ? 'full' : sender.send();
      if (progress === 'long') return this.#sendSoon();
      if (progress === 'full') return;
      this.#senders.shift();
      this.#unanswered.delete(sender.id);
      this.connection.idle();
    }
  }

  #sendSoon(): void {
    turns.wait(this.connection.isolate(() => this.#sendMore()));
  }

  /** A client that ends its side has gone, as a rule: nobody waits for what is delayed. What is being sent goes on. */
  #abandonWaiting(): void {
    const sending = new Set(this.#senders.map(({ id }) => id));
    for (const id of [...this.#unanswered.keys()]) {
      if (!sending.has(id)) this.abandon(id);
    }
  }

  #abortAll(): void {
    for (const exchange of this.#unanswered.values()) exchange.abort();
    this.#unanswered.clear();
    this.#senders.length = 0;
  }
}
