import {
  announcesTooMuch,
  jsonAnswer,
  makeHeaders,
  readDecodedBody,
  refuseLargeBody,
  type DecodeFailure,
} from '@backlot/kit/http';
import { DecodedCodings } from './decoded-codings.js';
import type { HttpContext, HttpExchange } from './shape.js';
import type { HttpConnection } from './wire/connection.js';
import {
  asServerResponse,
  http2StreamOf,
  sendAnswer,
  type Incoming,
  type Outgoing,
} from './wire/outgoing.js';

const MAX_BODY = 1024 * 1024 * 1024;
const DEFAULT_MAX_BODY = 10 * 1024 * 1024;
const TOO_LARGE: DecodeFailure = { status: 413 };

/** Reads the bodies of requests, decoded, and refuses those that cannot be taken. */
export class BodyIntake {
  readonly #limit: number;
  readonly #decoded: DecodedCodings;

  constructor({ max_body_bytes: limit = DEFAULT_MAX_BODY, ...config }: HttpContext['config']) {
    this.#limit = limit === 0 ? MAX_BODY : limit;
    this.#decoded = new DecodedCodings(config);
  }

  /** Whether a request announces a body that is not taken. */
  announcesTooMuch(request: Incoming): boolean {
    return announcesTooMuch(request, this.#limit);
  }

  /**
   * Reads a body to its end.
   *
   * @param take - called once with the body or why it is refused; not called when the client leaves first
   */
  read(request: Incoming, connection: HttpConnection, take: (body: Buffer | DecodeFailure) => void): void {
    if (this.announcesTooMuch(request)) return take(TOO_LARGE);
    const codings = this.#decoded.codingsOf(request);
    readDecodedBody(request, codings, this.#limit, connection.kit.isolate(take));
  }

  /** Whether the body of a request is read without the codings that it came with. */
  takesCodingsOff(request: Incoming): boolean {
    return this.#decoded.codingsOf(request).length > 0;
  }

  /** Answers a request whose body is refused. */
  refuse(
    request: Incoming,
    response: Outgoing,
    connection: HttpConnection,
    exchange: HttpExchange,
    failure: DecodeFailure,
  ): void {
    const headers = makeHeaders();
    headers['Connection'] = 'close';
    const error =
      failure.status === 400
        ? failure.error
        : `the request body is larger than ${this.#limit} bytes, the limit of max_body_bytes`;
    const answer = jsonAnswer(failure.status, { error }, headers);
    exchange.done(answer);
    const stream = http2StreamOf(request);
    if (stream !== undefined) {
      sendAnswer(request, response, answer);
      // RFC 9113, section 8.1: the answer is whole, so the rest of the request is not wanted.
      response.once('finish', () => stream.close());
      return;
    }
    refuseLargeBody(request, asServerResponse(response), answer, connection.kit);
  }
}
