import protobuf from 'protobufjs';
import { decodeMessage } from '../codec/decode.js';
import { encodeMessage } from '../codec/encode.js';
import { messageOf } from '@backlot/core/plugin';
import { descriptorType } from './builtin.js';
import type { FileDescriptor } from './descriptor.js';

/** A file of a descriptor set with the bytes it was read from. */
export interface DescribedFile {
  readonly file: FileDescriptor;
  readonly bytes: Uint8Array;
}

/**
 * Reads a `google.protobuf.FileDescriptorSet`, as `protoc --descriptor_set_out` writes it.
 *
 * @throws Error when the bytes are no such message
 */
export function readDescriptorSet(bytes: Uint8Array): readonly DescribedFile[] {
  const reader = protobuf.Reader.create(bytes);
  const files: DescribedFile[] = [];
  try {
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      if (tag >>> 3 !== 1 || (tag & 7) !== 2) {
        reader.skipType(tag & 7);
        continue;
      }
      const one = reader.bytes();
      files.push({
        file: decodeMessage(descriptorType('FileDescriptorProto'), one) as FileDescriptor,
        bytes: one,
      });
    }
  } catch (thrown) {
    throw new Error(`is no descriptor set: ${messageOf(thrown)}`);
  }
  if (files.length === 0) throw new Error('is no descriptor set: it describes no file');
  return files;
}

/** A file as a `FileDescriptorProto`. */
export function encodeFile(file: FileDescriptor): Buffer {
  return encodeMessage(descriptorType('FileDescriptorProto'), file);
}
