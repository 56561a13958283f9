import { messageOf } from '@backlot/core/plugin';
import { ByteReader, ByteWriter } from '@backlot/kit/framing';
import avsc, { type Type } from 'avsc';
import type { ParsedSchema, ParseSchema } from '../schema-format.js';
import { AvroReader } from './avro-reader.js';
import { writeAvro } from './avro-writer.js';

/** Reads a schema of Avro. The library reads and compares schemas; values are read here, within bounds. */
export const parseAvro: ParseSchema = (text, references) => {
  const schema = JSON.parse(text) as avsc.Schema;
  // Without a prototype: the names of types come from clients.
  const registry = Object.create(null) as Record<string, Type>;
  const options = { registry, wrapUnions: true, logicalTypes: {} };
  for (const { text: referenced } of references) {
    avsc.Type.forSchema(JSON.parse(referenced) as avsc.Schema, options);
  }
  return new AvroSchema(JSON.stringify(schema), avsc.Type.forSchema(schema, options));
};

class AvroSchema implements ParsedSchema {
  readonly text: string;
  readonly type: Type;

  constructor(text: string, type: Type) {
    this.text = text;
    this.type = type;
  }

  decode(bytes: Buffer): unknown {
    const reader = new ByteReader(bytes);
    const value = new AvroReader(reader).read(this.type);
    if (reader.remaining > 0) throw new Error(`${reader.remaining} bytes follow the value`);
    return value;
  }

  encode(value: unknown): Buffer {
    const writer = new ByteWriter(256);
    writeAvro(this.type, value, writer, '');
    return writer.finish();
  }

  problemsReading(writer: ParsedSchema): readonly string[] {
    if (!(writer instanceof AvroSchema)) return ['the other schema is not of Avro'];
    try {
      this.type.createResolver(writer.type);
      return [];
    } catch (error) {
      return [messageOf(error)];
    }
  }
}
