import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Connection } from '../connection.js';

interface Refusal {
  readonly status: number;
  readonly error: string;
}

const REFUSALS: ReadonlyMap<string, Refusal> = new Map([
  ['HPE_HEADER_OVERFLOW', { status: 431, error: 'the request line and headers are larger than 16 KiB' }],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', { status: 413, error: 'the chunk extensions are larger than 16 KiB' }],
  ['ERR_HTTP_REQUEST_TIMEOUT', { status: 408, error: 'the request did not arrive in time' }],
]);

/**
 * Answers bytes that node:http could not read as a request and reports as `clientError`, and closes the connection.
 *
 * @param latest - the newest answer that a request before them is still to get; it is sent first
 */
export function refuseHttpBytes(
  error: NodeJS.ErrnoException & { reason?: string },
  connection: Connection,
  latest?: ServerResponse,
): void {
  if (error.code === 'ECONNRESET' || error.code === 'EPIPE' || !connection.socket.writable) {
    connection.destroy();
    return;
  }
  const reason = error.reason === undefined ? '' : `: ${error.reason}`;
  const refusal = REFUSALS.get(error.code ?? '') ?? {
    status: 400,
    error: `the bytes are not a valid HTTP/1.1 request${reason}`,
  };
  const send = (): void => endWithHttp(connection, refusal.status, refusal.error);
  if (latest === undefined || latest.writableFinished) send();
  else latest.once('close', send);
}

/** Answers a CONNECT request: a mock server is no proxy (RFC 9110, section 9.3.6). */
export function refuseHttpTunnel(connection: Connection): void {
  endWithHttp(connection, 501, 'CONNECT is not supported, because this is not a proxy');
}

/**
 * Sends a whole HTTP/1.1 answer in JSON, `{"error": ...}`, and closes the connection. For cases without a
 * `ServerResponse`: bytes that are not a request, and requests for an upgrade.
 *
 * @param headers - further headers, name to value; neither may hold a line break
 */
export function endWithHttp(
  connection: Connection,
  status: number,
  error: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const phrase = STATUS_CODES[status] ?? '';
  const body = Buffer.from(JSON.stringify({ error }));
  const lines = [
    `HTTP/1.1 ${status} ${status === 413 ? 'Content Too Large' : phrase}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  connection.end(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]));
}
