import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse, ServerHttp2Stream } from 'node:http2';
import { sendHttp1Answer, type HttpAnswer } from '@backlot/kit/http';

/** A request of either version. */
export type Incoming = IncomingMessage | Http2ServerRequest;

/** The answer under way, of either version of HTTP, with one signature for what both have. */
export interface Outgoing {
  writeHead(status: number, headers: object): unknown;
  write(chunk: string | Uint8Array, encoding?: BufferEncoding, done?: () => void): boolean;
  end(chunk?: string | Uint8Array, encoding?: BufferEncoding): unknown;
  flushHeaders(): void;
  writeContinue(): void;
  destroy(): unknown;
  on(event: 'close' | 'drain' | 'finish', listener: () => void): unknown;
  once(event: 'close' | 'drain' | 'finish', listener: () => void): unknown;
  readonly headersSent: boolean;
  readonly writableLength: number;
}

/** The HTTP/2 stream of a request, `undefined` for HTTP/1. */
export function http2StreamOf(request: Incoming): ServerHttp2Stream | undefined {
  return request.httpVersionMajor === 2 ? (request as Http2ServerRequest).stream : undefined;
}

/** Sends the status and headers of an answer, at once. */
export function sendHead(request: Incoming, response: Outgoing, { status, head }: HttpAnswer): void {
  response.writeHead(status, request.httpVersionMajor === 2 ? head.http2 : head.flat);
  response.flushHeaders();
}

/** Sends a finished answer. */
export function sendAnswer(request: Incoming, response: Outgoing, answer: HttpAnswer): void {
  const { body } = answer;
  if (answer.interim !== undefined) sendInterim(request, response, answer);
  if (request.httpVersionMajor === 2) {
    response.writeHead(answer.status, answer.head.http2);
    // An HTTP/2 stream, other than node:http, would send the body of an answer to HEAD.
    if (body === undefined || request.method === 'HEAD') response.end();
    else response.end(body);
    return;
  }
  sendHttp1Answer(asServerResponse(response), answer);
}

/** Sends an informational answer, where node can (RFC 9110, section 15.2); a client must be able to do without. */
function sendInterim(request: Incoming, response: Outgoing, { interim, head }: HttpAnswer): void {
  const stream = http2StreamOf(request);
  if (stream !== undefined) {
    stream.additionalHeaders({ ':status': interim, ...(interim === 103 ? dropLength(head.http2) : {}) });
    return;
  }
  const message = asServerResponse(response);
  if (interim === 100) message.writeContinue();
  else if (interim === 102) message.writeProcessing();
  else if (interim === 103) {
    const link = head.http2['link'];
    if (link !== undefined)
      message.writeEarlyHints({ link: typeof link === 'object' ? [...link] : String(link) });
  }
}

function dropLength(headers: HttpAnswer['headers']): OutgoingHttpHeaders {
  const { 'content-length': _length, ...kept } = headers;
  return kept as OutgoingHttpHeaders;
}

/** Keeps the compiler honest: node's own answers fit {@link Outgoing}. */
export function asOutgoing(response: ServerResponse | Http2ServerResponse): Outgoing {
  return response as unknown as Outgoing;
}

/** The answer to an HTTP/1.1 request as node has it. */
export function asServerResponse(response: Outgoing): ServerResponse {
  return response as unknown as ServerResponse;
}
