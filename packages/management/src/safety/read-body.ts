import type { IncomingMessage, ServerResponse } from 'node:http';
import { BacklotError } from '@backlot/core/plugin';

// What a client still sends after it was refused is read and dropped up to here, since a connection that is closed at
// once would tear the answer away; beyond it the connection ends.
const MAX_DROPPED = 64 * 1024 * 1024;

/** Whether a request announces a body. */
export function hasBody(request: IncomingMessage): boolean {
  const { headers } = request;
  if (headers['transfer-encoding'] !== undefined) return true;
  return headers['content-length'] !== undefined && headers['content-length'] !== '0';
}

/**
 * Refuses a body by its headers alone.
 *
 * @throws BacklotError `too_large` when it announces too many bytes, `unsupported_media_type` when it is compressed
 */
export function checkBodyHeaders(request: IncomingMessage, most: number): void {
  if (!hasBody(request)) return;
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > most) throw tooLarge(`of ${announced} bytes`, most);
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.trim() !== '' && encoding.trim().toLowerCase() !== 'identity') {
    throw new BacklotError(
      'unsupported_media_type',
      `Content-Encoding ${JSON.stringify(encoding.slice(0, 100))} is not supported; send the body as it is`,
    );
  }
}

/**
 * Reads a whole body.
 *
 * @param most - the largest body in bytes
 * @throws BacklotError `too_large` as soon as more has come, `cancelled` when the client left before the end
 */
export function readBody(request: IncomingMessage, response: ServerResponse, most: number): Promise<Buffer> {
  if (expectsContinue(request)) response.writeContinue();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > most) {
        stop();
        reject(tooLarge('of more bytes', most));
        return;
      }
      chunks.push(chunk);
    };
    const onEnd = (): void => {
      stop();
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size));
    };
    const onClose = (): void => {
      stop();
      reject(new BacklotError('cancelled', 'the client left before the end of its body'));
    };
    const stop = (): void => {
      request.off('data', onData);
      request.off('end', onEnd);
      request.off('close', onClose);
      request.off('error', onClose);
    };
    request.on('data', onData);
    request.on('end', onEnd);
    request.on('close', onClose);
    request.on('error', onClose);
  });
}

/** Lets what is still coming of a refused body go by, see {@link MAX_DROPPED}. */
export function dropRest(request: IncomingMessage): void {
  if (request.complete || !hasBody(request)) return;
  const { socket } = request;
  const before = socket.bytesRead;
  request.on('error', () => undefined);
  request.on('data', () => {
    if (socket.bytesRead - before > MAX_DROPPED) socket.destroy();
  });
  request.resume();
}

/** Whether the client waits for a word before it sends its body (RFC 9110, 10.1.1). */
export function expectsContinue(request: IncomingMessage): boolean {
  return request.headers.expect?.toLowerCase() === '100-continue';
}

function tooLarge(what: string, most: number): BacklotError {
  return new BacklotError('too_large', `a body ${what} is too large; at most ${most} bytes are taken`);
}
