import {
  isFieldSet,
  ScalarType,
  type DescEnum,
  type DescExtension,
  type DescField,
  type DescMessage,
} from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence as Presence, FieldDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import type { EnumType, Field, FieldKind, MessageType, ScalarName } from './model.js';
import { toJsonName } from './text/fields.js';

/** The types among which those of fields are found. */
export interface Types {
  readonly messages: ReadonlyMap<string, MessageType>;
  typeOf(fullName: string): MessageType;
  enumOf(type: DescEnum): EnumType;
  extensionsOf(fullName: string): Iterable<DescExtension>;
}

interface Tables {
  readonly fields: readonly Field[];
  readonly byNumber: ReadonlyMap<number, Field>;
  readonly byName: ReadonlyMap<string, Field>;
  readonly hasRequired: boolean;
}

/** A message type as its messages are read and written; its fields are looked at when the first message comes. */
export class MessageView implements MessageType {
  readonly fullName: string;
  readonly find: (fullName: string) => MessageType | undefined;
  readonly #types: Types;
  #tables: Tables | undefined;

  constructor(
    readonly desc: DescMessage,
    types: Types,
  ) {
    this.fullName = desc.typeName;
    this.#types = types;
    this.find = (name) => types.messages.get(name);
  }

  get fields(): readonly Field[] {
    return (this.#tables ??= this.#build()).fields;
  }

  get byNumber(): ReadonlyMap<number, Field> {
    return (this.#tables ??= this.#build()).byNumber;
  }

  get byName(): ReadonlyMap<string, Field> {
    return (this.#tables ??= this.#build()).byName;
  }

  get hasRequired(): boolean {
    return (this.#tables ??= this.#build()).hasRequired;
  }

  /** Its extensions have changed. */
  forget(): void {
    this.#tables = undefined;
  }

  #build(): Tables {
    const byNumber = new Map<number, Field>();
    const byName = new Map<string, Field>();
    for (const desc of [...this.#types.extensionsOf(this.fullName), ...this.desc.fields]) {
      const field = viewField(desc, this.#types);
      byNumber.set(field.number, field);
      if (!byName.has(field.jsonName)) byName.set(field.jsonName, field);
      byName.set(field.name, field);
    }
    const fields = [...byNumber.values()].sort((a, b) => a.number - b.number);
    return { fields, byNumber, byName, hasRequired: fields.some((field) => field.isRequired) };
  }
}

/** An enum type as its values are read and written. */
export function viewEnum({ typeName, values }: DescEnum): EnumType {
  const byName = new Map<string, number>();
  const byNumber = new Map<number, string>();
  for (const { name, number } of values) {
    byName.set(name, number);
    if (!byNumber.has(number)) byNumber.set(number, name);
  }
  return { fullName: typeName, byName, byNumber, first: values[0]?.name ?? '' };
}

function viewField(desc: DescField | DescExtension, types: Types): Field {
  const kind = kindOf(desc, types);
  const isRepeated = desc.fieldKind === 'list';
  return {
    name: desc.kind === 'extension' ? `[${desc.typeName}]` : desc.name,
    // A descriptor set need not tell it.
    jsonName: desc.jsonName === '' ? toJsonName(desc.name) : desc.jsonName,
    number: desc.number,
    kind,
    isRepeated,
    isPacked: isRepeated && desc.packed,
    isRequired: desc.presence === Presence.LEGACY_REQUIRED,
    hasPresence:
      !isRepeated &&
      kind.type !== 'map' &&
      (kind.type === 'message' || desc.oneof !== undefined || desc.presence !== Presence.IMPLICIT),
    oneof: desc.oneof?.name,
    ownDefault: ownDefaultOf(desc),
  };
}

function kindOf(desc: DescField | DescExtension, types: Types): FieldKind {
  if (desc.fieldKind === 'map') {
    const key = entryField('key', 1, oneKind(desc.mapKey, undefined, undefined, false, types));
    const value = entryField('value', 2, oneKind(desc.scalar, desc.enum, desc.message, false, types));
    const byNumber = new Map([key, value].map((field): [number, Field] => [field.number, field]));
    return { type: 'map', key, value, byNumber };
  }
  const isGroup = 'delimitedEncoding' in desc && desc.delimitedEncoding === true;
  return oneKind(desc.scalar, desc.enum, desc.message, isGroup, types);
}

function oneKind(
  scalar: ScalarType | undefined,
  type: DescEnum | undefined,
  message: DescMessage | undefined,
  isGroup: boolean,
  types: Types,
): FieldKind {
  if (message !== undefined) return { type: 'message', message: types.typeOf(message.typeName), isGroup };
  if (type !== undefined) return { type: 'enum', enum: types.enumOf(type) };
  return { type: 'scalar', scalar: ScalarType[scalar ?? ScalarType.STRING].toLowerCase() as ScalarName };
}

function entryField(name: string, number: number, kind: FieldKind): Field {
  return {
    name,
    jsonName: name,
    number,
    kind,
    isRepeated: false,
    isPacked: false,
    isRequired: false,
    hasPresence: kind.type === 'message',
    oneof: undefined,
    ownDefault: undefined,
  };
}

/** The default value that a file names, as JSON has it. */
function ownDefaultOf(desc: DescField | DescExtension): Field['ownDefault'] {
  if (desc.fieldKind !== 'scalar' && desc.fieldKind !== 'enum') return undefined;
  if (!isFieldSet(desc.proto, FieldDescriptorProtoSchema.field.defaultValue)) return undefined;
  if (desc.fieldKind === 'enum') return desc.proto.defaultValue;
  const value = desc.getDefaultValue();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return typeof value === 'bigint' ? String(value) : value;
}
