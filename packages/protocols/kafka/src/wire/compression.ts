import zlib from 'node:zlib';
import { FramingError } from '@backlot/kit/framing';
import { decompressLz4 } from './lz4.js';
import { decompressSnappy } from './snappy.js';
import { decompressZstd } from './zstd.js';

/** The most that the records of one batch may take up once they are decompressed. */
export const MAX_DECOMPRESSED = 16 * 1024 * 1024;

type Decompress = (bytes: Buffer) => Buffer | Generator<undefined, Buffer>;

/** The code of Zstandard, which may have to be loaded first. */
export const ZSTD = 4;

const DECOMPRESS: readonly Decompress[] = [
  (bytes) => bytes,
  (bytes) => zlib.gunzipSync(bytes, { maxOutputLength: MAX_DECOMPRESSED }),
  (bytes) => decompressSnappy(bytes, MAX_DECOMPRESSED),
  (bytes) => decompressLz4(bytes, MAX_DECOMPRESSED),
  (bytes) => decompressZstd(bytes, MAX_DECOMPRESSED),
];

/**
 * Whether records compressed this way (the lowest three bits of a batch's attributes; Zstandard: KIP-110) can be read.
 */
export function canDecompress(codec: number): boolean {
  return DECOMPRESS[codec] !== undefined;
}

/**
 * The records of a batch as they were before they were compressed, in steps.
 *
 * @throws FramingError when they are damaged or larger than {@link MAX_DECOMPRESSED}
 */
export function* decompress(codec: number, bytes: Buffer): Generator<undefined, Buffer> {
  try {
    const made = DECOMPRESS[codec]?.(bytes) ?? bytes;
    return Buffer.isBuffer(made) ? made : yield* made;
  } catch (thrown) {
    if (thrown instanceof FramingError) throw thrown;
    const isTooLong = (thrown as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new FramingError(
      isTooLong ? 'too_long' : 'malformed',
      isTooLong
        ? `the records take more than ${MAX_DECOMPRESSED} bytes once they are decompressed`
        : 'the compressed records are damaged',
    );
  }
}
