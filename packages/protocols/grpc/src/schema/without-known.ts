import { toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, type FileDescriptorProto } from '@bufbuild/protobuf/wkt';
import type { Described } from './link.js';
import type { Schema } from './schema.js';

/**
 * Files without what a schema has already under another file's name, as servers give that put the types of google/protobuf
 * into a file of their own. What a file uses without importing it counts as imported.
 */
export function withoutKnown(files: readonly Described[], schema: Schema): readonly Described[] {
  const dropped = new Set<string>();
  const kept = files.flatMap((one) => {
    const { proto } = one;
    if (schema.files.has(proto.name)) return [];
    const isNew = ({ name }: { readonly name: string }): boolean =>
      !schema.symbols.has(proto.package === '' ? name : `${proto.package}.${name}`);
    const messageType = proto.messageType.filter(isNew);
    const enumType = proto.enumType.filter(isNew);
    if (messageType.length === proto.messageType.length && enumType.length === proto.enumType.length)
      return [one];
    if (messageType.length + enumType.length + proto.service.length + proto.extension.length === 0) {
      dropped.add(proto.name);
      return [];
    }
    return [described({ ...proto, messageType, enumType })];
  });
  return kept.map((one) => {
    const { proto } = one;
    if (!proto.dependency.some((name) => dropped.has(name))) return one;
    const dependency = proto.dependency.filter((name) => !dropped.has(name));
    // These name imports by their place.
    return described({ ...proto, dependency, publicDependency: [], weakDependency: [] });
  });
}

function described(proto: FileDescriptorProto): Described {
  return { proto, bytes: toBinary(FileDescriptorProtoSchema, proto) };
}
