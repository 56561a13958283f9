/** The types of schemas, as the registry names them. */
export const SCHEMA_TYPES = ['AVRO', 'JSON', 'PROTOBUF'] as const;
export type SchemaType = (typeof SCHEMA_TYPES)[number];

/** A reference to another schema. */
export interface SchemaReference {
  readonly name: string;
  readonly subject: string;
  readonly version: number;
}

/** A schema that others refer to by a name, after those that it refers to itself. */
export interface ReferencedSchema {
  readonly name: string;
  readonly text: string;
}

/** A schema that was read. */
export interface ParsedSchema {
  /** As the registry keeps it. */
  readonly text: string;
  /**
   * What a message is as a JSON value.
   *
   * @param bytes - behind the id
   * @throws Error when they do not fit the schema
   */
  decode(bytes: Buffer): unknown;
  /**
   * The bytes behind the id.
   *
   * @throws Error when the value does not fit the schema
   */
  encode(value: unknown): Buffer;
  /** Why this schema cannot read what was written with another one of the same type; empty when it can. */
  problemsReading(writer: ParsedSchema): readonly string[];
}

/** How schemas of one type are read. @throws Error when the text is no such schema */
export type ParseSchema = (text: string, references: readonly ReferencedSchema[]) => ParsedSchema;

const loaded = new Map<SchemaType, ParseSchema>();

/** Loads what reads schemas of a type: its library costs nothing where no schema of the type is. */
export async function loadFormat(type: SchemaType): Promise<ParseSchema> {
  const there = loaded.get(type);
  if (there !== undefined) return there;
  const parse = await load(type);
  loaded.set(type, parse);
  return parse;
}

async function load(type: SchemaType): Promise<ParseSchema> {
  switch (type) {
    case 'AVRO':
      return (await import('./avro/avro-schema.js')).parseAvro;
    case 'JSON':
      return (await import('./json-schema.js')).parseJsonSchema;
    case 'PROTOBUF':
      return (await import('./protobuf/protobuf-schema.js')).parseProtobuf;
  }
}
