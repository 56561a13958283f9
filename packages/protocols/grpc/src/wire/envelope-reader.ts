import type { Readable } from 'node:stream';
import type { Connection } from '@backlot/kit';
import { ByteQueue } from '@backlot/kit/framing';

/** A byte of flags and four of the length stand before each message. */
export const HEAD = 5;
/** So many bytes may wait for somebody to ask for them. */
const MAX_WAITING = 64 * 1024;

/** What becomes of what is read. */
export interface EnvelopeHandlers {
  /** A message; nothing further comes until the next one is asked for. */
  message(flags: number, bytes: Buffer): void;
  /** The body has ended. */
  end(): void;
  tooLarge(length: number): void;
  /** The body ended within a message, or is not encoded as it says. */
  broken(problem: string): void;
}

/** Takes messages with a length before each out of the body of a request, as many as are asked for. */
export class EnvelopeReader {
  readonly #body: Readable;
  readonly #limit: number;
  readonly #handlers: EnvelopeHandlers;
  readonly #decode: ((chunk: Buffer) => Buffer) | undefined;
  /** Made for what is no single message. */
  #queue: ByteQueue | undefined;
  #isWanted = false;
  #isTaking = false;
  #isWhole = false;
  #isOver = false;

  /**
   * @param limit - the most bytes of a message
   * @param connection - is all that ends when a handler throws
   * @param decode - undoes the encoding of the body, where it has one
   */
  constructor(
    body: Readable,
    limit: number,
    handlers: EnvelopeHandlers,
    connection: Connection,
    decode?: (chunk: Buffer) => Buffer,
  ) {
    this.#body = body;
    this.#limit = limit;
    this.#handlers = handlers;
    this.#decode = decode;
    body.on(
      'data',
      connection.isolate((chunk: Buffer) => this.#add(chunk)),
    );
    body.on(
      'end',
      connection.isolate(() => this.#finish()),
    );
    body.pause();
  }

  /** Asks for the next message, or for the end. */
  next(): void {
    this.#isWanted = true;
    this.#take();
  }

  /** Nothing is wanted any more. */
  stop(): void {
    this.#isOver = true;
    this.#queue?.clear();
  }

  #add(chunk: Buffer): void {
    if (this.#isOver) return;
    if (
      this.#queue === undefined &&
      this.#decode === undefined &&
      this.#isWanted &&
      isMessage(chunk, this.#limit)
    )
      return this.#give(chunk, 0, chunk.length);
    this.#queue ??= new ByteQueue();
    try {
      this.#queue.append(this.#decode?.(chunk) ?? chunk);
    } catch (thrown) {
      return this.#break((thrown as Error).message);
    }
    this.#take();
  }

  #finish(): void {
    this.#isWhole = true;
    this.#take();
  }

  /** Messages are handed out one after the other, also when the next one is asked for while one is handed out. */
  #take(): void {
    if (this.#isTaking) return;
    this.#isTaking = true;
    try {
      while (this.#isWanted && !this.#isOver && this.#takeOne());
    } finally {
      this.#isTaking = false;
    }
    if (this.#isOver || this.#isWhole) return;
    if (this.#isWanted) this.#body.resume();
    else if (this.#queue !== undefined && this.#queue.length > MAX_WAITING) this.#body.pause();
  }

  #takeOne(): boolean {
    const queue = this.#queue;
    if (queue === undefined) return this.#isWhole && this.#takeEnd();
    const { bytes, start, length } = queue;
    if (length < HEAD) return this.#isWhole && this.#takeEnd();
    const size = bytes.readUInt32BE(start + 1);
    if (size > this.#limit) {
      this.#isOver = true;
      this.#handlers.tooLarge(size);
      return false;
    }
    if (length < HEAD + size) return this.#isWhole && this.#takeEnd();
    queue.consume(HEAD + size);
    this.#give(bytes, start, start + HEAD + size);
    return true;
  }

  #give(bytes: Buffer, start: number, end: number): void {
    this.#isWanted = false;
    // A copy: a message may be kept for long, and would keep the whole chunk.
    this.#handlers.message(bytes[start] ?? 0, Buffer.from(bytes.subarray(start + HEAD, end)));
  }

  #takeEnd(): false {
    if (this.#queue !== undefined && this.#queue.length > 0) this.#break('the body ends within a message');
    else {
      this.#isOver = true;
      this.#handlers.end();
    }
    return false;
  }

  #break(problem: string): void {
    this.#isOver = true;
    this.#handlers.broken(problem);
  }
}

/** Whether a chunk is a single message that is not too large, as that of most calls is. */
function isMessage(chunk: Buffer, limit: number): boolean {
  return (
    chunk.length >= HEAD && chunk.length - HEAD <= limit && chunk.readUInt32BE(1) === chunk.length - HEAD
  );
}
