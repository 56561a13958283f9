import type { DescriptorProto, EnumDescriptorProto, FileDescriptorProto } from '@bufbuild/protobuf/wkt';

/** What a name stands for, as far as references tell it apart. */
export type SymbolKind = 'message' | 'enum' | 'oneof' | 'other';

/** Everything that a file defines, with its full name. */
export function* symbolsOf(file: FileDescriptorProto): Generator<readonly [string, SymbolKind]> {
  const scope = file.package;
  for (const message of file.messageType) yield* symbolsOfMessage(message, scope);
  for (const one of file.enumType) yield* symbolsOfEnum(one, scope);
  for (const { name } of file.extension) yield [joinNames(scope, name), 'other'];
  for (const service of file.service) {
    const name = joinNames(scope, service.name);
    yield [name, 'other'];
    for (const method of service.method) yield [joinNames(name, method.name), 'other'];
  }
}

function* symbolsOfMessage(
  message: DescriptorProto,
  scope: string,
): Generator<readonly [string, SymbolKind]> {
  const name = joinNames(scope, message.name);
  yield [name, 'message'];
  for (const field of message.field) yield [joinNames(name, field.name), 'other'];
  for (const oneof of message.oneofDecl) yield [joinNames(name, oneof.name), 'oneof'];
  for (const extension of message.extension) yield [joinNames(name, extension.name), 'other'];
  for (const inner of message.nestedType) yield* symbolsOfMessage(inner, name);
  for (const inner of message.enumType) yield* symbolsOfEnum(inner, name);
}

function* symbolsOfEnum(
  { name, value }: EnumDescriptorProto,
  scope: string,
): Generator<readonly [string, SymbolKind]> {
  yield [joinNames(scope, name), 'enum'];
  // The values of an enum stand beside it, not within it.
  for (const one of value) yield [joinNames(scope, one.name), 'other'];
}

/** A full name. */
export function joinNames(scope: string, name: string): string {
  return scope === '' ? name : `${scope}.${name}`;
}
