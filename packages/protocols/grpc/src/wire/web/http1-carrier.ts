import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Connection } from '@backlot/kit';
import type { AnswerHeaders, Carrier } from '../carrier.js';

/** A request of HTTP/1.1. */
export class Http1Carrier implements Carrier {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: IncomingMessage;
  readonly connection: Connection;
  readonly isDuplex = false;
  readonly #response: ServerResponse;
  #hasEnded = false;

  constructor(request: IncomingMessage, response: ServerResponse, connection: Connection) {
    this.method = request.method ?? '';
    this.url = request.url ?? '/';
    this.headers = request.headers;
    this.body = request;
    this.connection = connection;
    this.#response = response;
    request.on('error', ignore);
    response.on('error', ignore);
  }

  get hasLeft(): boolean {
    return !this.body.complete && this.body.destroyed;
  }

  respond(status: number, headers: AnswerHeaders): void {
    if (this.#response.headersSent || this.#response.destroyed) return;
    this.#response.writeHead(status, headers as Record<string, string | string[]>);
    this.#response.flushHeaders();
  }

  write(bytes: Buffer, sent?: () => void): void {
    if (!this.#response.destroyed) this.#response.write(bytes, sent);
  }

  end(bytes?: Buffer): void {
    this.#hasEnded = true;
    this.#response.end(bytes);
    // A client that is still sending would not read its answer, and the next request stands behind.
    this.body.resume();
  }

  reset(): void {
    this.#hasEnded = true;
    this.#response.destroy();
  }

  onLeave(listener: () => void): void {
    this.#response.once('close', () => {
      if (!this.#hasEnded) listener();
    });
  }
}

function ignore(): void {
  // Told by `close`.
}
