import type { IncomingHttpHeaders } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  type Inflate,
} from 'node:zlib';
import { AwsChunkedDecoder } from './aws-chunked.js';
import { readBody, type BodySource } from './read-body.js';

/** A way in which a body can be encoded (RFC 9110, section 8.4.1). */
export type ContentCoding = 'gzip' | 'deflate' | 'br' | 'aws-chunked';

/** Why a body could not be decoded. */
export type DecodeFailure = { readonly status: 400; readonly error: string } | { readonly status: 413 };

/** A body that is encoded more often is left as it is. */
const MAX_CODINGS = 4;
const PIECE = 64 * 1024;
const NAMES: ReadonlyMap<string, ContentCoding> = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
  ['aws-chunked', 'aws-chunked'],
]);

/**
 * The codings of a request's body in the order in which they are taken off; `undefined` when there are none, or one that
 * nobody here knows, with which a body stays as it is. A body is `aws-chunked` by `Content-Encoding` or, since some SDKs
 * leave it out there, by an `x-amz-content-sha256` that says so; that one is always the outermost.
 */
export function codingsOf(headers: IncomingHttpHeaders): readonly ContentCoding[] | undefined {
  const encoding = headers['content-encoding'];
  const hash = headers['x-amz-content-sha256'];
  if (encoding === undefined && hash === undefined) return undefined;
  const codings: ContentCoding[] = [];
  let isChunked = typeof hash === 'string' && hash.startsWith('STREAMING-');
  for (const name of (encoding ?? '').split(',')) {
    const token = name.trim().toLowerCase();
    if (token === '' || token === 'identity') continue;
    const coding = NAMES.get(token);
    if (coding === undefined || codings.length === MAX_CODINGS) return undefined;
    if (coding === 'aws-chunked') isChunked = true;
    else codings.unshift(coding);
  }
  if (isChunked) codings.unshift('aws-chunked');
  return codings.length === 0 ? undefined : codings;
}

/**
 * Reads a body to its end and decodes it on the way, outside of the event loop where that takes long.
 *
 * @param codings - as {@link codingsOf} gives them; without any the body is read as it is
 * @param limit - the most bytes, encoded and decoded; a body that grows beyond it is read and decoded no further
 * @param take - called once; not called when the client leaves first. With a failure the rest of the body is left unread
 */
export function readDecodedBody(
  request: BodySource,
  codings: readonly ContentCoding[],
  limit: number,
  take: (body: Buffer | DecodeFailure) => void,
): void {
  if (codings.length === 0) {
    readBody(request, limit, (body) => take(body ?? { status: 413 }));
    return;
  }
  const steps = codings.map(makeDecoder);
  const chunks: Buffer[] = [];
  let size = 0;
  let received = 0;
  let hasEnded = false;
  const end = (result?: Buffer | DecodeFailure): void => {
    if (hasEnded) return;
    hasEnded = true;
    request.off('data', count);
    request.off('close', leave);
    request.unpipe();
    if (result !== undefined && !Buffer.isBuffer(result)) request.pause();
    for (const step of steps) step.destroy();
    if (result !== undefined) take(result);
  };
  const count = (chunk: Buffer): void => {
    received += chunk.length;
    if (received > limit) end({ status: 413 });
  };
  // A client that leaves in the middle of its body has sent no request that could be answered.
  const leave = (): void => {
    if (!request.readableEnded) end();
  };
  request.on('error', ignore);
  request.on('close', leave);
  steps.forEach((step, index) => {
    step.on('error', (error: Error) => {
      const name = codings[index] ?? '';
      end({ status: 400, error: `the request body is not valid ${name}: ${error.message}` });
    });
  });
  const last = steps.reduce<Transform | BodySource>((source, step) => source.pipe(step), request);
  last.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > limit) end({ status: 413 });
    else if (!hasEnded) chunks.push(chunk);
  });
  last.on('end', () => end(Buffer.concat(chunks, size)));
  request.on('data', count);
}

function makeDecoder(coding: ContentCoding): Transform {
  switch (coding) {
    case 'gzip':
      return createGunzip({ chunkSize: PIECE });
    case 'br':
      return createBrotliDecompress({ chunkSize: PIECE });
    case 'deflate':
      return new DeflateDecoder();
    case 'aws-chunked':
      return new AwsChunkedDecoder();
  }
}

/** `deflate` is the format of zlib (RFC 1950); many clients send it without that, as RFC 1951 has it. */
class DeflateDecoder extends Transform {
  #inner: Inflate | undefined;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#inner ??= this.#open(chunk);
    this.#inner.write(chunk, () => done());
  }

  override _flush(done: TransformCallback): void {
    if (this.#inner === undefined) return done();
    this.#inner.once('end', () => done());
    this.#inner.end();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#inner?.destroy();
    done(error);
  }

  #open(chunk: Buffer): Inflate {
    const isWrapped = ((chunk[0] ?? 0) & 0x0f) === 8 && chunk.readUInt8(0) >> 4 <= 7;
    const inner = (isWrapped ? createInflate : createInflateRaw)({ chunkSize: PIECE });
    inner.on('data', (data: Buffer) => this.push(data));
    inner.on('error', (error) => this.destroy(error));
    return inner;
  }
}

function ignore(): void {
  // Told by `close`.
}
