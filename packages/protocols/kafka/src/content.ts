import {
  compileContent as compileMockContent,
  constantContent,
  contentTypeIn,
  type CompileTools,
  type Pointer,
  type Template,
} from '@backlot/core/plugin';
import type { Registry } from './registry/registry.js';
import { encodeValue } from './registry/wire-format.js';
import type { NewRecord } from './wire/batch.js';
import type { RecordHeader } from './wire/record.js';

/** Constant bytes, a template, or null. */
type Part = Buffer | Template | null;

/** A compiled record of our own. */
export interface Content {
  readonly key: Part;
  readonly value: Part;
  readonly headers: readonly (readonly [string, Part])[];
  /** The subjects whose schemas encode key and value. */
  readonly keySchema: string | undefined;
  readonly schema: string | undefined;
}

/** The fields of a record in a mock. */
export interface ContentFields {
  readonly key?: string | null;
  readonly key_encoding?: 'base64';
  readonly value?: string | null;
  readonly value_encoding?: 'base64';
  readonly json?: unknown;
  readonly schema?: string;
  readonly key_schema?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** Compiles a record; what is constant is made here. */
export function compileContent(fields: ContentFields, at: Pointer, tools: CompileTools): Content {
  const { key = null, key_encoding: keyEncoding, value = null, value_encoding: valueEncoding } = fields;
  const headers = Object.entries(fields.headers ?? {}).flatMap(([name, values]) =>
    [values]
      .flat()
      .map((text) => [name, compilePart(text, undefined, `${at}/headers/${name}`, tools)] as const),
  );
  return {
    key: compilePart(key, keyEncoding, `${at}/key`, tools),
    value:
      fields.json === undefined
        ? compilePart(value, valueEncoding, `${at}/value`, tools, contentTypeIn(fields.headers))
        : compileJson(fields, at, tools),
    headers,
    keySchema: fields.key_schema,
    schema: fields.schema,
  };
}

function compileJson(
  { json, value, value_encoding: encoding }: ContentFields,
  at: Pointer,
  tools: CompileTools,
): Part {
  if (encoding !== undefined) tools.problem(`${at}/value_encoding`, 'json is never in base64; leave it out');
  const template = compileMockContent({ text: value ?? undefined, json }, { text: 'value' }, tools, at);
  return constantContent(template) ?? template;
}

/**
 * Makes the record.
 *
 * @param render - renders a template
 * @param received - the value of the record that is answered, which a text that is nothing but `{{request.raw_body}}` gives
 * back as it came
 */
export function renderContent(
  content: Content,
  render: (template: Template) => string,
  received?: Uint8Array | string,
): NewRecord {
  const make = (part: Part, schema?: string): Buffer | null => {
    if (part === null || Buffer.isBuffer(part)) return part;
    // What is to be encoded is JSON, and not bytes that were encoded before.
    if (schema === undefined && part.isWholeBody && typeof received === 'object')
      return Buffer.from(received);
    return Buffer.from(render(part));
  };
  return {
    key: make(content.key),
    value: make(content.value, content.schema),
    headers: content.headers.map(([name, part]): RecordHeader => [name, make(part)]),
  };
}

/**
 * Encodes key and value by the schemas that the content names.
 *
 * @throws Error when that cannot be done
 */
export function encodeContent(
  { keySchema, schema }: Content,
  record: NewRecord,
  registry: Registry | undefined,
): NewRecord {
  const encode = (bytes: Buffer | null, subject: string | undefined): Buffer | null =>
    bytes === null || subject === undefined ? bytes : encodeValue(bytes, subject, registry);
  return { ...record, key: encode(record.key, keySchema), value: encode(record.value, schema) };
}

function compilePart(
  text: string | null,
  encoding: 'base64' | undefined,
  at: Pointer,
  tools: CompileTools,
  contentType?: string,
): Part {
  if (text === null) {
    if (encoding !== undefined) tools.problem(at, 'there is nothing to be read as base64');
    return null;
  }
  if (encoding === 'base64') {
    const bytes = Buffer.from(text, 'base64');
    if (bytes.toString('base64') !== text)
      tools.problem(at, `${JSON.stringify(text.slice(0, 100))} is not base64`);
    return bytes;
  }
  const template = tools.template(text, at, { contentType });
  return template.constant ? Buffer.from(template.source) : template;
}
