import {
  messageOf,
  type Context,
  type ExchangeFor,
  type MatchOf,
  type OutcomeFor,
} from '@backlot/core/plugin';
import type { FrameFate } from '@backlot/kit/upstream';
import { TEMPORARY } from '../broker/destination.js';
import { renderAnswer, type RenderedAnswer } from '../session/render-answer.js';
import { Writer } from '../session/writer.js';
import type { StompShape } from '../shape.js';
import type { Frame } from '../wire/frame.js';
import { StompError } from '../wire/stomp-error.js';
import type { Version } from '../wire/version.js';
import { writeFrame } from './frames.js';
import type { Answered, PassedMessage } from './kept.js';
import type { Subscribed } from './subscribed.js';

type Exchange = ExchangeFor<StompShape>;
type Outcome = OutcomeFor<StompShape>;
type Match = MatchOf<StompShape>;

/** An answer that has come, and is the client's once it is let go. */
export type Held = Answered & {
  /** Passes it to the client, or this message in its place. */
  readonly release?: (instead?: RenderedAnswer) => void;
};

/** Both ends of what passes. */
export interface AnswerEnds {
  toClient(frame: Buffer): void;
  toUpstream(frame: Buffer): void;
  /** Ends the connection of the client, which has got an ERROR frame. */
  fail(): void;
  /** Whether the client can be sent nothing any more. */
  isOver(): boolean;
}

/** What mocks and faults answer to the messages of a client whose frames pass. */
export class RelayedAnswers {
  readonly #log: Context<StompShape>['log'];
  readonly #subscribed: Subscribed;
  readonly #ends: AnswerEnds;
  readonly #writer: Writer;
  /** What the ids of messages begin with that the upstream has not given. */
  readonly #own: string;
  #count = 0;

  constructor(context: Pick<Context<StompShape>, 'log' | 'newId'>, subscribed: Subscribed, ends: AnswerEnds) {
    this.#log = context.log;
    this.#subscribed = subscribed;
    this.#ends = ends;
    const give = (frame: Buffer): void => ends.toClient(frame);
    this.#writer = new Writer({ write: give, push: give });
    this.#own = `mock-${context.newId()}`;
  }

  /** Of the session; 1.0, which has no escapes, until there is one. */
  get version(): Version {
    return this.#writer.version;
  }

  set version(version: Version) {
    this.#writer.version = version;
  }

  /** Whether a message with this id is one of a mock, which the upstream does not know. */
  isOwn(id: string): boolean {
    return id.startsWith(this.#own);
  }

  /** Answers a message, and says what is passed on in its place. */
  async answer(given: {
    readonly exchange: Exchange;
    readonly passed: PassedMessage;
    readonly outcome: Outcome;
    readonly compare: ((answer: Held) => void) | undefined;
    readonly hasPassed: boolean;
    readonly real: () => Held | undefined;
  }): Promise<FrameFate> {
    const { exchange, passed, outcome, compare, hasPassed, real } = given;
    const { headers } = passed;
    if (outcome.type === 'aborted') return 'drop';
    if (outcome.type === 'fault') return this.refuse(exchange, outcome.fault.message, headers);
    const [first] = outcome.type === 'matched' ? outcome.mock.compiled.steps : [];
    if (outcome.type !== 'matched' || first === undefined) {
      exchange.done();
      real()?.release?.();
      return hasPassed ? 'drop' : this.taken(headers['receipt']);
    }
    const delay = outcome.delayOf(first.delay);
    if (delay > 0 && !(await exchange.wait(delay))) return 'drop';
    let answer: RenderedAnswer;
    try {
      answer = renderAnswer(outcome, first.response, exchange.message);
    } catch (thrown) {
      return this.refuse(
        exchange,
        `the answer of the mock "${outcome.mock.id}" could not be made: ${messageOf(thrown)}`,
        headers,
      );
    }
    const { 'reply-to': replyTo } = headers;
    const whereTo = ({ destination }: RenderedAnswer): string => destination || replyTo || passed.destination;
    const where = whereTo(answer);
    compare?.({ message: { ...answer, destination: where } });
    this.play(exchange, outcome, 1, (next) => this.publish(next, whereTo(next)), {
      headers: { destination: where, ...answer.headers },
      body: answer.body,
    });
    const held = real();
    if (held?.release !== undefined && where === replyTo) held.release(answer);
    else {
      held?.release?.();
      if (!hasPassed && !where.startsWith(TEMPORARY)) {
        const { receipt, transaction } = headers;
        return this.#write(
          { ...answer, headers: { ...answer.headers, ...defined({ receipt, transaction }) } },
          where,
        );
      }
      this.publish(answer, where);
    }
    return hasPassed ? 'drop' : this.taken(headers['receipt']);
  }

