import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { BacklotError, invalid } from '@backlot/core/plugin';

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
export function checkBodyHeaders(request: IncomingMessage, most: number, takesGzip = false): void {
  if (!hasBody(request)) return;
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > most) throw tooLarge(`of ${announced} bytes`, most);
  const encoding = request.headers['content-encoding'];
  if (takesGzip && isGzip(request)) return;
  if (encoding !== undefined && encoding.trim() !== '' && encoding.trim().toLowerCase() !== 'identity') {
    throw new BacklotError(
      'unsupported_media_type',
      `Content-Encoding ${JSON.stringify(encoding.slice(0, 100))} is not supported; send the body as it is`,
    );
  }
}

/** Whether a body is compressed by gzip. */
export function isGzip({ headers }: IncomingMessage): boolean {
  return headers['content-encoding']?.trim().toLowerCase() === 'gzip';
}

/**
 * Takes gzip off a body, outside of the event loop.
 *
 * @param most - the largest body in bytes, without gzip
 * @throws BacklotError `too_large` when more comes out, `invalid` for what is no gzip
 */
export async function gunzipBody(bytes: Buffer, most: number): Promise<Buffer> {
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: most });
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge('of more bytes', most);
    throw invalid(`the body is no gzip, as Content-Encoding says: ${message}`);
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
