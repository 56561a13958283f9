import { AmqpError } from '../wire/amqp-error.js';
import { REPLY } from '../wire/reply-codes.js';

/** What the messages of all queues may hold together, in bytes. */
export const MAX_QUEUED_BYTES = 256 * 1024 * 1024;
/** How many exchanges, queues, bindings and consumers there may be together. */
const MAX_ENTITIES = 100_000;

/** Counts what the broker holds. */
export class Memory {
  /** Bytes of messages that are in queues or wait for an acknowledgement. */
  bytes = 0;
  /** Exchanges, queues, bindings and consumers. */
  entities = 0;

  /** Whether so many bytes more would be too many. */
  wouldOverflow(bytes: number): boolean {
    return this.bytes + bytes > MAX_QUEUED_BYTES;
  }

  /**
   * Counts one entity more.
   *
   * @throws AmqpError 506 when there are too many already
   */
  makeRoom(): void {
    if (this.entities >= MAX_ENTITIES) {
      throw new AmqpError(
        REPLY.resourceError,
        `there are ${MAX_ENTITIES} exchanges, queues, bindings and consumers already`,
      );
    }
    this.entities += 1;
  }
}
