import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, type ZlibOptions } from 'node:zlib';

const decoders: Readonly<Record<string, (bytes: Buffer, limit: ZlibOptions) => Promise<Buffer>>> = {
  gzip: (bytes, limit) => promisify(gunzip)(bytes, limit),
  'x-gzip': (bytes, limit) => promisify(gunzip)(bytes, limit),
  br: (bytes, limit) => promisify(brotliDecompress)(bytes, limit),
  // Some servers leave the wrapping of zlib out.
  deflate: (bytes, limit) =>
    promisify(inflate)(bytes, limit).catch(() => promisify(inflateRaw)(bytes, limit)),
};

/** Whether a body with this coding can be decoded. */
export function isKnownCoding(coding: string): boolean {
  return coding === 'identity' || Object.hasOwn(decoders, coding);
}

/**
 * Takes the content codings off a body.
 *
 * @param header - the value of Content-Encoding
 * @param maxBytes - the most bytes that it may have decoded
 * @throws Error when it cannot be decoded, or is longer
 */
export async function decodeContent(
  bytes: Buffer,
  header: string | undefined,
  maxBytes: number,
): Promise<Buffer> {
  let body = bytes;
  for (const coding of (header ?? '').split(',').toReversed()) {
    const name = coding.trim().toLowerCase();
    if (name === '' || name === 'identity' || body.length === 0) continue;
    const decoder = decoders[name];
    if (decoder === undefined)
      throw new Error(`its body has the coding ${JSON.stringify(name)}, which nobody here knows`);
    body = await decoder(body, { maxOutputLength: maxBytes });
  }
  return body;
}
