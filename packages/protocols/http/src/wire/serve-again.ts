import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Serves a request for an upgrade as any other request, since the upgrade is ignored (RFC 9110, section 7.8). Node has left
 * the connection to us, so it is given to the server anew, beginning with the request. `Connection` does not name the upgrade
 * any more: else node would leave it again.
 *
 * @param url - the target as it came
 * @param head - what came behind the request's headers
 */
export function serveAgain(
  server: Server,
  request: IncomingMessage,
  url: string | undefined,
  socket: Socket,
  head: Buffer,
): void {
  const { method = 'GET', httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url ?? '/'} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const value = rawHeaders[index + 1] ?? '';
    if (name.toLowerCase() !== 'connection') {
      lines.push(`${name}: ${value}`);
      continue;
    }
    const options = value.split(',').filter((option) => option.trim().toLowerCase() !== 'upgrade');
    if (options.length > 0) lines.push(`${name}: ${options.join(',').trim()}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}
