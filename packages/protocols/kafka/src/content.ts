import type { CompileTools, Pointer, Template } from '@backlot/core/plugin';
import type { NewRecord } from './wire/batch.js';
import type { RecordHeader } from './wire/record.js';

/** Constant bytes, a template, or null. */
type Part = Buffer | Template | null;

/** A compiled record of our own. */
export interface Content {
  readonly key: Part;
  readonly value: Part;
  readonly headers: readonly (readonly [string, Part])[];
}

/** The fields of a record in a mock. */
export interface ContentFields {
  readonly key?: string | null;
  readonly key_encoding?: 'base64';
  readonly value?: string | null;
  readonly value_encoding?: 'base64';
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
    value: compilePart(value, valueEncoding, `${at}/value`, tools),
    headers,
  };
}

/** Makes the record. @param render - renders a template */
export function renderContent(content: Content, render: (template: Template) => string): NewRecord {
  const make = (part: Part): Buffer | null =>
    part === null || Buffer.isBuffer(part) ? part : Buffer.from(render(part));
  return {
    key: make(content.key),
    value: make(content.value),
    headers: content.headers.map(([name, part]): RecordHeader => [name, make(part)]),
  };
}

function compilePart(
  text: string | null,
  encoding: 'base64' | undefined,
  at: Pointer,
  tools: CompileTools,
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
  const template = tools.template(text, at);
  return template.constant ? Buffer.from(template.source) : template;
}
