import type { GrpcMessage } from '../message.js';
import { MessageAnswers, type AnswerParts } from './message-answers.js';

/** Bytes of messages that may wait while it is not decided how the call is answered, and what each costs beside its own. */
const MAX_WAITING = 256 * 1024;
const MESSAGE_COST = 100;

/**
 * Where the messages of a call go that may be answered one by one. They wait until it is decided how the call is
 * answered; then each is answered by itself, or they are forgotten, because the call is answered as a whole.
 */
export class MessageDelivery {
  #waiting: GrpcMessage[] = [];
  #bytes = 0;
  #answers: MessageAnswers | undefined;
  #isHeld = false;

  /** Whether each message is answered by itself: then the answers ask for the next one. */
  get isOneByOne(): boolean {
    return this.#answers !== undefined;
  }

  /** A message has come. @param size - how many bytes it has */
  add(message: GrpcMessage, size: number): void {
    if (this.#answers !== undefined) return this.#answers.take(message);
    this.#waiting.push(message);
    this.#bytes += size + MESSAGE_COST;
  }

  /** Whether the next message is to be read now. Where it is not, one of the two decisions below leads to it. */
  wantsNext(): boolean {
    if (this.#answers !== undefined) return false;
    this.#isHeld = this.#bytes >= MAX_WAITING;
    return !this.#isHeld;
  }

  /** Each message is answered by itself. @param isWhole - whether no more will come */
  answerOneByOne(parts: AnswerParts, isWhole: boolean): void {
    this.#answers = new MessageAnswers(parts, this.#take(), isWhole);
  }

  /** The call is answered as a whole. @returns whether the next message has not been read and is to be read now */
  answerAsWhole(): boolean {
    this.#take();
    const wasHeld = this.#isHeld;
    this.#isHeld = false;
    return wasHeld;
  }

  /** What the mock sends first is sent. @returns whether messages are answered one by one, and the first one now is */
  next(): boolean {
    this.#answers?.next();
    return this.#answers !== undefined;
  }

  /** The client has sent its last message. @returns whether its messages are answered one by one */
  finish(): boolean {
    this.#answers?.finish();
    return this.#answers !== undefined;
  }

  #take(): GrpcMessage[] {
    const messages = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    return messages;
  }
}
