import protobuf from 'protobufjs';

/** Types that stand on the wire in the same way, so that one can be read as the other. */
const GROUPS: readonly (readonly string[])[] = [
  ['int32', 'uint32', 'int64', 'uint64', 'bool', 'enum'],
  ['sint32', 'sint64'],
  ['string', 'bytes'],
  ['fixed32', 'sfixed32'],
  ['fixed64', 'sfixed64'],
];

/**
 * Why messages cannot be read as those of the same names of another schema; empty when they can.
 *
 * @param names - of the messages of the writer
 */
export function compareMessages(
  reader: protobuf.Root,
  writer: protobuf.Root,
  names: readonly string[],
): readonly string[] {
  return names.flatMap((name) => {
    const ours = find(reader, name);
    const theirs = find(writer, name);
    if (theirs === undefined) return [];
    if (ours === undefined) return [`message ${name} was removed`];
    return compareFields(ours, theirs);
  });
}

function find(root: protobuf.Root, name: string): protobuf.Type | undefined {
  const found = root.lookup(name, protobuf.Type as never);
  return found instanceof protobuf.Type ? found : undefined;
}

function compareFields(reader: protobuf.Type, writer: protobuf.Type): readonly string[] {
  const problems: string[] = [];
  const theirs = new Map(writer.fieldsArray.map((field) => [field.id, field]));
  for (const field of reader.fieldsArray) {
    const before = theirs.get(field.id);
    const place = `field ${field.id} (${field.name}) of message ${reader.fullName.slice(1)}`;
    if (before === undefined) {
      if (field.required) problems.push(`${place} was added and is required`);
      continue;
    }
    if (kindOf(field) !== kindOf(before))
      problems.push(`${place} was of type ${typeOf(before)}, and is ${typeOf(field)}`);
    else if (field.required && !before.required) problems.push(`${place} has become required`);
  }
  for (const field of writer.fieldsArray) {
    if (field.required && reader.fieldsById[field.id] === undefined) {
      problems.push(
        `field ${field.id} (${field.name}) of message ${reader.fullName.slice(1)} was required, and was removed`,
      );
    }
  }
  return problems;
}

/** What two fields must have in common. */
function kindOf(field: protobuf.Field): string {
  const { resolvedType, type, repeated } = field;
  const wire =
    resolvedType instanceof protobuf.Enum
      ? 'enum'
      : resolvedType instanceof protobuf.Type
        ? resolvedType.fullName
        : type;
  const group = GROUPS.find((types) => types.includes(wire));
  const shape =
    field instanceof protobuf.MapField ? `map of ${field.keyType} to ` : repeated ? 'list of ' : '';
  return `${shape}${group?.[0] ?? wire}`;
}

function typeOf(field: protobuf.Field): string {
  return `${field.repeated ? 'repeated ' : ''}${field.type}`;
}
