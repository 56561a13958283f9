import type { BrokerMessage } from './broker-message.js';

/** What a message costs in a queue beside its own bytes. */
const ENTRY_BYTES = 256;

/** Where and for how long a message stands in its queue. */
interface Place {
  /** Where it stands among those of its priority. */
  readonly position: number;
  /** Higher is handed out first. */
  readonly priority: number;
  /** Virtual time in ms. */
  readonly expiresAt: number | undefined;
  /** How often it has come back; absent for queues that do not count that. */
  readonly returns: number | undefined;
}

/** A message in one queue, or handed out of it and not acknowledged yet. */
export class Entry {
  readonly message: BrokerMessage;
  readonly priority: number;
  readonly expiresAt: number | undefined;
  isRedelivered: boolean;
  #position: number;
  #returns: number | undefined;

  constructor(message: BrokerMessage, { position, priority, expiresAt, returns }: Place) {
    this.message = message;
    this.#position = position;
    this.priority = priority;
    this.expiresAt = expiresAt;
    this.#returns = returns;
    this.isRedelivered = returns !== undefined && returns > 0;
  }

  /** Where it stands among those of its priority. */
  get position(): number {
    return this.#position;
  }

  /** Bytes it holds in memory, roughly. */
  get bytes(): number {
    return this.message.size + ENTRY_BYTES;
  }

  /** How often it has come back; absent where its queue does not count that. */
  get returns(): number | undefined {
    return this.#returns;
  }

  /** The message as clients get it: that of a quorum queue says how often it has come back. */
  get delivered(): BrokerMessage {
    return this.#returns === undefined
      ? this.message
      : this.message.withHeader('x-delivery-count', this.#returns);
  }

  /** Notes that a client has given it back. @param position - where it stands from now on */
  comeBack(position = this.#position): void {
    this.#position = position;
    this.isRedelivered = true;
    if (this.#returns !== undefined) this.#returns += 1;
  }

  /** Whether it is handed out before another one of its queue. */
  comesBefore(other: Entry): boolean {
    return (
      this.priority > other.priority || (this.priority === other.priority && this.position < other.position)
    );
  }
}
