import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';

/** A request whose body is still to be read, of either version of HTTP. */
export type BodySource = Readable & { readonly headers: IncomingHttpHeaders };

/** Whether the Content-Length of a request is more than `limit` bytes. */
export function announcesTooMuch(request: BodySource, limit: number): boolean {
  const length = request.headers['content-length'];
  return length !== undefined && Number(length) > limit;
}

/**
 * Reads a body to its end.
 *
 * @param take - called once with the body, or with `undefined` as soon as it is larger than `limit`, with the rest left
 * unread; not called when the client leaves first
 */
export function readBody(request: Readable, limit: number, take: (body: Buffer | undefined) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    if (size > limit) {
      request.off('data', onData);
      request.off('end', onEnd);
      request.pause();
      take(undefined);
      return;
    }
    chunks.push(chunk);
  };
  const onEnd = (): void => {
    const [first] = chunks;
    take(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, size));
  };
  request.on('data', onData);
  request.on('end', onEnd);
  request.on('error', ignore);
}

/**
 * Reads and throws away what a client still sends, so that it can finish sending and read its answer.
 *
 * @param onChunk - called for each chunk that was thrown away
 * @param onEnd - called when the body has ended or its client has left
 */
export function discardBody(request: BodySource, onChunk: () => void, onEnd: () => void): void {
  request.on('data', onChunk);
  request.once('end', onEnd);
  request.once('error', onEnd);
  request.resume();
}

function ignore(): void {
  // A client that leaves in the middle of its body has sent no request that could be answered.
}
