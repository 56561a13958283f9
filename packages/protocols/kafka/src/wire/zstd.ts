import zlib from 'node:zlib';
import type * as fzstd from 'fzstd';
import { FramingError } from '@backlot/kit/framing';
import { Output } from './output.js';
import { readZstdFrames, type ZstdFrame } from './zstd-frames.js';

type Native = (bytes: Buffer, options: object) => Buffer;
type Library = Pick<typeof fzstd, 'Decompress'>;

/** Zstandard is part of zlib from Node.js 22.15 on. */
const native = (zlib as { zstdDecompressSync?: Native }).zstdDecompressSync;

/** Bytes of windows that one batch may have moved: each block moves the window before it. */
const MAX_MOVED = 8 * 1024 * 1024 * 1024;

let library: Library | undefined;

/** Loads what older versions of Node.js need to read Zstandard; `undefined` when everything is there. */
export function loadZstd(): Promise<void> | undefined {
  return native !== undefined || library !== undefined ? undefined : loadLibrary();
}

/** Loads the library. */
export async function loadLibrary(): Promise<void> {
  library ??= await import('fzstd');
}

/**
 * Decompresses Zstandard (RFC 8878), once {@link loadZstd} has nothing left to load.
 *
 * @param own - what this version of Node.js has for it; without it a library does it, in steps
 */
export function* decompressZstd(
  bytes: Buffer,
  limit: number,
  own: Native | undefined = native,
): Generator<undefined, Buffer> {
  return own === undefined
    ? yield* decompressByLibrary(bytes, limit)
    : yield* decompressFrames(bytes, limit, own);
}

/** Frame by frame: that of Node.js reads the first one alone, and gives nothing for one that is cut off. */
function* decompressFrames(bytes: Buffer, limit: number, own: Native): Generator<undefined, Buffer> {
  const output = new Output(limit);
  for (const { head, blocks } of readZstdFrames(bytes, limit)) {
    output.append(own(Buffer.concat([head, ...blocks]), { maxOutputLength: limit }));
    yield;
  }
  return output.finish();
}

/** Block by block, since the library cannot stop in between, and would take a window as large as the frame says. */
export function* decompressByLibrary(bytes: Buffer, limit: number): Generator<undefined, Buffer> {
  if (library === undefined) throw new Error('Zstandard was not loaded');
  const output = new Output(limit);
  let moved = 0;
  for (const frame of readZstdFrames(bytes, limit)) {
    const stream = new library.Decompress((data) => {
      output.append(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
    });
    stream.push(frame.head);
    for (const [index, block] of frame.blocks.entries()) {
      moved += frame.window;
      if (moved > MAX_MOVED) throw tooMuchWork(frame);
      // It holds short frames back until it is told that no more comes.
      stream.push(block, index === frame.blocks.length - 1);
      yield;
    }
  }
  return output.finish();
}

function tooMuchWork({ blocks, window }: ZstdFrame): FramingError {
  return new FramingError(
    'too_long',
    `the compressed records have ${blocks.length} blocks with a window of ${window} bytes, which is too much work`,
  );
}
