import type { BrokerMessage } from './broker-message.js';

/** What a message costs in a queue beside its own bytes. */
const ENTRY_BYTES = 256;

/** A message in one queue, or handed out of it and not acknowledged yet. */
export class Entry {
  /** Where it stands in its queue. */
  readonly position: number;
  readonly message: BrokerMessage;
  /** Higher is handed out first. */
  readonly priority: number;
  /** Virtual time in ms. */
  readonly expiresAt: number | undefined;
  isRedelivered = false;

  constructor(message: BrokerMessage, position: number, priority: number, expiresAt: number | undefined) {
    this.message = message;
    this.position = position;
    this.priority = priority;
    this.expiresAt = expiresAt;
  }

  /** Bytes it holds in memory, roughly. */
  get bytes(): number {
    return this.message.size + ENTRY_BYTES;
  }

  /** Whether it is handed out before another one of its queue. */
  comesBefore(other: Entry): boolean {
    return (
      this.priority > other.priority || (this.priority === other.priority && this.position < other.position)
    );
  }
}
