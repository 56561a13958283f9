import { ByteReader, FramingError } from '@backlot/kit/framing';

/** The beginning of a frame, and the bits that tell one that is to be skipped. */
const MAGIC = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;
/** The largest block (RFC 8878, section 3.1.1.2.4). */
const MAX_BLOCK = 128 * 1024;
/** The smallest window, and what a window descriptor counts from. */
const MIN_WINDOW_LOG = 10;
const RUN_LENGTH = 1;

/** One frame of Zstandard, cut into its parts. */
export interface ZstdFrame {
  /** Its header, whose window is no larger than what the blocks can fill. */
  readonly head: Buffer;
  /** The blocks with their headers; the last one with the checksum, where there is one. */
  readonly blocks: readonly Buffer[];
  /** Bytes that have to be kept to read the blocks. */
  readonly window: number;
}

/**
 * Cuts frames into their parts (RFC 8878, section 3.1.1), without decompressing anything.
 *
 * @throws FramingError when they are damaged, or would be larger than `limit` bytes by what they say themselves
 */
export function readZstdFrames(bytes: Buffer, limit: number): readonly ZstdFrame[] {
  const frames: ZstdFrame[] = [];
  const reader = new ByteReader(bytes);
  while (reader.remaining > 0) {
    const magic = reader.bytes(4).readUInt32LE(0);
    if ((magic & ~15) === SKIPPABLE) reader.skip(reader.bytes(4).readUInt32LE(0));
    else if (magic === MAGIC) frames.push(readFrame(bytes, reader, limit));
    else throw new FramingError('malformed', 'the records are no frame of Zstandard');
  }
  return frames;
}

function readFrame(bytes: Buffer, reader: ByteReader, limit: number): ZstdFrame {
  const start = bytes.length - reader.remaining;
  const flags = reader.u8();
  const isSingle = (flags & 0x20) !== 0;
  const hasChecksum = (flags & 0x04) !== 0;
  const sizeBits = flags >> 6;
  const descriptor = isSingle ? undefined : reader.u8();
  reader.skip([0, 1, 2, 4][flags & 3] ?? 0);
  const size = readSize(reader, sizeBits === 0 ? (isSingle ? 1 : 0) : 2 ** sizeBits);
  if (size !== undefined && size > limit) {
    throw new FramingError(
      'too_long',
      `the records take ${size} bytes once they are decompressed; at most ${limit} are taken`,
    );
  }
  const headEnd = bytes.length - reader.remaining;
  const blocks = readBlocks(bytes, reader, hasChecksum);
  const head = Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), bytes.subarray(start, headEnd)]);
  if (descriptor === undefined) return { head, blocks, window: size ?? 0 };
  // A window of more than all blocks can fill would be memory for nothing.
  const log = Math.max(Math.ceil(Math.log2(Math.min(blocks.length * MAX_BLOCK, limit))), MIN_WINDOW_LOG);
  const said = 2 ** (MIN_WINDOW_LOG + (descriptor >> 3)) * (1 + (descriptor & 7) / 8);
  if (said <= 2 ** log) return { head, blocks, window: said };
  head[5] = (log - MIN_WINDOW_LOG) << 3;
  return { head, blocks, window: 2 ** log };
}

/** The size of the content; in two bytes it counts from 256. */
function readSize(reader: ByteReader, length: number): number | undefined {
  if (length === 0) return undefined;
  const bytes = reader.bytes(length);
  if (length === 8) return Number(bytes.readBigUInt64LE(0));
  return bytes.readUIntLE(0, length) + (length === 2 ? 256 : 0);
}

function readBlocks(bytes: Buffer, reader: ByteReader, hasChecksum: boolean): readonly Buffer[] {
  const blocks: Buffer[] = [];
  for (let isLast = false; !isLast;) {
    const start = bytes.length - reader.remaining;
    const header = reader.bytes(3).readUIntLE(0, 3);
    isLast = (header & 1) === 1;
    const size = header >> 3;
    if (size > MAX_BLOCK) {
      throw new FramingError('malformed', `a block of Zstandard has ${size} bytes; at most ${MAX_BLOCK}`);
    }
    reader.skip(((header >> 1) & 3) === RUN_LENGTH ? 1 : size);
    if (isLast && hasChecksum) reader.skip(4);
    blocks.push(bytes.subarray(start, bytes.length - reader.remaining));
  }
  return blocks;
}
