import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Connection } from '@backlot/kit';

/** A reset overtakes what was written just before it, so it waits a little, in ms. */
const RESET_AFTER = 20;

/**
 * Answers a stream of HTTP/2 as a proxy that knows no gRPC does: with an HTTP status and a text. A client that is still
 * sending is told to stop (RFC 9113, section 8.1).
 */
export function sendHttpFault(
  stream: ServerHttp2Stream,
  connection: Connection,
  status: number,
  body: string,
): void {
  if (stream.closed || stream.destroyed || stream.headersSent) return;
  stream.respond(
    { ':status': status, 'content-type': 'text/plain; charset=utf-8' },
    { endStream: body === '' },
  );
  if (body !== '') stream.end(body);
  stopReading(stream, connection);
}

/** An answer was ended: what the client still sends is of no use. */
export function stopReading(stream: ServerHttp2Stream, connection: Connection): void {
  // A stream ends once what the client sent was read as well.
  stream.resume();
  connection.after(RESET_AFTER, () => stream.close(constants.NGHTTP2_NO_ERROR));
}
