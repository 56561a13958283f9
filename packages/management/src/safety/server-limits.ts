import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

const MAX_HEADER_BYTES = 16 * 1024;

/**
 * Limits of the server in front of the interface. Times are milliseconds: a client that sends its headers or its body
 * byte by byte is cut off, and nobody waits for it.
 */
export const SERVER_LIMITS = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
  // Answered by the interface itself, as JSON.
  requireHostHeader: false,
} as const satisfies ServerOptions;

/** Makes what never becomes a request be answered with JSON too, and lets no header go unseen. */
export function guardServer(server: Server): void {
  // Headers beyond the count would be left out of `headers`, an Origin among them; their bytes are bounded anyway.
  server.maxHeadersCount = 0;
  const current = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    current.set(request.socket, response);
  });
  // The body is asked for by whoever reads it, so that a request that is refused never sends it.
  const answerAsUsual = (request: IncomingMessage, response: ServerResponse): void => {
    server.emit('request', request, response);
  };
  server.on('checkContinue', answerAsUsual);
  // An expectation that nobody knows may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', answerAsUsual);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const response = current.get(socket);
    const isAnswering = response !== undefined && response.headersSent && !response.writableFinished;
    if (!socket.writable || isAnswering || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    socket.end(rawAnswer(error), () => socket.destroy());
  });
}

function rawAnswer(error: NodeJS.ErrnoException): string {
  const [status, text] = describe(error);
  const body = JSON.stringify({ error: text });
  return [
    `HTTP/1.1 ${status}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}

function describe(error: NodeJS.ErrnoException): [status: string, text: string] {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return [
        '431 Request Header Fields Too Large',
        `the request line and headers are larger than ${MAX_HEADER_BYTES} bytes`,
      ];
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return ['413 Payload Too Large', 'the chunk extensions of the body are too large'];
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return ['408 Request Timeout', 'the request did not arrive in time'];
    default:
      return ['400 Bad Request', `this is not a valid HTTP request: ${error.message}`];
  }
}
