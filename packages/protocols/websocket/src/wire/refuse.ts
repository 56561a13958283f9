import { STATUS_CODES } from 'node:http';
import type { Connection } from '@backlot/kit';

/** Refuses a handshake: sends a whole HTTP/1.1 answer in place of the 101, and closes. */
export function refuseHandshake(connection: Connection, status: number, body: string): void {
  const hasBody = status !== 204 && status !== 304;
  const bytes = Buffer.from(hasBody ? body : '');
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...(hasBody ? [`Content-Type: ${typeOf(body)}`, `Content-Length: ${bytes.length}`] : []),
    'Connection: close',
  ];
  connection.end(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]));
}

function typeOf(body: string): string {
  try {
    JSON.parse(body);
    return 'application/json';
  } catch {
    return 'text/plain; charset=utf-8';
  }
}
