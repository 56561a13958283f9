import {
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Connection } from '@backlot/kit';
import { stopReading } from './http-fault.js';
import type { AnswerHeaders, Carrier } from './carrier.js';

const WAITING = { waitForTrailers: true };
const ALONE = { endStream: true };

/** A request of HTTP/2; its stream has a listener for errors. */
export class Http2Carrier implements Carrier {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: ServerHttp2Stream;
  readonly connection: Connection;
  readonly isDuplex = true;
  #hasEnded = false;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, connection: Connection) {
    this.method = headers[':method'] ?? '';
    this.url = headers[':path'] ?? '/';
    this.headers = headers;
    this.body = stream;
    this.connection = connection;
  }

  get hasLeft(): boolean {
    return this.body.closed || this.body.destroyed;
  }

  /** @param hasTrailers - whether the answer is ended by {@link endWith} */
  respond(status: number, headers: AnswerHeaders, hasTrailers = false): void {
    if (this.hasLeft || this.body.headersSent) return;
    const options = hasTrailers ? WAITING : undefined;
    this.body.respond({ ':status': status, ...(headers as OutgoingHttpHeaders) }, options);
  }

  /** Answers with headers alone. */
  respondWith(headers: AnswerHeaders): void {
    this.#hasEnded = true;
    if (this.hasLeft || this.body.headersSent) return;
    this.body.respond({ ':status': 200, ...(headers as OutgoingHttpHeaders) }, ALONE);
    if (!this.body.readableEnded) stopReading(this.body, this.connection);
  }

  /** Ends an answer that has trailers with these. */
  endWith(trailers: AnswerHeaders): void {
    if (!this.hasLeft)
      this.body.once('wantTrailers', () => this.body.sendTrailers(trailers as OutgoingHttpHeaders));
    this.end();
  }

  write(bytes: Buffer, sent?: () => void): void {
    if (!this.hasLeft) this.body.write(bytes, sent);
  }

  end(bytes?: Buffer): void {
    this.#hasEnded = true;
    if (this.hasLeft) return;
    this.body.end(bytes);
    if (this.body.readableEnded) return;
    // What the client still sends is of no use to anybody; it is told so once the answer has left.
    this.body.resume();
    this.body.once('finish', () => stopReading(this.body, this.connection));
  }

  reset(): void {
    this.#hasEnded = true;
    this.body.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }

  onLeave(listener: () => void): void {
    this.body.once('close', () => {
      if (!this.#hasEnded) listener();
    });
  }
}
