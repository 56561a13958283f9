import type { Carrier } from './carrier.js';
import { TooLarge, unpack, type Coding } from './compression.js';
import { EnvelopeReader, HEAD, type EnvelopeHandlers } from './envelope-reader.js';
import { HttpCall, type CallHead } from './http-call.js';
import { Code } from './status.js';

/** The flag of a message that is compressed. */
export const COMPRESSED = 1;

/** How the messages of a request are framed. */
export interface Framing {
  /** How they may be compressed. */
  readonly coding: Coding | undefined;
  /** The header that says so. */
  readonly encoding: string;
  /** The most bytes of one. */
  readonly maxBytes: number;
  /** Undoes the encoding of the body, where it has one. */
  readonly decode?: ((chunk: Buffer) => Buffer) | undefined;
}

/** A call whose messages have flags and a length before each. */
export abstract class FramedCall extends HttpCall implements EnvelopeHandlers {
  protected readonly reader: EnvelopeReader;
  readonly #framing: Framing;

  constructor(carrier: Carrier, head: CallHead, framing: Framing) {
    super(carrier, head);
    this.#framing = framing;
    this.reader = new EnvelopeReader(
      carrier.body,
      framing.maxBytes,
      this,
      carrier.connection,
      framing.decode,
    );
  }

  startRead(): void {
    if (!this.hasEnded) this.reader.next();
  }

  message(flags: number, bytes: Buffer): void {
    if (flags === 0) return this.give(bytes);
    if (flags !== COMPRESSED)
      return this.broken(`a request message has the flags ${flags}, which mean nothing there`);
    const { coding, encoding, maxBytes } = this.#framing;
    if (coding === undefined)
      return this.breakOff(Code.INTERNAL, `a request message is compressed, and no ${encoding} says how`);
    const { connection } = this;
    unpack(bytes, coding, maxBytes).then(
      connection.isolate((unpacked: Buffer) => this.give(unpacked)),
      connection.isolate((thrown: Error) => {
        if (thrown instanceof TooLarge) this.#refuseSize('that was unpacked');
        else this.broken(thrown.message);
      }),
    );
  }

  end(): void {
    this.giveEnd();
  }

  tooLarge(length: number): void {
    this.#refuseSize(`of ${length} bytes`);
  }

  broken(problem: string): void {
    this.breakOff(this.malformed, problem);
  }

  #refuseSize(what: string): void {
    const text = `a request message ${what} is larger than ${this.#framing.maxBytes} bytes, the limit of max_message_bytes`;
    this.breakOff(Code.RESOURCE_EXHAUSTED, text);
  }
}

/** A message with its flags and its length before it. */
export function frameOf(flags: number, bytes: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(HEAD + bytes.length);
  frame[0] = flags;
  frame.writeUInt32BE(bytes.length, 1);
  frame.set(bytes, HEAD);
  return frame;
}
