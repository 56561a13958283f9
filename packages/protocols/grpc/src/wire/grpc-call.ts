import type { Metadata } from '@grpc/grpc-js';
import type { AnswerHeaders } from './carrier.js';
import { TooLarge, unpack, type Coding } from './compression.js';
import { EnvelopeReader, HEAD, type EnvelopeHandlers } from './envelope-reader.js';
import type { ReadHead } from './grpc-head.js';
import type { CallHeaders } from './call-headers.js';
import type { Http2Carrier } from './http2-carrier.js';
import { sendHttpFault } from './http-fault.js';
import { headersOf, HttpCall } from './http-call.js';
import type { RpcStatus } from './rpc-call.js';
import { Code } from './status.js';
import { TIMEOUT } from './timeout.js';

const COMPRESSED = 1;
const CONTENT_TYPE = 'application/grpc+proto';
const BEGINNING: AnswerHeaders = { 'content-type': CONTENT_TYPE };
const NOTHING: AnswerHeaders = {};
const ENDED_WELL: AnswerHeaders = { 'grpc-status': '0', 'grpc-message': 'OK' };

/**
 * A call of gRPC itself, whose status is in the trailers of an answer of HTTP/2 (PROTOCOL-HTTP2.md of gRPC). Without messages
 * and metadata the answer is trailers alone.
 */
export class GrpcCall extends HttpCall implements EnvelopeHandlers {
  readonly malformed = Code.INTERNAL;
  readonly #stream: Http2Carrier;
  readonly #coding: Coding | undefined;
  readonly #maxBytes: number;
  readonly #reader: EnvelopeReader;
  #hasBegun = false;

  /** @param maxBytes - the most bytes of a request message */
  constructor(carrier: Http2Carrier, { deadline, coding }: ReadHead, headers: CallHeaders, maxBytes: number) {
    const timeout = carrier.headers[TIMEOUT];
    super(carrier, {
      path: carrier.url,
      timeout: timeout === undefined ? undefined : String(timeout),
      deadline,
      headers,
      further: NOTHING,
    });
    this.#stream = carrier;
    this.#coding = coding;
    this.#maxBytes = maxBytes;
    this.#reader = new EnvelopeReader(carrier.body, maxBytes, this, carrier.connection);
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
    const frame = Buffer.allocUnsafe(HEAD + bytes.length);
    frame[0] = 0;
    frame.writeUInt32BE(bytes.length, 1);
    frame.set(bytes, HEAD);
    this.#stream.write(frame, sent && this.connection.isolate(sent));
  }

  override sendHttp(status: number, body: string): void {
    this.stop();
    this.#reader.stop();
    sendHttpFault(this.#stream.body, this.connection, status, body);
  }

  protected writeEnd(status: RpcStatus): void {
    this.#reader.stop();
    const trailers = trailersOf(status);
    if (this.#hasBegun) this.#stream.endWith(trailers);
    else this.#stream.respondWith({ 'content-type': CONTENT_TYPE, ...trailers });
  }

  message(flags: number, bytes: Buffer): void {
    if (flags === 0) return this.give(bytes);
    if (flags !== COMPRESSED)
      return this.broken(`a request message has the flags ${flags}, which mean nothing there`);
    const coding = this.#coding;
    if (coding === undefined)
      return this.broken('a request message is compressed, and no grpc-encoding says how');
    const { connection } = this;
    unpack(bytes, coding, this.#maxBytes).then(
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

  #begin(metadata: Metadata | undefined): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const headers = metadata === undefined ? BEGINNING : { ...BEGINNING, ...headersOf(metadata) };
    this.#stream.respond(200, headers, true);
  }

  #refuseSize(what: string): void {
    const text = `a request message ${what} is larger than ${this.#maxBytes} bytes, the limit of max_message_bytes`;
    this.breakOff(Code.RESOURCE_EXHAUSTED, text);
  }
}

function trailersOf({ code, details, metadata }: RpcStatus): AnswerHeaders {
  if (code === Code.OK && details === 'OK' && !metadata) return ENDED_WELL;
  const status = { 'grpc-status': String(code), 'grpc-message': encodeURI(details) };
  return metadata ? { ...status, ...headersOf(metadata) } : status;
}
