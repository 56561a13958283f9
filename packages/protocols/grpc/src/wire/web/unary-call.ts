import type { Metadata } from '@grpc/grpc-js';
import { readBody } from '@backlot/kit/http';
import type { RpcStatus } from '../rpc-call.js';
import { Code } from '../status.js';
import type { AnswerHeaders, Carrier } from '../carrier.js';
import { pack, takesGzip, TooLarge, unpack, WORTH_COMPRESSING, type Coding } from '../compression.js';
import { connectError, DETAILS, httpStatusOf } from './connect-error.js';
import { InOrder } from './in-order.js';
import type { MessageForm } from './message-form.js';
import { headersOf, HttpCall, type CallHead } from '../http-call.js';

/** What a unary call of Connect is made of. */
export interface UnaryParts {
  readonly form: MessageForm;
  readonly coding: Coding | undefined;
  /** The message of a call by GET, which has no body. */
  readonly message: Buffer | undefined;
  /** The most bytes of a request message. */
  readonly maxBytes: number;
}

/** A call of Connect whose request is one message, and whose answer is one message or an error in JSON. */
export class UnaryCall extends HttpCall {
  readonly malformed = Code.INVALID_ARGUMENT;
  override readonly makeDecoder;
  readonly #parts: UnaryParts;
  readonly #output: InOrder;
  #isRead = false;
  #metadata: Metadata | undefined;
  #messages: Buffer[] = [];

  constructor(carrier: Carrier, head: CallHead, parts: UnaryParts) {
    super(carrier, head);
    this.#parts = parts;
    this.makeDecoder = parts.form.makeDecoder;
    this.#output = new InOrder(
      carrier.connection.isolate((thrown: unknown) => {
        throw thrown;
      }),
    );
  }

  startRead(): void {
    if (this.hasEnded) return;
    if (this.#isRead) return this.giveEnd();
    this.#isRead = true;
    const { message, maxBytes } = this.#parts;
    if (message !== undefined) {
      if (message.length > maxBytes) this.#refuseSize();
      else this.#unpack(message);
      return;
    }
    readBody(
      this.carrier.body,
      maxBytes,
      this.connection.isolate((bytes: Buffer | undefined) => {
        if (bytes === undefined) this.#refuseSize();
        else this.#unpack(bytes);
      }),
    );
  }

  sendMetadata(metadata: Metadata): void {
    this.#metadata = metadata;
  }

  sendMessage(bytes: Buffer, sent?: () => void): void {
    if (this.hasEnded) return;
    this.#messages.push(bytes);
    // What is too much is told at once: a stream that stays open would never end.
    if (this.#messages.length === 2)
      return this.breakOff(
        Code.UNIMPLEMENTED,
        `${this.path} answers with a stream; call it with the content type application/connect+${this.#parts.form.name}`,
      );
    sent?.();
  }

  protected writeEnd(status: RpcStatus): void {
    const headers: AnswerHeaders = {
      ...headersOf(this.#metadata),
      ...headersOf(status.metadata, 'trailer-'),
      ...this.further,
    };
    delete headers[`trailer-${DETAILS}`];
    const [message] = this.#messages;
    if (status.code !== Code.OK) return this.#writeError(status, headers);
    if (message === undefined)
      return this.#writeError(
        { code: Code.UNIMPLEMENTED, details: `${this.path} was answered with no message` },
        headers,
      );
    this.#output.add(() => {
      const made = this.#parts.form.encode(message);
      if (!(made instanceof Promise) && !this.#isWorthPacking(made)) return this.#write(200, headers, made);
      return Promise.resolve(made).then(async (whole) => {
        if (!this.#isWorthPacking(whole)) return this.#write(200, headers, whole);
        this.#write(200, { ...headers, 'content-encoding': 'gzip' }, await pack(whole));
      });
    });
  }

  #isWorthPacking({ length }: Buffer): boolean {
    return length >= WORTH_COMPRESSING && takesGzip(this.carrier.headers['accept-encoding']);
  }

  #write(status: number, headers: AnswerHeaders, bytes: Buffer): undefined {
    this.carrier.respond(status, {
      'content-type': `application/${this.#parts.form.name}`,
      ...headers,
      'content-length': String(bytes.length),
    });
    this.carrier.end(bytes);
  }

  #writeError(status: RpcStatus, headers: AnswerHeaders): void {
    const body = Buffer.from(JSON.stringify(connectError(status)));
    this.#write(httpStatusOf(status.code), { ...headers, 'content-type': 'application/json' }, body);
  }

  #unpack(bytes: Buffer): void {
    const { coding, maxBytes } = this.#parts;
    // Nothing is compressed to nothing: many clients send an empty message as it is.
    if (coding === undefined || bytes.length === 0) return this.give(bytes);
    unpack(bytes, coding, maxBytes).then(
      this.connection.isolate((unpacked: Buffer) => this.give(unpacked)),
      this.connection.isolate((thrown: Error) => {
        if (thrown instanceof TooLarge) this.#refuseSize();
        else this.breakOff(this.malformed, thrown.message);
      }),
    );
  }

  #refuseSize(): void {
    const text = `the request message is larger than ${this.#parts.maxBytes} bytes, the limit of max_message_bytes`;
    this.breakOff(Code.RESOURCE_EXHAUSTED, text);
  }
}
