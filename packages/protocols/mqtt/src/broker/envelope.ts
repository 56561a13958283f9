import { randomBytes } from 'node:crypto';

const MARK_BYTES = 16;
const HEADER_BYTES = MARK_BYTES + 4;

/** A payload and the MQTT 5 properties that go with it. */
export interface Contents {
  readonly properties: Buffer;
  readonly payload: Buffer;
}

/**
 * Puts the properties of a message in front of its payload while it is with the broker, which knows nothing of them, so
 * that they are kept wherever the broker keeps the message: retained, queued, as a will. The mark is new in each
 * process and never leaves it, so that no payload of a client is taken for an envelope.
 */
export class Envelope {
  readonly #mark = randomBytes(MARK_BYTES);

  wrap({ properties, payload }: Contents): Buffer {
    if (properties.length === 0) return payload;
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32BE(properties.length, 0);
    return Buffer.concat([this.#mark, length, properties, payload]);
  }

  /** Whether what begins at `start` is an envelope. */
  isAt(bytes: Buffer, start: number): boolean {
    return (
      bytes.length - start >= HEADER_BYTES &&
      bytes[start] === this.#mark[0] &&
      this.#mark.compare(bytes, start, start + MARK_BYTES) === 0
    );
  }

  /** What is in an envelope at `start`, or the payload there, which has no properties. */
  open(bytes: Buffer, start: number): Contents {
    if (!this.isAt(bytes, start)) return { properties: NO_BYTES, payload: bytes.subarray(start) };
    const begin = start + HEADER_BYTES;
    const end = begin + bytes.readUInt32BE(start + MARK_BYTES);
    return { properties: bytes.subarray(begin, end), payload: bytes.subarray(end) };
  }
}

const NO_BYTES = Buffer.alloc(0);