  /** Sends the messages of an answer that are left, one after the other, and ends the exchange. */
  play(
    exchange: Exchange,
    match: Match,
    from: number,
    send: (answer: RenderedAnswer) => void,
    first?: { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer },
  ): void {
    const steps = match.mock.compiled.steps.slice(from);
    if (steps.length === 0) {
      exchange.done(first ?? {});
      return;
    }
    const play = async (): Promise<void> => {
      for (const { response, delay } of steps) {
        const milliseconds = match.delayOf(delay);
        if (milliseconds > 0) await exchange.wait(milliseconds);
        if (exchange.ended || !exchange.isCurrent || this.#ends.isOver()) break;
        send(renderAnswer(match, response, exchange.message));
      }
      exchange.done(first ?? {});
    };
    play().catch((thrown: unknown) => {
      exchange.done({ status: 'ERROR', body: messageOf(thrown) });
      this.#log.error(`a message of the mock "${match.mock.id}" could not be made`, thrown);
    });
  }

  /** Publishes a message of a mock at the upstream; a temporary queue that the upstream was not told of is with the client alone. */
  publish(answer: RenderedAnswer, destination: string): void {
    if (destination.startsWith(TEMPORARY)) this.give(destination, destination, answer);
    else this.#ends.toUpstream(this.#write(answer, destination));
  }

  #write({ headers, body }: RenderedAnswer, destination: string): Buffer {
    return writeFrame('SEND', { destination, ...headers }, body, this.version);
  }

  /** Gives the client a message of a subscription. */
  give(subscription: string, destination: string, { headers, body }: RenderedAnswer): void {
    const id = this.nextId();
    const needsAck = this.version === '1.2' && this.#subscribed.needsAck(subscription);
    const own = { subscription, destination, 'message-id': id, ...(needsAck ? { ack: id } : {}) };
    this.#ends.toClient(writeFrame('MESSAGE', { ...own, ...headers }, body, this.version));
  }

  /** A delivery of the upstream with another content. */
  rewrite({ headers: real }: Frame, { headers, body }: RenderedAnswer): Buffer {
    const {
      destination,
      subscription,
      'message-id': id,
      ack,
      redelivered,
      'correlation-id': correlation,
    } = real;
    const own = defined({ destination, subscription, 'message-id': id, ack, redelivered });
    return writeFrame(
      'MESSAGE',
      { ...defined({ 'correlation-id': correlation }), ...headers, ...own },
      body,
      this.version,
    );
  }

  /** A frame that goes nowhere is acknowledged here. */
  taken(receipt: string | undefined): FrameFate {
    if (receipt !== undefined) this.#writer.receipt(receipt);
    return 'drop';
  }

  refuse(exchange: Exchange, message = 'fault injected', headers: Frame['headers']): FrameFate {
    exchange.done({ status: 'ERROR', body: message });
    return this.fail(new StompError(message), headers);
  }

  fail(error: StompError, headers: Frame['headers']): FrameFate {
    this.#writer.error(error, headers['receipt']);
    this.#ends.fail();
    return 'drop';
  }

  nextId(): string {
    this.#count += 1;
    return `${this.#own}-${this.#count}`;
  }
}

function defined(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
