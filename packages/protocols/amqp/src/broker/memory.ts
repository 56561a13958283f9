import type { FieldTable, Field } from '../wire/field-table.js';
import { AmqpError } from '../wire/amqp-error.js';
import { REPLY } from '../wire/reply-codes.js';

/** What the messages of all queues may hold together, in bytes. */
export const MAX_QUEUED_BYTES = 256 * 1024 * 1024;
/** How many exchanges, queues, bindings and consumers there may be together. */
const MAX_ENTITIES = 100_000;
/** What their names, keys and arguments may hold together, in bytes. */
const MAX_DEFINITION_BYTES = 64 * 1024 * 1024;
/** Words of the binding keys of topic exchanges, those that keys of an exchange begin with in common counted once. */
export const MAX_TOPIC_WORDS = 250_000;

/** Counts what the broker holds. */
export class Memory {
  /** Bytes of messages that are in queues or wait for an acknowledgement. */
  bytes = 0;
  /** Exchanges, queues, bindings and consumers. */
  entities = 0;
  /** Words of the binding keys of topic exchanges. */
  topicWords = 0;
  #definitionBytes = 0;

  /** Whether so many bytes more would be too many. */
  wouldOverflow(bytes: number): boolean {
    return this.bytes + bytes > MAX_QUEUED_BYTES;
  }

  /**
   * Counts one entity more.
   *
   * @param bytes - what it is called and described with; see {@link sizeOfTable}
   * @throws AmqpError 506 when there are too many already
   */
  makeRoom(bytes = 0): void {
    if (this.entities >= MAX_ENTITIES) {
      throw new AmqpError(
        REPLY.resourceError,
        `there are ${MAX_ENTITIES} exchanges, queues, bindings and consumers already`,
      );
    }
    if (this.#definitionBytes + bytes > MAX_DEFINITION_BYTES) {
      throw new AmqpError(
        REPLY.resourceError,
        `names and arguments of exchanges, queues and bindings hold ${MAX_DEFINITION_BYTES} bytes already`,
      );
    }
    this.entities += 1;
    this.#definitionBytes += bytes;
  }

  /** One that {@link makeRoom} has counted is gone. */
  free(bytes = 0): void {
    this.entities -= 1;
    this.#definitionBytes -= bytes;
  }

  get hasAllTopicWords(): boolean {
    return this.topicWords > MAX_TOPIC_WORDS;
  }
}

/** Bytes that a field table holds, roughly. */
export function sizeOfTable(table: FieldTable): number {
  let size = 0;
  for (const [name, value] of table) size += 16 + name.length + sizeOfField(value);
  return size;
}

function sizeOfField(value: Field): number {
  if (typeof value === 'string' || Buffer.isBuffer(value)) return value.length;
  if (Array.isArray(value))
    return (value as readonly Field[]).reduce<number>((sum, each) => sum + 8 + sizeOfField(each), 0);
  return value instanceof Map ? sizeOfTable(value) : 8;
}
