import type { Metadata } from '@grpc/grpc-js';
import { Code } from '../status.js';
import type { RpcStatus } from '../rpc-call.js';
import { Base64Stream } from './base64-stream.js';
import type { AnswerHeaders, Carrier } from '../carrier.js';
import { pack, takesGzip, TooLarge, unpack, WORTH_COMPRESSING, type Coding } from '../compression.js';
import type { Dialect } from './dialects.js';
import { EnvelopeReader, HEAD } from '../envelope-reader.js';
import { InOrder } from './in-order.js';
import type { MessageForm } from './message-form.js';
import { headersOf, HttpCall, type CallHead } from '../http-call.js';

const COMPRESSED = 1;

/** How a call of this kind is written. */
export interface EnvelopedParts {
  readonly dialect: Dialect;
  readonly form: MessageForm;
  /** The content type of the answer. */
  readonly contentType: string;
  /** Whether the body of the request, and that of the answer, is base64. */
  readonly takesText: boolean;
  readonly givesText: boolean;
  /** How messages of the request may be compressed. */
  readonly coding: Coding | undefined;
  /** The most bytes of a request message. */
  readonly maxBytes: number;
}

/** A call whose messages have a length before each, and whose answer ends with a part that says how it went. */
export class EnvelopedCall extends HttpCall {
  readonly malformed: number;
  override readonly makeDecoder;
  readonly #parts: EnvelopedParts;
  readonly #reader: EnvelopeReader;
  readonly #packs: boolean;
  readonly #output: InOrder;
  #hasBegun = false;

  constructor(carrier: Carrier, head: CallHead, parts: EnvelopedParts) {
    super(carrier, head);
    const { dialect, form, maxBytes, takesText } = parts;
    const { connection, headers, body } = carrier;
    this.#parts = parts;
    this.malformed = dialect.malformed;
    this.makeDecoder = form.makeDecoder;
    this.#packs = takesGzip(headers[dialect.accepted]);
    this.#output = new InOrder(
      connection.isolate((thrown: unknown) => {
        throw thrown;
      }),
    );
    const base64 = takesText ? new Base64Stream() : undefined;
    this.#reader = new EnvelopeReader(
      body,
      maxBytes,
      {
        message: (flags, bytes) => this.#take(flags, bytes),
        end: () => {
          if (base64?.isWhole === false)
            this.breakOff(this.malformed, 'the body ends within a group of base64');
          else this.giveEnd();
        },
        tooLarge: (length) => this.#refuseSize(`of ${length} bytes`),
        broken: (problem) => this.breakOff(this.malformed, problem),
      },
      connection,
      base64 && ((chunk) => base64.decode(chunk)),
    );
  }

  startRead(): void {
    if (!this.hasEnded) this.#reader.next();
  }

  sendMetadata(metadata: Metadata): void {
    if (!this.hasEnded) this.#begin(metadata);
  }

  sendMessage(bytes: Buffer, sent?: () => void): void {
    if (this.hasEnded) return;
    this.#begin(undefined);
    this.#output.add(() => {
      const made = this.#parts.form.encode(bytes);
      if (!(made instanceof Promise) && !this.#isWorthPacking(made)) return this.#write(0, made, sent);
      return Promise.resolve(made).then(async (whole) => {
        if (this.#isWorthPacking(whole)) this.#write(COMPRESSED, await pack(whole), sent);
        else this.#write(0, whole, sent);
      });
    });
  }

  protected writeEnd(status: RpcStatus): void {
    this.#reader.stop();
    this.#begin(undefined);
    const { dialect } = this.#parts;
    this.#output.add(() => {
      this.carrier.end(this.#frame(dialect.endFlag, Buffer.from(dialect.end(status))));
      return undefined;
    });
  }

  #isWorthPacking({ length }: Buffer): boolean {
    return this.#packs && length >= WORTH_COMPRESSING;
  }

  #begin(metadata: Metadata | undefined): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const { contentType, dialect } = this.#parts;
    const headers: AnswerHeaders = { ...headersOf(metadata), ...this.further, 'content-type': contentType };
    if (this.#packs) headers[dialect.encoding] = 'gzip';
    this.carrier.respond(200, headers);
  }

  #write(flags: number, bytes: Buffer, sent: (() => void) | undefined): undefined {
    this.carrier.write(this.#frame(flags, bytes), sent && this.connection.isolate(sent));
  }

  #frame(flags: number, bytes: Buffer): Buffer {
    const frame = Buffer.allocUnsafe(HEAD + bytes.length);
    frame.writeUInt8(flags, 0);
    frame.writeUInt32BE(bytes.length, 1);
    bytes.copy(frame, HEAD);
    return this.#parts.givesText ? Buffer.from(frame.toString('base64'), 'latin1') : frame;
  }

  #take(flags: number, bytes: Buffer): void {
    if (flags === 0) return this.give(bytes);
    if (flags !== COMPRESSED)
      return this.breakOff(
        this.malformed,
        `a request message has the flags ${flags}, which mean nothing there`,
      );
    const { coding, maxBytes } = this.#parts;
    if (coding === undefined)
      return this.breakOff(
        Code.INTERNAL,
        `a request message is compressed, and no ${this.#parts.dialect.encoding} says how`,
      );
    unpack(bytes, coding, maxBytes).then(
      this.connection.isolate((unpacked: Buffer) => this.give(unpacked)),
      this.connection.isolate((thrown: Error) => {
        if (thrown instanceof TooLarge) this.#refuseSize('that was unpacked');
        else this.breakOff(this.malformed, thrown.message);
      }),
    );
  }

  #refuseSize(what: string): void {
    const text = `a request message ${what} is larger than ${this.#parts.maxBytes} bytes, the limit of max_message_bytes`;
    this.breakOff(Code.RESOURCE_EXHAUSTED, text);
  }
}
