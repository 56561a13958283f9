import type { BufferLimits } from './connection-owner.js';
import type { ConnectionState } from './connection-state.js';
import type { Sent } from './outbox.js';

/** What sending needs of its connection. */
export interface SendingOwner {
  readonly remote: string;
  destroy(error: Error): void;
}

/** Sends what one connection is given, within the limits on what may wait. */
export class ConnectionSending {
  readonly #state: ConnectionState;
  readonly #limits: Required<BufferLimits>;
  readonly #owner: SendingOwner;

  constructor(state: ConnectionState, limits: Required<BufferLimits>, owner: SendingOwner) {
    this.#state = state;
    this.#limits = limits;
    this.#owner = owner;
  }

  /** Whether so much waits that reading is to be paused until it has left. */
  get isFull(): boolean {
    return this.#state.outbox.isAbove(this.#limits.highWater);
  }

  /** Sends an answer. @returns whether it was taken */
  write(data: string | Uint8Array, encoding: BufferEncoding | undefined): boolean {
    const { maxAnswers } = this.#limits;
    if (this.#state.isEnded) return false;
    return this.#noteSent(this.#state.outbox.send(data, encoding, maxAnswers), maxAnswers);
  }

  /** Sends what does not answer a request. @returns whether it was taken */
  push(data: string | Uint8Array, encoding: BufferEncoding | undefined): boolean {
    const { maxBuffered } = this.#limits;
    if (this.#state.isEnded) return false;
    return this.#noteSent(this.#state.outbox.gather(data, encoding, maxBuffered), maxBuffered);
  }

  #noteSent(sent: Sent, limit: number): boolean {
    if (sent === 'sent') return true;
    if (sent === 'overfull') {
      this.#owner.destroy(new Error(`client ${this.#owner.remote} has left more than ${limit} bytes unread`));
    }
    return false;
  }
}
