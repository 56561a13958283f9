import type { Metadata } from '@grpc/grpc-js';
import type { AnswerHeaders } from './carrier.js';
import { FramedCall, frameOf } from './framed-call.js';
import type { ReadHead } from './grpc-head.js';
import type { CallHeaders } from './call-headers.js';
import type { Http2Carrier } from './http2-carrier.js';
import { sendHttpFault } from './http-fault.js';
import { headersOf } from './http-call.js';
import type { RpcStatus } from './rpc-call.js';
import { Code } from './status.js';
import { TIMEOUT } from './timeout.js';

const CONTENT_TYPE = 'application/grpc+proto';
const BEGINNING: AnswerHeaders = { 'content-type': CONTENT_TYPE };
const NOTHING: AnswerHeaders = {};
const ENDED_WELL: AnswerHeaders = { 'grpc-status': '0', 'grpc-message': 'OK' };

/**
 * A call of gRPC itself, whose status is in the trailers of an answer of HTTP/2 (PROTOCOL-HTTP2.md of gRPC). Without messages
 * and metadata the answer is trailers alone.
 */
export class GrpcCall extends FramedCall {
  readonly malformed = Code.INTERNAL;
  readonly #stream: Http2Carrier;
  #hasBegun = false;

  /** @param maxBytes - the most bytes of a request message */
  constructor(carrier: Http2Carrier, { deadline, coding }: ReadHead, headers: CallHeaders, maxBytes: number) {
    const timeout = carrier.headers[TIMEOUT];
    const head = {
      path: carrier.url,
      timeout: timeout === undefined ? undefined : String(timeout),
      deadline,
      headers,
      further: NOTHING,
    };
    super(carrier, head, { coding, encoding: 'grpc-encoding', maxBytes });
    this.#stream = carrier;
  }

  sendMetadata(metadata: Metadata): void {
    if (!this.hasEnded) this.#begin(metadata);
  }

  sendMessage(bytes: Buffer, sent?: () => void): void {
    if (this.hasEnded) return;
    this.#begin(undefined);
    this.#stream.write(frameOf(0, bytes), sent && this.connection.isolate(sent));
  }

  override sendHttp(status: number, body: string): void {
    this.stop();
    this.reader.stop();
    sendHttpFault(this.#stream.body, this.connection, status, body);
  }

  protected writeEnd(status: RpcStatus): void {
    this.reader.stop();
    const trailers = trailersOf(status);
    if (this.#hasBegun) this.#stream.endWith(trailers);
    else this.#stream.respondWith({ 'content-type': CONTENT_TYPE, ...trailers });
  }

  #begin(metadata: Metadata | undefined): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const headers = metadata === undefined ? BEGINNING : { ...BEGINNING, ...headersOf(metadata) };
    this.#stream.respond(200, headers, true);
  }
}

function trailersOf({ code, details, metadata }: RpcStatus): AnswerHeaders {
  if (code === Code.OK && details === 'OK' && !metadata) return ENDED_WELL;
  const status = { 'grpc-status': String(code), 'grpc-message': encodeURI(details) };
  return metadata ? { ...status, ...headersOf(metadata) } : status;
}
