import type { Connection } from '@backlot/kit';
import { AnswerStream } from './wire/answer-stream.js';
import { ERRORS } from './wire/errors.js';
import { weightOf, type Encoded } from './wire/long-reply.js';
import { error } from './wire/reply.js';

/** Answers are sent when so much has gathered, or when all that was received has been answered. */
const FLUSH_AT = 64 * 1024;
/** What an answer may keep in memory until it is read without being counted. */
const MAX_UNCOUNTED = 64 * 1024 * 1024;
/** Bytes of messages that wait behind an answer on its way; beyond it a subscriber is cut. */
const MAX_LATE = 1024 * 1024;

/** The memory that large answers take until their clients have read them. */
export class UnsentMemory {
  readonly #most: number;
  #used = 0;

  /** @param most - bytes */
  constructor(most: number) {
    this.#most = most;
  }

  /** Takes memory, unless there is not so much left. */
  take(bytes: number): boolean {
    if (this.#used + bytes > this.#most) return false;
    this.#used += bytes;
    return true;
  }

  /** Gives back what was taken. */
  give(bytes: number): void {
    this.#used -= bytes;
  }
}

/** What is sent to one client: answers that leave together, long ones that leave in parts, and messages of channels. */
export class Outlet {
  readonly #connection: Connection;
  readonly #memory: UnsentMemory;
  #out = '';
  #stream: AnswerStream | undefined;
  /** What the stream has taken of the memory. */
  #taken = 0;
  /** Messages that came while an answer was on its way. */
  #late: (string | Uint8Array)[] = [];
  #lateBytes = 0;

  constructor(connection: Connection, memory: UnsentMemory) {
    this.#connection = connection;
    this.#memory = memory;
  }

  /** Whether an answer is on its way, which goes on by {@link sendPart}. */
  get isStreaming(): boolean {
    return this.#stream !== undefined;
  }

  /** Sends an answer: with those that come next when it is short, in parts when it is long. */
  answer(reply: Encoded): void {
    if (typeof reply === 'string' && reply.length <= FLUSH_AT) {
      this.#out += reply;
      return;
    }
    const weight = weightOf(reply);
    if (weight > MAX_UNCOUNTED) {
      if (!this.#memory.take(weight)) {
        this.#out += error(ERRORS.memory);
        return;
      }
      this.#taken = weight;
    }
    this.flush();
    this.#connection.busy();
    this.#stream = new AnswerStream(reply);
  }

  /** Sends the next part of a long answer. */
  sendPart(): void {
    const part = this.#stream?.next();
    if (part !== undefined) {
      this.#connection.write(part, 'latin1');
      return;
    }
    this.#endStream();
    for (const message of this.#late) this.#connection.push(message, 'latin1');
    this.#late = [];
    this.#lateBytes = 0;
  }

  /** Sends what was not asked for, behind the answers that were given before it. */
  push(message: string | Uint8Array, isInTurn: boolean): void {
    if (this.#stream !== undefined) {
      this.#late.push(message);
      this.#lateBytes += message.length;
      if (this.#lateBytes > MAX_LATE)
        this.#connection.destroy(new Error(`a subscriber has left more than ${MAX_LATE} bytes unread`));
    } else if (typeof message === 'string' && (isInTurn || this.#out !== '')) this.#out += message;
    else {
      this.flush();
      this.#connection.push(message, 'latin1');
    }
  }

  /** Sends what has gathered. */
  flush(): void {
    if (this.#out === '') return;
    const text = this.#out;
    this.#out = '';
    this.#connection.write(text, 'latin1');
  }

  /** Sends what has gathered when it is much. */
  flushFull(): void {
    if (this.#out.length >= FLUSH_AT) this.flush();
  }

  /** Nothing is sent any more. */
  close(): void {
    if (this.#stream !== undefined) this.#endStream();
    this.#late = [];
  }

  #endStream(): void {
    this.#stream = undefined;
    this.#memory.give(this.#taken);
    this.#taken = 0;
    this.#connection.idle();
  }
}
