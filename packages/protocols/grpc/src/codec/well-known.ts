import type { MessageType } from '../schema/model.js';
import { FieldError, show } from './field-error.js';
import { durationToPlain, plainToDuration, plainToTimestamp, timestampToPlain } from './times.js';

type Plain = Readonly<Record<string, unknown>>;

/** A type of google/protobuf with a JSON form of its own. "Plain" is what its fields say. */
export interface WellKnown {
  /** @throws FieldError when the value does not fit */
  toPlain(
    value: unknown,
    type: MessageType,
    encode: (type: MessageType, value: unknown) => Uint8Array,
    isOpen: (value: unknown) => boolean,
  ): Plain;
  fromPlain(plain: Plain, type: MessageType): unknown;
}

const wrapper: WellKnown = {
  toPlain: (value) => (isObject(value) && Object.hasOwn(value, 'value') ? value : { value }),
  fromPlain: (plain, type) => plain['value'] ?? type.fields[0]?.ownDefault ?? zeroOfWrapper(type),
};

const timestamp: WellKnown = {
  toPlain: (value) => (isObject(value) ? value : timestampToPlain(value)),
  fromPlain: plainToTimestamp,
};

const duration: WellKnown = {
  toPlain: (value) => (isObject(value) ? value : durationToPlain(value)),
  fromPlain: plainToDuration,
};

const fieldMask: WellKnown = {
  toPlain(value) {
    if (isObject(value)) return value;
    if (typeof value !== 'string')
      throw new FieldError(`must be the paths of a field mask with commas between, got ${show(value)}`);
    const paths = value === '' ? [] : value.split(',');
    return { paths: paths.map((path) => path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)) };
  },
  fromPlain: (plain) =>
    ((plain['paths'] as string[] | undefined) ?? [])
      .map((path) => path.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()))
      .join(','),
};

const struct: WellKnown = {
  toPlain(value) {
    if (!isObject(value)) throw new FieldError(`must be an object, got ${show(value)}`);
    return { fields: value };
  },
  fromPlain: (plain) => ({ ...(plain['fields'] as object | undefined) }),
};

const listValue: WellKnown = {
  toPlain(value) {
    if (!Array.isArray(value)) throw new FieldError(`must be a list, got ${show(value)}`);
    return { values: value };
  },
  fromPlain: (plain) => plain['values'] ?? [],
};

const jsonValue: WellKnown = {
  toPlain(value) {
    if (value === null) return { null_value: 0 };
    if (typeof value === 'number') return { number_value: value };
    if (typeof value === 'string') return { string_value: value };
    if (typeof value === 'boolean') return { bool_value: value };
    return Array.isArray(value) ? { list_value: value } : { struct_value: value };
  },
  fromPlain: ({
    number_value: number,
    string_value: text,
    bool_value: bool,
    struct_value: object,
    list_value: list,
  }) => number ?? text ?? bool ?? object ?? list ?? null,
};

const any: WellKnown = {
  toPlain(value, type, encode, isOpen) {
    if (!isObject(value)) throw new FieldError(`must be an object with "@type", got ${show(value)}`);
    const { '@type': url, ...rest } = value;
    if (url === undefined && Object.keys(rest).length === 0) return {};
    if (url === undefined && Object.hasOwn(rest, 'type_url')) return rest;
    if (typeof url !== 'string')
      throw new FieldError(`must name its type, such as "type.googleapis.com/acme.User", got ${show(url)}`, [
        '@type',
      ]);
    if (isOpen(url)) return {};
    const inner = type.find(url.slice(url.lastIndexOf('/') + 1));
    if (inner === undefined)
      throw new FieldError(`names "${url}", which no schema defines; add its .proto file`, ['@type']);
    const isWrapped = wellKnownOf(inner) !== undefined;
    return {
      type_url: url.includes('/') ? url : `type.googleapis.com/${url}`,
      value: encode(inner, isWrapped ? rest['value'] : rest),
    };
  },
  // One whose type is known is read on in its place.
  fromPlain(plain) {
    const url = plain['type_url'];
    return typeof url === 'string' && url !== '' ? { '@type': url, value: plain['value'] ?? '' } : {};
  },
};

const WRAPPERS = ['Double', 'Float', 'Int64', 'UInt64', 'Int32', 'UInt32', 'Bool', 'String', 'Bytes'];

const WELL_KNOWN: ReadonlyMap<string, WellKnown> = new Map([
  ['google.protobuf.Timestamp', timestamp],
  ['google.protobuf.Duration', duration],
  ['google.protobuf.FieldMask', fieldMask],
  ['google.protobuf.Struct', struct],
  ['google.protobuf.Value', jsonValue],
  ['google.protobuf.ListValue', listValue],
  ['google.protobuf.Any', any],
  ...WRAPPERS.map((name): [string, WellKnown] => [`google.protobuf.${name}Value`, wrapper]),
]);

const known = new WeakMap<MessageType, WellKnown | false>();

/** The JSON form of a type, when it has one of its own. */
export function wellKnownOf(type: MessageType): WellKnown | undefined {
  let found = known.get(type);
  if (found === undefined) known.set(type, (found = WELL_KNOWN.get(type.fullName) ?? false));
  return found === false ? undefined : found;
}

function zeroOfWrapper({ fullName }: MessageType): unknown {
  if (fullName.endsWith('BoolValue')) return false;
  if (/(?:String|Bytes)Value$/.test(fullName)) return '';
  return fullName.endsWith('Int64Value') ? '0' : 0;
}

function isObject(value: unknown): value is Plain {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
  );
}
