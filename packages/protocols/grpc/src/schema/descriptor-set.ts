import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { messageOf } from '@backlot/core/plugin';
import type { Described } from './link.js';

/**
 * Reads a `google.protobuf.FileDescriptorSet`, as `protoc --descriptor_set_out` writes it.
 *
 * @throws Error when the bytes are no such message
 */
export function readDescriptorSet(bytes: Uint8Array): readonly Described[] {
  const reader = new BinaryReader(bytes);
  const files: Described[] = [];
  try {
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      if (number !== 1 || wireType !== WireType.LengthDelimited) {
        reader.skip(wireType, number);
        continue;
      }
      const one = reader.bytes();
      files.push({ proto: fromBinary(FileDescriptorProtoSchema, one), bytes: one });
    }
  } catch (thrown) {
    throw new Error(`is no descriptor set: ${messageOf(thrown)}`);
  }
  if (files.length === 0) throw new Error('is no descriptor set: it describes no file');
  return files;
}
