import protobuf from 'protobufjs';
import {
  toJsonName,
  type EnumDescriptor,
  type FieldDescriptor,
  type FileDescriptor,
  type MessageDescriptor,
  type ServiceDescriptor,
} from './descriptor.js';

const SCALARS: ReadonlySet<string> = new Set(Object.keys(protobuf.types.basic));

type Options = Readonly<Record<string, unknown>> | undefined;

/**
 * Parses the text of a `.proto` file. Names of types stay as they were written; `linkSchema` finds them.
 *
 * @throws Error with the line of what is wrong
 */
export function readProto(name: string, text: string): FileDescriptor {
  let parsed: protobuf.IParserResult;
  try {
    parsed = protobuf.parse(text, new protobuf.Root(), { keepCase: true });
  } catch (thrown) {
    if (thrown instanceof RangeError) throw new Error('is nested too deeply');
    // The parser takes it for granted that a token follows.
    if (thrown instanceof TypeError) throw new Error('the text ends too early');
    throw thrown;
  }
  const imports = [...(parsed.imports ?? []), ...(parsed.weakImports ?? [])];
  return describeFile(name, parsed.package, imports, parsed.root, editionOf(text));
}

interface Edition {
  readonly syntax: string;
  readonly edition?: string;
}

function editionOf(text: string): Edition {
  const bare = text.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, ' ');
  const found = /^\s*(syntax|edition)\s*=\s*["']([^"']*)["']/.exec(bare);
  if (found?.[1] === 'edition') return { syntax: 'editions', edition: `EDITION_${found[2] ?? ''}` };
  return { syntax: found?.[2] ?? 'proto2' };
}

function describeFile(
  name: string,
  packageName: string | undefined,
  imports: readonly string[],
  root: protobuf.Root,
  { syntax, edition }: Edition,
): FileDescriptor {
  const space = packageName === undefined ? root : (root.lookup(packageName) as protobuf.Namespace);
  const { nestedArray } = space;
  const isProto3 = syntax === 'proto3';
  return {
    name,
    ...(packageName === undefined ? {} : { package: packageName }),
    ...listOf('dependency', [...new Set(imports)]),
    ...describeNested(nestedArray, 'message_type', isProto3),
    ...listOf(
      'service',
      nestedArray.filter((one) => one instanceof protobuf.Service).map((one) => describeService(one)),
    ),
    // A missing syntax is proto2, and is left out of its descriptor.
    ...(syntax === 'proto2' ? {} : { syntax }),
    ...(edition === undefined ? {} : { edition }),
    ...fileOptions(nestedArray),
  };
}

/** The parser hands the features of an edition's file down to its types; they are the only options that matter here. */
function fileOptions(nested: readonly protobuf.ReflectionObject[]): { options?: Record<string, unknown> } {
  const presence = nested
    .map((one) => (one.options as Options)?.['features'] as Options)
    .find((features) => features !== undefined);
  return presence === undefined ? {} : { options: { features: presence } };
}

function describeNested(
  nested: readonly protobuf.ReflectionObject[],
  messages: 'message_type' | 'nested_type',
  isProto3: boolean,
  more: readonly MessageDescriptor[] = [],
): object {
  const types = nested.filter((one) => one instanceof protobuf.Type);
  return {
    ...listOf(messages, [...types.map((one) => describeMessage(one, isProto3)), ...more]),
    ...listOf(
      'enum_type',
      nested.filter((one) => one instanceof protobuf.Enum).map((one) => describeEnum(one)),
    ),
    ...listOf(
      'extension',
      nested
        .filter((one) => one instanceof protobuf.Field)
        .map((one) => describeField(one, undefined, isProto3)),
    ),
  };
}

function describeMessage(type: protobuf.Type, isProto3: boolean): MessageDescriptor {
  const isSynthetic = (oneof: protobuf.OneOf): boolean =>
    oneof.fieldsArray.every((field) => (field.options as Options)?.['proto3_optional'] === true);
  // The oneofs that only stand for `optional` come last, as protoc has them.
  const oneofs = [
    ...type.oneofsArray.filter((oneof) => !isSynthetic(oneof)),
    ...type.oneofsArray.filter(isSynthetic),
  ];
  const maps = type.fieldsArray.flatMap((field) => (field instanceof protobuf.MapField ? [field] : []));
  const nested = type.nestedArray.filter((one) => !type.fieldsArray.includes(one as protobuf.Field));
  const reserved = (type.reserved as (string | number[])[] | undefined) ?? [];
  return {
    name: type.name,
    ...listOf(
      'field',
      type.fieldsArray.map((field) => describeField(field, oneofs, isProto3)),
    ),
    ...describeNested(nested, 'nested_type', isProto3, maps.map(describeEntry)),
    ...listOf(
      'oneof_decl',
      oneofs.map(({ name }) => ({ name })),
    ),
    ...listOf(
      'extension_range',
      ((type.extensions as number[][] | undefined) ?? []).map(([start = 0, end = 0]) => ({
        start,
        end: end + 1,
      })),
    ),
    ...listOf(
      'reserved_range',
      reserved
        .filter((one) => typeof one !== 'string')
        .map(([start = 0, end = 0]) => ({ start, end: end + 1 })),
    ),
    ...listOf(
      'reserved_name',
      reserved.filter((one) => typeof one === 'string'),
    ),
  };
}

