import type { Metadata } from '@grpc/grpc-js';
import type { RpcStatus } from '../rpc-call.js';
import { Base64Stream } from './base64-stream.js';
import type { AnswerHeaders, Carrier } from '../carrier.js';
import { pack, takesGzip, WORTH_COMPRESSING, type Coding } from '../compression.js';
import type { Dialect } from './dialects.js';
import { COMPRESSED, FramedCall, frameOf } from '../framed-call.js';
import { InOrder } from './in-order.js';
import type { MessageForm } from './message-form.js';
import { headersOf, type CallHead } from '../http-call.js';

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
export class EnvelopedCall extends FramedCall {
  readonly malformed: number;
  override readonly makeDecoder;
  readonly #parts: EnvelopedParts;
  readonly #base64: Base64Stream | undefined;
  readonly #packs: boolean;
  readonly #output: InOrder;
  #hasBegun = false;

  constructor(carrier: Carrier, head: CallHead, parts: EnvelopedParts) {
    const { dialect, form, maxBytes, coding, takesText } = parts;
    const base64 = takesText ? new Base64Stream() : undefined;
    super(carrier, head, {
      coding,
      encoding: dialect.encoding,
      maxBytes,
      decode: base64 && ((chunk) => base64.decode(chunk)),
    });
    this.#base64 = base64;
    this.#parts = parts;
    this.malformed = dialect.malformed;
    this.makeDecoder = form.makeDecoder;
    this.#packs = takesGzip(carrier.headers[dialect.accepted]);
    this.#output = new InOrder(
      carrier.connection.isolate((thrown: unknown) => {
        throw thrown;
      }),
    );
  }

  override end(): void {
    if (this.#base64?.isWhole === false) this.broken('the body ends within a group of base64');
    else super.end();
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
    this.reader.stop();
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
    const frame = frameOf(flags, bytes);
    return this.#parts.givesText ? Buffer.from(frame.toString('base64'), 'latin1') : frame;
  }
}
