import { ByteQueue } from '@backlot/kit/framing';

const HEAD = 5;
/** The longest message of an upstream, in bytes. */
const MAX_MESSAGE = 64 * 1024 * 1024;

/** Takes apart what an upstream sends: each message has its length before it. */
export class MessageFrames {
  readonly #queue = new ByteQueue();

  add(chunk: Buffer): void {
    this.#queue.append(chunk);
  }

  /** The next message that is whole. @throws Error for one that is too long, or compressed */
  take(): Buffer | undefined {
    const { bytes, start, end } = this.#queue;
    if (end - start < HEAD) return undefined;
    if (bytes[start] !== 0) throw new Error('it has compressed a message, which it was not asked for');
    const length = bytes.readUInt32BE(start + 1);
    if (length > MAX_MESSAGE)
      throw new Error(`it has sent a message of ${length} bytes, more than ${MAX_MESSAGE}`);
    if (end - start < HEAD + length) return undefined;
    const message = Buffer.from(bytes.subarray(start + HEAD, start + HEAD + length));
    this.#queue.consume(HEAD + length);
    return message;
  }
}