function describeField(
  field: protobuf.Field,
  oneofs: readonly protobuf.OneOf[] | undefined,
  isProto3: boolean,
): FieldDescriptor {
  const options = field.options as Options;
  const place = field.partOf === null || oneofs === undefined ? -1 : oneofs.indexOf(field.partOf);
  const isMap = field instanceof protobuf.MapField;
  const rule =
    isMap || field.repeated
      ? 'LABEL_REPEATED'
      : (field as { rule?: string }).rule === 'required'
        ? 'LABEL_REQUIRED'
        : 'LABEL_OPTIONAL';
  const own = options?.['default'];
  const jsonName = options?.['json_name'];
  const isGroup = (field.parent?.get(field.type) as { group?: boolean } | null | undefined)?.group === true;
  return {
    // The parser names the field of a group with one small letter only; on paper it is all small.
    name: isGroup ? field.type.toLowerCase() : field.name,
    number: field.id,
    label: rule,
    ...(isMap
      ? { type: 'TYPE_MESSAGE', type_name: entryName(field.name) }
      : SCALARS.has(field.type)
        ? { type: `TYPE_${field.type.toUpperCase()}` }
        : { ...(isGroup ? { type: 'TYPE_GROUP' } : {}), type_name: field.type }),
    ...(field.extend === undefined ? {} : { extendee: field.extend }),
    ...(own === undefined || own === null ? {} : { default_value: textOf(own) }),
    ...(place < 0 ? {} : { oneof_index: place }),
    json_name: typeof jsonName === 'string' ? jsonName : toJsonName(field.name),
    ...(isProto3 && options?.['proto3_optional'] === true ? { proto3_optional: true } : {}),
    ...fieldOptions(options),
  };
}

/** A default value as its text in a descriptor. */
function textOf(value: unknown): string {
  if (typeof value !== 'number') return `${value as string | boolean}`;
  if (Number.isNaN(value)) return 'nan';
  return Number.isFinite(value) ? `${value}` : value > 0 ? 'inf' : '-inf';
}

function fieldOptions(options: Options): { options?: Record<string, unknown> } {
  const kept = Object.entries(options ?? {}).filter(
    ([name, value]) =>
      ((name === 'packed' || name === 'deprecated') && typeof value === 'boolean') || name === 'features',
  );
  return kept.length === 0 ? {} : { options: Object.fromEntries(kept) };
}

function entryName(field: string): string {
  const camel = toJsonName(field);
  return `${camel.charAt(0).toUpperCase()}${camel.slice(1)}Entry`;
}

/** A map is a list of messages with a key and a value. */
function describeEntry(field: protobuf.MapField): MessageDescriptor {
  const { keyType } = field;
  const value = SCALARS.has(field.type)
    ? { type: `TYPE_${field.type.toUpperCase()}` }
    : { type_name: field.type };
  const common = { label: 'LABEL_OPTIONAL' };
  return {
    name: entryName(field.name),
    field: [
      { name: 'key', number: 1, ...common, type: `TYPE_${keyType.toUpperCase()}`, json_name: 'key' },
      { name: 'value', number: 2, ...common, ...value, json_name: 'value' },
    ],
    options: { map_entry: true },
  };
}

function describeEnum(type: protobuf.Enum): EnumDescriptor {
  const hasAliases = (type.options as Options)?.['allow_alias'] === true;
  return {
    name: type.name,
    ...listOf(
      'value',
      Object.entries(type.values).map(([name, number]) => ({ name, number })),
    ),
    ...(hasAliases ? { options: { allow_alias: true } } : {}),
  };
}

function describeService(service: protobuf.Service): ServiceDescriptor {
  return {
    name: service.name,
    ...listOf(
      'method',
      service.methodsArray.map((method) => ({
        name: method.name,
        input_type: method.requestType,
        output_type: method.responseType,
        ...(method.requestStream === true ? { client_streaming: true } : {}),
        ...(method.responseStream === true ? { server_streaming: true } : {}),
      })),
    ),
  };
}

function listOf(name: string, values: readonly unknown[]): object {
  return values.length === 0 ? {} : { [name]: values };
}
