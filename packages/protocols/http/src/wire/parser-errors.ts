import { encodeBody } from '../answer/answer.js';
import type { HttpConnection } from './http-connection.js';

interface Refusal {
  readonly line: string;
  readonly error: string;
}

const BAD_REQUEST = '400 Bad Request';

const REFUSALS: ReadonlyMap<string, Refusal> = new Map([
  [
    'HPE_HEADER_OVERFLOW',
    {
      line: '431 Request Header Fields Too Large',
      error: 'the request line and headers are larger than 16 KiB',
    },
  ],
  [
    'HPE_CHUNK_EXTENSIONS_OVERFLOW',
    { line: '413 Content Too Large', error: 'the chunk extensions are larger than 16 KiB' },
  ],
  ['ERR_HTTP_REQUEST_TIMEOUT', { line: '408 Request Timeout', error: 'the request did not arrive in time' }],
]);

/** Answers bytes that are no HTTP/1 request, after the answers that are owed to the requests before them, and closes. */
export function refuseBytes(
  error: NodeJS.ErrnoException & { reason?: string },
  connection: HttpConnection,
): void {
  const { kit, latest } = connection;
  if (error.code === 'ECONNRESET' || error.code === 'EPIPE' || !kit.socket.writable) {
    kit.destroy();
    return;
  }
  const refusal = REFUSALS.get(error.code ?? '') ?? {
    line: BAD_REQUEST,
    error: `the bytes are not a valid HTTP/1.1 request${error.reason === undefined ? '' : `: ${error.reason}`}`,
  };
  const send = (): void => kit.end(rawAnswer(refusal));
  if (latest === undefined || latest.writableFinished) send();
  else latest.once('close', send);
}

/** Answers a CONNECT request: a mock server is no proxy (RFC 9110, section 9.3.6). */
export function refuseTunnel(connection: HttpConnection): void {
  connection.kit.end(
    rawAnswer({
      line: '501 Not Implemented',
      error: 'CONNECT is not supported, because this is not a proxy',
    }),
  );
}

function rawAnswer({ line, error }: Refusal): string {
  const body = encodeBody(JSON.stringify({ error }));
  return (
    `HTTP/1.1 ${line}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n` +
    body.toString()
  );
}
