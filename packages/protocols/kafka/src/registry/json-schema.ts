import { Ajv, type AnySchemaObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { JsonComparison } from './json-comparison.js';
import type { ParsedSchema, ParseSchema } from './schema-format.js';

/** Reads a JSON Schema, which is checked by its own schema where that is draft 6, draft 7 or 2020-12. */
export const parseJsonSchema: ParseSchema = (text) => {
  const schema = JSON.parse(text) as unknown;
  const isSchema = typeof schema === 'boolean' || (typeof schema === 'object' && schema !== null);
  if (!isSchema || Array.isArray(schema)) throw new Error('a JSON Schema is an object, true or false');
  check(schema);
  return new JsonSchema(schema);
};

function check(schema: object | boolean): void {
  const dialect = typeof schema === 'object' && '$schema' in schema ? String(schema.$schema) : '';
  const is2020 = dialect.includes('2020-12');
  if (dialect !== '' && !is2020 && !/draft-0[67]/.test(dialect)) return;
  // One of its own for each, since it keeps what it has read.
  const ajv = new (is2020 ? Ajv2020 : Ajv)({ strict: false, logger: false, addUsedSchema: false });
  const plain: AnySchemaObject | boolean = typeof schema === 'object' ? { ...schema } : schema;
  // Its own schema is known already, by whatever way it is written.
  if (typeof plain === 'object') delete plain['$schema'];
  if (ajv.validateSchema(plain) === true) return;
  throw new Error(ajv.errorsText(ajv.errors, { dataVar: 'schema' }).slice(0, 500));
}

class JsonSchema implements ParsedSchema {
  readonly text: string;
  readonly #schema: object | boolean;

  constructor(schema: object | boolean) {
    this.#schema = schema;
    this.text = JSON.stringify(schema);
  }

  decode(bytes: Buffer): unknown {
    return JSON.parse(bytes.toString('utf8'));
  }

  encode(value: unknown): Buffer {
    return Buffer.from(JSON.stringify(value));
  }

  problemsReading(writer: ParsedSchema): readonly string[] {
    if (!(writer instanceof JsonSchema)) return ['the other schema is no JSON Schema'];
    return new JsonComparison(this.#schema, writer.#schema).problems();
  }
}
