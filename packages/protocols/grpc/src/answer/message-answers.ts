import type { GrpcMessage } from '../message.js';
import { capturesOf, ruleFor, type Rule } from '../rules.js';
import type { MessageType } from '../schema/model.js';
import type { GrpcContext, GrpcMatch } from '../shape.js';
import { makeErrorEnding, type Ending } from './ending.js';
import { rendererFor } from './message-scope.js';
import type { StreamAnswer } from './stream-answer.js';

/** So many messages are read before the stack is unwound: the library hands out the next one inside of the last. */
const AT_ONCE = 32;

/** What answering the messages of a call takes. */
export interface AnswerParts {
  readonly context: GrpcContext;
  readonly match: GrpcMatch;
  readonly rules: readonly Rule[];
  /** The type of the answers, as far as it is known. */
  readonly type: MessageType | undefined;
  readonly stream: StreamAnswer;
  readonly call: {
    /** Asks for the next request message. */
    readOn(): void;
    /** All is answered, and the client has sent its last message. */
    end(): void;
    /** Ends the call as a rule says. */
    endAs(make: (match: GrpcMatch) => Ending): void;
  };
}

/**
 * Answers the messages of a call one after the other: the next one is read when the one before is answered, so that a
 * client that sends faster than it is answered, or does not read, is held up.
 */
export class MessageAnswers {
  readonly #parts: AnswerParts;
  readonly #waiting: GrpcMessage[];
  #isAnswering = true;
  #isWhole: boolean;
  #count = 0;

  /**
   * @param early - messages that have come
   * @param isWhole - whether no more will come
   */
  constructor(parts: AnswerParts, early: GrpcMessage[], isWhole: boolean) {
    this.#parts = parts;
    this.#waiting = early;
    this.#isWhole = isWhole;
  }

  /** A message has come. */
  take(message: GrpcMessage): void {
    this.#waiting.push(message);
    if (!this.#isAnswering) this.next();
  }

  /** The client has sent its last message. */
  finish(): void {
    this.#isWhole = true;
    if (!this.#isAnswering) this.next();
  }

  /** Answers the next message: to be called once what the mock sends first is sent. */
  next(): void {
    this.#isAnswering = false;
    for (let message = this.#waiting.shift(); message !== undefined; message = this.#waiting.shift()) {
      const rule = ruleFor(this.#parts.rules, message);
      if (rule !== undefined) return this.#answer(rule, message);
    }
    if (this.#isWhole) this.#parts.call.end();
    else this.#readOn();
  }

  #answer(rule: Rule, message: GrpcMessage): void {
    this.#isAnswering = true;
    const { context, match, stream, type, call } = this.#parts;
    const renderer = rendererFor(context, match, message, () => capturesOf(rule, message));
    stream.play({
      entries: rule.entries,
      match,
      make: (entry) => entry.message.make(type, (template) => renderer.renderValue(template)),
      done: () => {
        if (!rule.close && rule.error === undefined) this.next();
        else call.endAs((made) => makeErrorEnding(made, rule.error, renderer));
      },
    });
  }

  #readOn(): void {
    this.#count += 1;
    if (this.#count % AT_ONCE === 0) queueMicrotask(() => this.#parts.call.readOn());
    else this.#parts.call.readOn();
  }
}
