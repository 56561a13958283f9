import { randomBytes } from 'node:crypto';

const MARK_BYTES = 16;
const FLAGS_AT = MARK_BYTES;
const EXPIRY_AT = FLAGS_AT + 1;
const LENGTH_AT = EXPIRY_AT + 8;
const HEADER_BYTES = LENGTH_AT + 4;
const RETAIN = 1;

/** A payload and what goes with it. */
export interface Contents {
  /** The bytes of its MQTT 5 properties, without the message expiry. */
  readonly properties: Buffer;
  readonly payload: Buffer;
  /** When it expires, in ms of the host's clock; 0 is never. */
  readonly expiresAt: number;
  /** Whether it is to be delivered as retained, though it is not one of those that are kept. */
  readonly retain: boolean;
}

/**
 * Puts what the broker knows nothing of in front of the payload of a message while it is with the broker, so that it is
 * kept wherever the broker keeps the message: retained or queued. The mark is new in each process and never leaves it,
 * so that no payload of a client is taken for an envelope.
 */
export class Envelope {
  readonly #mark = randomBytes(MARK_BYTES);

  wrap({ properties, payload, expiresAt, retain }: Contents): Buffer {
    if (properties.length === 0 && expiresAt === 0 && !retain) return payload;
    const head = Buffer.allocUnsafe(HEADER_BYTES);
    this.#mark.copy(head);
    head[FLAGS_AT] = retain ? RETAIN : 0;
    head.writeDoubleBE(expiresAt, EXPIRY_AT);
    head.writeUInt32BE(properties.length, LENGTH_AT);
    return Buffer.concat([head, properties, payload]);
  }

  /**
   * The same for one receiver.
   *
   * @param identifiers - the bytes of its subscription identifiers
   * @param retain - whether it gets the message as retained
   */
  address(bytes: Buffer, identifiers: Buffer, retain: boolean): Buffer {
    const contents = this.open(bytes, 0);
    return this.wrap({
      ...contents,
      properties:
        identifiers.length === 0 ? contents.properties : Buffer.concat([contents.properties, identifiers]),
      retain: retain || contents.retain,
    });
  }

  /** Whether what begins at `start` is an envelope. */
  isAt(bytes: Buffer, start: number): boolean {
    return (
      bytes.length - start >= HEADER_BYTES &&
      bytes[start] === this.#mark[0] &&
      this.#mark.compare(bytes, start, start + MARK_BYTES) === 0
    );
  }

  /** What is in an envelope at `start`, or the payload there, with which nothing goes. */
  open(bytes: Buffer, start: number): Contents {
    if (!this.isAt(bytes, start)) {
      return { properties: NO_BYTES, payload: bytes.subarray(start), expiresAt: 0, retain: false };
    }
    const begin = start + HEADER_BYTES;
    const end = begin + bytes.readUInt32BE(start + LENGTH_AT);
    return {
      properties: bytes.subarray(begin, end),
      payload: bytes.subarray(end),
      expiresAt: this.expiryAt(bytes, start),
      retain: bytes[start + FLAGS_AT] === RETAIN,
    };
  }

  /** When what begins at `start` expires; 0 is never. */
  expiryAt(bytes: Buffer, start = 0): number {
    return this.isAt(bytes, start) ? bytes.readDoubleBE(start + EXPIRY_AT) : 0;
  }
}

/** Whether a message that expires then may no longer be delivered (MQTT 5, section 3.3.2.3.3). */
export function hasExpired(expiresAt: number, now: number): boolean {
  return expiresAt !== 0 && now > expiresAt;
}

const NO_BYTES = Buffer.alloc(0);
