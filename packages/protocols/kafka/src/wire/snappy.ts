import { ByteReader, FramingError } from '@backlot/kit/framing';
import { Output } from './output.js';

/** What snappy-java and kafkajs put before their blocks; librdkafka sends one block without it. */
const FRAMED = Buffer.from('\x82SNAPPY\0', 'latin1');
const FRAME_HEADER = 16;

/** Decompresses snappy, raw or in the frames of snappy-java. */
export function decompressSnappy(bytes: Buffer, limit: number): Buffer {
  const output = new Output(limit);
  if (!bytes.subarray(0, FRAMED.length).equals(FRAMED)) {
    readBlock(new ByteReader(bytes), output);
    return output.finish();
  }
  const reader = new ByteReader(bytes);
  reader.skip(FRAME_HEADER);
  while (reader.remaining > 0) readBlock(new ByteReader(reader.bytes(reader.i32())), output);
  return output.finish();
}

/** One block: its length, then literals and copies (google/snappy, format_description.txt). */
function readBlock(reader: ByteReader, output: Output): void {
  const end = output.length + reader.varint();
  while (reader.remaining > 0) {
    const tag = reader.u8();
    const high = tag >> 2;
    switch (tag & 3) {
      case 0:
        output.append(reader.bytes((high < 60 ? high : readLittleEndian(reader, high - 59)) + 1));
        break;
      case 1:
        output.repeat(((tag >> 5) << 8) | reader.u8(), (high & 7) + 4);
        break;
      case 2:
        output.repeat(readLittleEndian(reader, 2), high + 1);
        break;
      default:
        output.repeat(readLittleEndian(reader, 4), high + 1);
    }
  }
  if (output.length !== end) {
    throw new FramingError('malformed', `a block of snappy has ${output.length} bytes where it says ${end}`);
  }
}

function readLittleEndian(reader: ByteReader, size: number): number {
  let value = 0;
  for (let index = 0; index < size; index += 1) value += reader.u8() * 2 ** (8 * index);
  return value;
}
