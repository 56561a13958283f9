import type { ServerHttp2Stream } from 'node:http2';
import type { Connection } from '@backlot/kit';
import { stopReading } from './http-fault.js';
import { Code } from './status.js';

/** Answers a call of gRPC that nobody takes with a status alone. @param status - of HTTP, see {@link codeOfRefusal} */
export function refuseStream(
  stream: ServerHttp2Stream,
  connection: Connection,
  status: number,
  message: string,
): void {
  if (stream.closed || stream.destroyed || stream.headersSent) return;
  const trailers = { 'grpc-status': String(codeOfRefusal(status)), 'grpc-message': encodeURI(message) };
  stream.respond(
    { ':status': 200, 'content-type': 'application/grpc+proto', ...trailers },
    { endStream: true },
  );
  stopReading(stream, connection);
}

/** The code of gRPC for a request that cannot be served: what it names is not there, or cannot be reached. */
export function codeOfRefusal(status: number): number {
  return status === 404 ? Code.NOT_FOUND : Code.UNAVAILABLE;
}
