import { publishedSchema, type Protocol } from '@backlot/core';
import type { TSchema } from '@backlot/core/plugin';
import { shareSchemas } from '@backlot/management';
import { fileSchema } from './schema.js';

/**
 * The JSON Schema of the file as editors take it: bodies may be read from files, and numbers may be `${NAME}`. What stands
 * in many places, such as a pattern or a delay, is written once, under `$defs`.
 */
export function editorSchema(protocols: readonly Protocol[]): Record<string, unknown> {
  const definitions: Definitions = {};
  const file = loosen(fileSchema(protocols), undefined, definitions) as Record<string, unknown>;
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Backlot configuration',
    ...shareSchemas(file, definitions),
  };
}

type Definitions = Record<string, unknown>;

const BODY_FORMS = [
  {
    type: 'object',
    properties: { file: { type: 'string' } },
    required: ['file'],
    additionalProperties: false,
    description: 'What a file below the folder of this file holds.',
  },
  {
    type: 'object',
    properties: { dir: { type: 'string' } },
    required: ['dir'],
    additionalProperties: false,
    description: 'The files of a folder below the folder of this file.',
  },
];
const REFERENCE = { type: 'string', pattern: '\\$\\{' };

function loosen(schema: unknown, name: string | undefined, definitions: Definitions): unknown {
  if (Array.isArray(schema)) return schema.map((item) => loosen(item, undefined, definitions));
  if (typeof schema !== 'object' || schema === null) return schema;
  const published = publishedSchema(schema);
  if (published !== undefined) {
    definitions[published.name] ??= loosenFields(published.schema, definitions);
    const { description } = schema as TSchema;
    const described = description === undefined ? {} : { description };
    const reference = { ...described, $ref: `#/$defs/${published.name}` };
    return name === 'body' && acceptsText(published.schema) ? withForms(reference, BODY_FORMS) : reference;
  }
  const copy = loosenFields(schema, definitions);
  if (name === 'body' && acceptsText(copy as TSchema)) return withForms(copy, BODY_FORMS);
  const { description, ...rest } = copy;
  const described = description === undefined ? {} : { description };
  if (copy['type'] === 'integer' || copy['type'] === 'number' || copy['type'] === 'boolean') {
    return { ...described, anyOf: [rest, REFERENCE] };
  }
  return copy;
}

function loosenFields(schema: object, definitions: Definitions): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined) continue;
    if (key === 'default' || key === 'examples' || key === 'const' || key === 'enum' || key === 'required')
      copy[key] = value;
    else if (key === 'properties')
      copy[key] = Object.fromEntries(
        Object.entries(value as object).map(([field, inner]) => [
          field,
          field !== 'body' && Object.hasOwn(value as object, `${field}_base64`)
            ? withForms(loosen(inner, field, definitions) as TSchema, BODY_FORMS.slice(0, 1))
            : loosen(inner, field, definitions),
        ]),
      );
    else copy[key] = loosen(value, undefined, definitions);
  }
  return copy;
}

function withForms(
  { description, ...rest }: Readonly<Record<string, unknown>>,
  forms: readonly object[],
): Record<string, unknown> {
  return { ...(description === undefined ? {} : { description }), anyOf: [rest, ...forms] };
}

function acceptsText(schema: TSchema): boolean {
  if (schema['type'] === 'string') return true;
  const branches: unknown = schema['anyOf'];
  return Array.isArray(branches) && branches.some((branch: TSchema) => acceptsText(branch));
}
