import { create } from '@bufbuild/protobuf';
import {
  DescriptorProtoSchema,
  DescriptorProto_ExtensionRangeSchema,
  DescriptorProto_ReservedRangeSchema,
  MessageOptionsSchema,
  OneofDescriptorProtoSchema,
  OneofOptionsSchema,
  type DescriptorProto,
  type FieldDescriptorProto,
} from '@bufbuild/protobuf/wkt';
import { readEnum } from './enums-and-services.js';
import { readField, readMapField } from './fields.js';
import { emptyOptions, makeOptions, readBrackets, readOption, readTypeName } from './options.js';
import { readRanges, readReserved } from './ranges.js';
import { MAX_NUMBER, type Scope } from './scope.js';

/** Messages within messages; protoc has the same bound. */
const MAX_DEPTH = 32;

/** Reads a message after its keyword. */
export function* readMessage(scope: Scope, depth: number): Generator<void, DescriptorProto> {
  scope.count();
  const name = scope.tokens.takeA('name', 'the name of a message');
  const message = create(DescriptorProtoSchema, { name });
  yield* readBody(scope, message, depth);
  return message;
}

/** Reads what a message or a group has between its braces. */
export function* readBody(scope: Scope, message: DescriptorProto, depth: number): Generator<void> {
  const { tokens } = scope;
  if (depth > MAX_DEPTH) throw tokens.fail(`messages are nested too deeply, beyond ${MAX_DEPTH} levels`);
  const options = emptyOptions();
  const optional: FieldDescriptorProto[] = [];
  tokens.expect('{');
  while (!tokens.takeIf('}')) {
    yield;
    tokens.begin();
    if (tokens.takeIf(';')) continue;
    const { next } = tokens;
    switch (next.kind === 'name' ? next.text : '') {
      case 'message':
        tokens.take();
        message.nestedType.push(yield* readMessage(scope, depth + 1));
        break;
      case 'enum':
        tokens.take();
        message.enumType.push(yield* readEnum(scope));
        break;
      case 'extend':
        tokens.take();
        yield* readExtend(scope, depth, message.extension, message.nestedType);
        break;
      case 'oneof':
        tokens.take();
        yield* readOneof(scope, message, depth);
        break;
      case 'option':
        tokens.take();
        scope.count();
        readOption(tokens, options);
        tokens.expect(';');
        break;
      case 'extensions':
        tokens.take();
        readExtensions(scope, message);
        break;
      case 'reserved':
        tokens.take();
        readReserved(scope, message.reservedName, MAX_NUMBER, 1, (start, end) =>
          message.reservedRange.push(create(DescriptorProto_ReservedRangeSchema, { start, end: end + 1 })),
        );
        break;
      default:
        yield* readMember(scope, message, depth, optional);
    }
  }
  addSyntheticOneofs(message, optional);
  const made = makeOptions(MessageOptionsSchema, options, tokens);
  if (made !== undefined) message.options = made;
}

/** Reads `extend Type { ... }` after its keyword. */
export function* readExtend(
  scope: Scope,
  depth: number,
  extensions: FieldDescriptorProto[],
  groups: DescriptorProto[],
): Generator<void> {
  const { tokens } = scope;
  const extendee = readTypeName(tokens);
  tokens.expect('{');
  while (!tokens.takeIf('}')) {
    yield;
    tokens.begin();
    if (tokens.takeIf(';')) continue;
    const { field, body } = readField(scope);
    field.extendee = extendee;
    if (body !== undefined) {
      yield* readBody(scope, body, depth + 1);
      groups.push(body);
    }
    extensions.push(field);
  }
}

function* readMember(
  scope: Scope,
  message: DescriptorProto,
  depth: number,
  optional: FieldDescriptorProto[],
): Generator<void> {
  const map = readMapField(scope);
  if (map !== undefined) {
    message.field.push(map.field);
    message.nestedType.push(map.entry);
    return;
  }
  const { field, body } = readField(scope);
  message.field.push(field);
  if (field.proto3Optional) optional.push(field);
  if (body === undefined) return;
  message.nestedType.push(body);
  yield* readBody(scope, body, depth + 1);
}

function* readOneof(scope: Scope, message: DescriptorProto, depth: number): Generator<void> {
  const { tokens, count } = scope;
  count();
  const oneof = create(OneofDescriptorProtoSchema, { name: tokens.takeA('name', 'the name of a oneof') });
  const options = emptyOptions();
  const index = message.oneofDecl.push(oneof) - 1;
  const before = message.field.length;
  tokens.expect('{');
  while (!tokens.takeIf('}')) {
    yield;
    tokens.begin();
    if (tokens.takeIf(';')) continue;
    if (tokens.takeIf('option')) {
      count();
      readOption(tokens, options);
      tokens.expect(';');
      continue;
    }
    const { field, body } = readField(scope, true);
    field.oneofIndex = index;
    message.field.push(field);
    if (body === undefined) continue;
    message.nestedType.push(body);
    yield* readBody(scope, body, depth + 1);
  }
  if (message.field.length === before) throw tokens.fail(`the oneof "${oneof.name}" has no field`);
  const made = makeOptions(OneofOptionsSchema, options, tokens);
  if (made !== undefined) oneof.options = made;
}

function readExtensions(scope: Scope, message: DescriptorProto): void {
  const { tokens } = scope;
  readRanges(scope, MAX_NUMBER, 1, (start, end) =>
    message.extensionRange.push(create(DescriptorProto_ExtensionRangeSchema, { start, end: end + 1 })),
  );
  // Declarations of extensions bind only compilers.
  readBrackets(tokens, emptyOptions());
  tokens.expect(';');
}

/** An `optional` field of proto3 is alone in a oneof; those come last, as protoc has them. */
function addSyntheticOneofs(message: DescriptorProto, optional: readonly FieldDescriptorProto[]): void {
  for (const field of optional) {
    const oneof = create(OneofDescriptorProtoSchema, { name: `_${field.name}` });
    field.oneofIndex = message.oneofDecl.push(oneof) - 1;
  }
}
