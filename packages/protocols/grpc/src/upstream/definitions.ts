import type { DescriptorProto, EnumDescriptorProto, FileDescriptorProto } from '@bufbuild/protobuf/wkt';

/** What the types and services of a file are on the wire and in JSON, by their full names. */
export function definitionsOf(file: FileDescriptorProto): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const scope = file.package === '' ? '' : `${file.package}.`;
  const add = (name: string, definition: unknown): void => void found.set(name, JSON.stringify(definition));
  const addEnum = (before: string, { name, value }: EnumDescriptorProto): void =>
    add(
      before + name,
      value.map((each) => [each.name, each.number]),
    );
  const addMessage = (before: string, message: DescriptorProto): void => {
    const name = before + message.name;
    add(
      name,
      message.field
        .map(({ name: field, number, label, type, typeName }) => [number, field, label, type, typeName])
        .toSorted(([one], [other]) => Number(one) - Number(other)),
    );
    for (const nested of message.nestedType) addMessage(`${name}.`, nested);
    for (const nested of message.enumType) addEnum(`${name}.`, nested);
  };
  for (const message of file.messageType) addMessage(scope, message);
  for (const each of file.enumType) addEnum(scope, each);
  for (const { name, method } of file.service)
    add(
      scope + name,
      method.map((each) => [
        ...[each.name, each.inputType, each.outputType],
        ...[each.clientStreaming, each.serverStreaming],
      ]),
    );
  return found;
}
