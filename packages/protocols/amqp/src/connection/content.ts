import { KeptBytes } from '@backlot/kit';
import { AmqpError } from '../wire/amqp-error.js';
import type { basic } from '../wire/classes/basic.js';
import type { ArgumentsFor } from '../wire/method.js';
import { BASIC_CLASS, readContentHeader, type Properties } from '../wire/properties.js';
import { REPLY } from '../wire/reply-codes.js';

/** The largest body: 16 MiB, as in RabbitMQ 4. */
const MAX_BODY = 16 * 1024 * 1024;
/** Smaller bodies are copied out of what was received, so that they do not hold on to all of it. */
const WORTH_KEEPING = 16 * 1024;
/** Queues and captured messages hold on to these for long. */
const kept = new KeptBytes();

export type PublishArguments = ArgumentsFor<typeof basic.publish>;

/** A message that has come whole (AMQP 0-9-1, section 4.2.6: content framing). */
export interface Content {
  readonly publish: PublishArguments;
  readonly properties: Properties;
  /** The payload of its header frame. */
  readonly header: Buffer;
  readonly body: Buffer;
}

/** Gathers the frames of one message: its method, its header, and its body. */
export class ContentReader {
  readonly #publish: PublishArguments;
  #header: Buffer | undefined;
  #properties: Properties = {};
  #bodySize = 0;
  #parts: Buffer[] = [];
  /** Bytes of the body that have come. */
  received = 0;

  constructor(publish: PublishArguments) {
    this.#publish = publish;
  }

  /**
   * Takes the header; answers the message when it has no body.
   *
   * @throws AmqpError 505 when it comes at the wrong time, 406 when the body would be too large
   */
  takeHeader(payload: Buffer): Content | undefined {
    if (this.#header !== undefined) throw unexpected('content body', 'non content body');
    const { classId, bodySize, properties } = readContentHeader(payload);
    if (classId !== BASIC_CLASS) {
      throw new AmqpError(
        REPLY.unexpectedFrame,
        `expected content header for class ${BASIC_CLASS}, got one for class ${classId} instead`,
      );
    }
    this.#header = kept.copy(payload);
    this.#properties = properties;
    this.#bodySize = bodySize;
    if (bodySize > MAX_BODY) {
      throw new AmqpError(
        REPLY.preconditionFailed,
        `message size ${bodySize} is larger than configured max size ${MAX_BODY}`,
      );
    }
    return bodySize === 0 ? this.#finish() : undefined;
  }

  /**
   * Takes a part of the body; answers the message when it was the last one.
   *
   * @throws AmqpError 505 when it comes before the header, 501 when the body gets longer than announced
   */
  takeBody(payload: Buffer): Content | undefined {
    if (this.#header === undefined) {
      throw unexpected(`content header for class ${BASIC_CLASS}`, 'non content header');
    }
    this.received += payload.length;
    if (this.received > this.#bodySize) {
      throw new AmqpError(
        REPLY.frameError,
        `a body of ${this.#bodySize} bytes was announced, and ${this.received} have come`,
      );
    }
    this.#parts.push(payload);
    return this.received === this.#bodySize ? this.#finish() : undefined;
  }

  #finish(): Content {
    const [only = Buffer.alloc(0)] = this.#parts;
    const body =
      this.#parts.length > 1
        ? Buffer.concat(this.#parts)
        : only.length < WORTH_KEEPING
          ? kept.copy(only)
          : only;
    return {
      publish: this.#publish,
      properties: this.#properties,
      header: this.#header ?? Buffer.alloc(0),
      body,
    };
  }
}

/** The error of a frame that comes at the wrong time, in RabbitMQ's words. */
export function unexpected(wanted: string, got: string): AmqpError {
  return new AmqpError(REPLY.unexpectedFrame, `expected ${wanted}, got ${got} frame instead`);
}
