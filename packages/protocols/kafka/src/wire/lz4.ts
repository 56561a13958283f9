import { ByteReader, FramingError } from '@backlot/kit/framing';
import { Output } from './output.js';

const MAGIC = 0x04224d18;
const IS_PLAIN = 0x8000_0000;
const SHORTEST_MATCH = 4;

/** Decompresses a frame of LZ4; checksums are left out, since the batch has one of its own. */
export function decompressLz4(bytes: Buffer, limit: number): Buffer {
  const reader = new ByteReader(bytes);
  if (reader.u32() !== MAGIC) throw new FramingError('malformed', 'the records are no frame of LZ4');
  const flags = reader.u8();
  reader.skip(1);
  if ((flags & 0x08) !== 0) reader.skip(8);
  if ((flags & 0x01) !== 0) reader.skip(4);
  reader.skip(1);
  const output = new Output(limit);
  for (;;) {
    const size = reader.bytes(4).readUInt32LE(0);
    if (size === 0) return output.finish();
    const block = reader.bytes(size % IS_PLAIN);
    if (size >= IS_PLAIN) output.append(block);
    else readBlock(new ByteReader(block), output);
    if ((flags & 0x10) !== 0) reader.skip(4);
  }
}

/** One block: runs of literals, each followed by a match but for the last. */
function readBlock(reader: ByteReader, output: Output): void {
  while (reader.remaining > 0) {
    const token = reader.u8();
    output.append(reader.bytes(readLength(reader, token >> 4)));
    if (reader.remaining === 0) return;
    const distance = reader.bytes(2).readUInt16LE(0);
    output.repeat(distance, readLength(reader, token & 15) + SHORTEST_MATCH);
  }
}

function readLength(reader: ByteReader, start: number): number {
  let length = start;
  if (start < 15) return length;
  for (let more = 255; more === 255; length += more) more = reader.u8();
  return length;
}
