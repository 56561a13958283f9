import { KeptBytes } from '@backlot/kit';
import { AmqpError } from '../wire/amqp-error.js';
import type { basic } from '../wire/classes/basic.js';
import type { ArgumentsFor } from '../wire/method.js';
import { LastRead } from '../wire/last-read.js';
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

/** A content header that was read. */
export interface Header {
  /** The payload of its frame. */
  readonly bytes: Buffer;
  readonly bodySize: number;
  readonly properties: Properties;
}

const NOTHING = Buffer.alloc(0);

/** Gathers the frames of one message: its method, its header, and its body. */
export class ContentReader {
  readonly #publish: PublishArguments;
  readonly #lastHeader: LastRead<Header>;
  #header: Header | undefined;
  #parts: Buffer[] | undefined;
  /** Bytes of the body that have come. */
  received = 0;

  /** @param lastHeader - of the message before it, where there was one */
  constructor(publish: PublishArguments, lastHeader = new LastRead<Header>()) {
    this.#publish = publish;
    this.#lastHeader = lastHeader;
  }

  /**
   * Takes the header; answers the message when it has no body.
   *
   * @throws AmqpError 505 when it comes at the wrong time, 406 when the body would be too large
   */
  takeHeader(payload: Buffer): Content | undefined {
    if (this.#header !== undefined) throw unexpected('content body', 'non content body');
    this.#header = this.#lastHeader.of(payload) ?? this.#readHeader(payload);
    return this.#header.bodySize === 0 ? this.#finish(this.#header, NOTHING) : undefined;
  }

  /**
   * Takes a part of the body; answers the message when it was the last one.
   *
   * @throws AmqpError 505 when it comes before the header, 501 when the body gets longer than announced
   */
  takeBody(payload: Buffer): Content | undefined {
    const header = this.#header;
    if (header === undefined) {
      throw unexpected(`content header for class ${BASIC_CLASS}`, 'non content header');
    }
    this.received += payload.length;
    if (this.received > header.bodySize) {
      throw new AmqpError(
        REPLY.frameError,
        `a body of ${header.bodySize} bytes was announced, and ${this.received} have come`,
      );
    }
    const isWhole = this.received === header.bodySize;
    if (isWhole && this.#parts === undefined) {
      return this.#finish(header, payload.length < WORTH_KEEPING ? kept.copy(payload) : payload);
    }
    const parts = (this.#parts ??= []);
    parts.push(payload);
    return isWhole ? this.#finish(header, Buffer.concat(parts)) : undefined;
  }

  #readHeader(payload: Buffer): Header {
    const { classId, bodySize, properties } = readContentHeader(payload);
    if (classId !== BASIC_CLASS) {
      throw new AmqpError(
        REPLY.unexpectedFrame,
        `expected content header for class ${BASIC_CLASS}, got one for class ${classId} instead`,
      );
    }
    if (bodySize > MAX_BODY) {
      throw new AmqpError(
        REPLY.preconditionFailed,
        `message size ${bodySize} is larger than configured max size ${MAX_BODY}`,
      );
    }
    const header = { bytes: kept.copy(payload), bodySize, properties };
    this.#lastHeader.keep(header.bytes, header);
    return header;
  }

  #finish({ bytes, properties }: Header, body: Buffer): Content {
    return { publish: this.#publish, properties, header: bytes, body };
  }
}

/** The error of a frame that comes at the wrong time, in RabbitMQ's words. */
export function unexpected(wanted: string, got: string): AmqpError {
  return new AmqpError(REPLY.unexpectedFrame, `expected ${wanted}, got ${got} frame instead`);
}
