import { create } from '@bufbuild/protobuf';
import {
  DescriptorProtoSchema,
  FieldDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FieldOptionsSchema,
  MessageOptionsSchema,
  type DescriptorProto,
  type FieldDescriptorProto,
} from '@bufbuild/protobuf/wkt';
import { integerText, readInteger } from './integers.js';
import { MAX_NUMBER, type Scope } from './scope.js';
import {
  emptyOptions,
  makeOptions,
  readBrackets,
  readBytes,
  readTypeName,
  textOf,
  type OptionValues,
} from './options.js';
import type { Tokens } from './tokens.js';

/** The scalar types by the names they have in a file. */
const SCALARS: ReadonlyMap<string, Type> = new Map([
  ['double', Type.DOUBLE],
  ['float', Type.FLOAT],
  ['int64', Type.INT64],
  ['uint64', Type.UINT64],
  ['int32', Type.INT32],
  ['fixed64', Type.FIXED64],
  ['fixed32', Type.FIXED32],
  ['bool', Type.BOOL],
  ['string', Type.STRING],
  ['bytes', Type.BYTES],
  ['uint32', Type.UINT32],
  ['sfixed32', Type.SFIXED32],
  ['sfixed64', Type.SFIXED64],
  ['sint32', Type.SINT32],
  ['sint64', Type.SINT64],
]);
const NOT_KEYS: ReadonlySet<Type | undefined> = new Set([Type.DOUBLE, Type.FLOAT, Type.BYTES, undefined]);
const LABELS: ReadonlyMap<string, Label> = new Map([
  ['optional', Label.OPTIONAL],
  ['required', Label.REQUIRED],
  ['repeated', Label.REPEATED],
]);

/** A field; a group brings the message of its body, which is still to be read. */
export interface ReadField {
  readonly field: FieldDescriptorProto;
  readonly body?: DescriptorProto;
}

/** Reads a field that is no map. */
export function readField(scope: Scope, isInOneof = false): ReadField {
  const { tokens, count, isProto3 } = scope;
  count();
  const label = LABELS.get(tokens.next.text);
  if (label !== undefined) {
    if (isInOneof) throw tokens.fail(`a field of a oneof has no label, got "${tokens.next.text}"`);
    if (isProto3 && label === Label.REQUIRED) throw tokens.fail('proto3 has no required fields');
    tokens.take();
  }
  const type = readTypeName(tokens);
  const isGroup = type === 'group';
  const name = tokens.takeA('name', 'the name of a field');
  tokens.expect('=');
  const number = readInteger(tokens, 1, MAX_NUMBER);
  const field = create(FieldDescriptorProtoSchema, {
    name: isGroup ? name.toLowerCase() : name,
    number,
    label: label ?? Label.OPTIONAL,
  });
  setType(field, isGroup ? name : type);
  if (isGroup) field.type = Type.GROUP;
  if (isProto3 && label === Label.OPTIONAL) field.proto3Optional = true;
  readFieldOptions(tokens, field);
  if (isGroup) {
    if (isProto3) throw tokens.fail('proto3 has no groups');
    count();
    return { field, body: create(DescriptorProtoSchema, { name }) };
  }
  tokens.expect(';');
  return { field };
}

/** Reads `map<key, value> name = number;`, which is a list of messages with a key and a value; else nothing. */
export function readMapField({
  tokens,
  count,
}: Scope): { readonly field: FieldDescriptorProto; readonly entry: DescriptorProto } | undefined {
  if (tokens.next.text !== 'map') return undefined;
  tokens.take();
  tokens.expect('<');
  count();
  count();
  const key = create(FieldDescriptorProtoSchema, {
    name: 'key',
    number: 1,
    label: Label.OPTIONAL,
    jsonName: 'key',
  });
  const value = create(FieldDescriptorProtoSchema, {
    name: 'value',
    number: 2,
    label: Label.OPTIONAL,
    jsonName: 'value',
  });
  const keyType = readTypeName(tokens);
  setType(key, keyType);
  if (NOT_KEYS.has(SCALARS.get(keyType))) throw tokens.fail(`"${keyType}" cannot be the key of a map`);
  tokens.expect(',');
  setType(value, readTypeName(tokens));
  tokens.expect('>');
  const name = tokens.takeA('name', 'the name of a field');
  tokens.expect('=');
  const number = readInteger(tokens, 1, MAX_NUMBER);
  const camel = toJsonName(name);
  const entry = create(DescriptorProtoSchema, {
    name: `${camel.charAt(0).toUpperCase()}${camel.slice(1)}Entry`,
    field: [key, value],
    options: create(MessageOptionsSchema, { mapEntry: true }),
  });
  const field = create(FieldDescriptorProtoSchema, { name, number, label: Label.REPEATED });
  field.type = Type.MESSAGE;
  field.typeName = entry.name;
  readFieldOptions(tokens, field);
  tokens.expect(';');
  return { field, entry };
}

/** The name of a field in JSON where the file names none. */
export function toJsonName(name: string): string {
  return name.replace(/_+([^_]|$)/g, (_, letter: string) => letter.toUpperCase());
}

function setType(field: FieldDescriptorProto, type: string): void {
  const scalar = SCALARS.get(type);
  if (scalar === undefined) field.typeName = type;
  else field.type = scalar;
}

function readFieldOptions(tokens: Tokens, field: FieldDescriptorProto): void {
  const options = emptyOptions();
  field.jsonName = toJsonName(field.name);
  if (tokens.next.text === '[') {
    readDefault(tokens, field, options);
    const { json_name: jsonName } = options;
    delete options['json_name'];
    if (typeof jsonName === 'string') field.jsonName = jsonName;
    const made = makeOptions(FieldOptionsSchema, options, tokens);
    if (made !== undefined) field.options = made;
  }
}

/** Reads the options in brackets; the default value, which is none of them, as the text a descriptor has. */
function readDefault(tokens: Tokens, field: FieldDescriptorProto, options: OptionValues): void {
  readBrackets(tokens, options, () => {
    if (tokens.next.kind === 'text') {
      const bytes = readBytes(tokens);
      field.defaultValue = field.type === Type.BYTES ? escapeBytes(bytes) : textOf(bytes);
      return;
    }
    const sign = tokens.takeIf('-') ? '-' : '';
    const { kind, text } = tokens.take();
    if (kind === 'number') field.defaultValue = numberText(sign, text, field.type);
    else if (kind === 'name') field.defaultValue = sign + text;
    else throw tokens.fail(`illegal ${kind} "${text}", expected a default value`);
  });
}

function numberText(sign: string, text: string, type: Type): string {
  if (type !== Type.DOUBLE && type !== Type.FLOAT) return integerText(sign, text);
  const value = Number(sign + text);
  if (Number.isFinite(value)) return String(value);
  return value < 0 ? '-inf' : 'inf';
}

/** Bytes as protoc writes them into a descriptor: ASCII with C's escapes. */
function escapeBytes(bytes: string): string {
  return bytes.replace(
    /[^\x20-\x21\x23-\x26\x28-\x5b\x5d-\x7e]/g,
    (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
}
