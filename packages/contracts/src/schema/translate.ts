import { compileRegex, type ImportFile } from '@backlot/core/plugin';
import { isTree, listOf, type Tree } from '../shared/values.js';
import { costsOf } from './costs.js';

/** How schemas are written: as OpenAPI 3.0 and Swagger have them, or as JSON Schema of draft 7 or 2020-12. */
export type Dialect = 'openapi' | 'json-schema';

/** Which way a value goes: what may only be read is not asked for in a request, and the other way about. */
export type Side = 'request' | 'answer';

/** The keyword by which a translated schema leads to another one, which is translated when a value meets it. */
export const LINK = 'link';

/** What {@link translateSchema} is told. */
export interface Translation {
  readonly dialect: Dialect;
  readonly side: Side;
  readonly hasFormat: (name: string) => boolean;
  /** Gives the number by which {@link LINK} knows the schema behind a reference. */
  readonly link: (reference: Tree, from: ImportFile) => number;
  /** As `link` does for a schema that stands where it is; absent where schemas around it must see into it. */
  readonly apart?: ((schema: Tree, from: ImportFile) => number) | undefined;
}

const ONE = ['not', 'if', 'then', 'else', 'additionalProperties', 'contains', 'propertyNames'];
const UNEVALUATED = ['unevaluatedProperties', 'unevaluatedItems'];
const LISTS = ['allOf', 'anyOf', 'oneOf'];
const MAPS = ['properties', 'patternProperties', 'dependentSchemas'];
const COUNTS = [
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
  ...['minContains', 'maxContains'],
];
const NUMBERS = ['minimum', 'maximum', 'multipleOf'];
const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
/** Schemas within schemas, without references between them. */
const DEEPEST = 200;
/** As many alternatives are compiled together; of longer lists each is compiled by itself, when a value meets it. */
const MOST_TOGETHER = 8;

/** A schema as one of draft 2020-12 that refers to nothing: keywords that say nothing of values, or that are wrong, are left out. */
export function translateSchema(
  schema: unknown,
  from: ImportFile,
  translation: Translation,
  depth = 0,
): Tree | boolean {
  if (typeof schema === 'boolean') return schema;
  if (!isTree(schema) || depth > DEEPEST) return true;
  const within = UNEVALUATED.some((word) => isSchema(schema[word]))
    ? { ...translation, apart: undefined }
    : translation;
  const inner = (value: unknown): Tree | boolean => translateSchema(value, from, within, depth + 1);
  const isOpenApi = translation.dialect === 'openapi';
  const hasReference = typeof schema['$ref'] === 'string';
  const made: Record<string, unknown> = hasReference ? { [LINK]: translation.link(schema, from) } : {};
  // Beside a reference nothing counts before 3.1.
  if (hasReference && isOpenApi) return made;
  for (const word of ONE) if (isSchema(schema[word])) made[word] = inner(schema[word]);
  for (const word of LISTS) {
    const list = listOf(schema[word]).filter(isSchema);
    if (list.length > 0)
      made[word] = list.map((each) =>
        within.apart !== undefined && list.length > MOST_TOGETHER && hasInner(each)
          ? { [LINK]: within.apart(each, from) }
          : inner(each),
      );
  }
  for (const word of MAPS) {
    const map = schema[word];
    if (!isTree(map)) continue;
    const entries = Object.entries(map).filter(
      ([name, value]) => isSchema(value) && (word !== 'patternProperties' || isExpression(name)),
    );
    made[word] = Object.fromEntries(entries.map(([name, value]) => [name, inner(value)]));
  }
  // What a reference evaluates is not known where the keyword stands.
  if (!hasReference && !leadsOn(schema))
    for (const word of UNEVALUATED) if (isSchema(schema[word])) made[word] = inner(schema[word]);
  translateItems(schema, made, inner);
  for (const word of COUNTS) if (isCount(schema[word])) made[word] = schema[word];
  for (const word of NUMBERS) if (typeof schema[word] === 'number') made[word] = schema[word];
  if (typeof made['multipleOf'] === 'number' && made['multipleOf'] <= 0) delete made['multipleOf'];
  translateLimits(schema, made);
  if (schema['uniqueItems'] === true) made['uniqueItems'] = true;
  const required = requiredOf(schema, translation.side);
  if (required.length > 0) made['required'] = required;
  if (isTree(schema['dependentRequired'])) made['dependentRequired'] = schema['dependentRequired'];
  const { pattern, format } = schema;
  if (typeof pattern === 'string' && isExpression(pattern)) made['pattern'] = pattern;
  if (typeof format === 'string' && translation.hasFormat(format)) made['format'] = format;
  if (Object.hasOwn(schema, 'const')) made['const'] = schema['const'];
  const values = schema['enum'];
  if (Array.isArray(values) && values.length > 0) made['enum'] = [...new Set(values)];
  const types = [schema['type']]
    .flat()
    .filter((one): one is string => typeof one === 'string' && TYPES.has(one));
  if (types.length > 0) made['type'] = types.length === 1 ? types[0] : [...new Set(types)];
  const isNullable = isOpenApi && (schema['nullable'] === true || schema['x-nullable'] === true);
  const metered = { ...made, ...costsOf(made) };
  return isNullable ? orNull(metered) : metered;
}

/** A schema that allows null beside what it allows. */
function orNull(made: Tree): Tree {
  const { type } = made;
  const isPlain =
    typeof type === 'string' &&
    !['allOf', 'anyOf', 'oneOf', 'not', 'enum', 'const'].some((word) => word in made);
  return isPlain ? { ...made, type: [type, 'null'] } : { anyOf: [{ type: 'null' }, made] };
}

function translateItems(
  schema: Tree,
  made: Record<string, unknown>,
  inner: (value: unknown) => unknown,
): void {
  const { items, prefixItems, additionalItems } = schema;
  const first = Array.isArray(items) ? (items as unknown[]) : listOf(prefixItems);
  const rest = Array.isArray(items) ? additionalItems : items;
  if (first.length > 0) made['prefixItems'] = first.map(inner);
  if (isSchema(rest)) made['items'] = inner(rest);
}

/** Before draft 6 these were notes beside `minimum` and `maximum`. */
function translateLimits(schema: Tree, made: Record<string, unknown>): void {
  for (const [word, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    const value = schema[word];
    if (typeof value === 'number') made[word] = value;
    if (value !== true || typeof made[limit] !== 'number') continue;
    made[word] = made[limit];
    delete made[limit];
  }
}

function requiredOf(schema: Tree, side: Side): readonly string[] {
  const properties = isTree(schema['properties']) ? schema['properties'] : {};
  const other = side === 'request' ? 'readOnly' : 'writeOnly';
  const names = listOf(schema['required']).filter((name): name is string => typeof name === 'string');
  return [...new Set(names)].filter((name) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return !(isTree(property) && property[other] === true);
  });
}

function leadsOn(schema: Tree): boolean {
  return LISTS.some((word) =>
    listOf(schema[word]).some((one) => isTree(one) && typeof one['$ref'] === 'string'),
  );
}

function isSchema(value: unknown): value is Tree | boolean {
  return typeof value === 'boolean' || isTree(value);
}

/** Whether a schema has schemas within it. */
function hasInner(schema: Tree | boolean): schema is Tree {
  return isTree(schema) && [...ONE, ...LISTS, ...MAPS, 'items'].some((word) => schema[word] !== undefined);
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

/** Whether it is an expression in RE2; what looks ahead is not, and is not checked. */
function isExpression(source: string): boolean {
  try {
    compileRegex(source);
    return true;
  } catch {
    return false;
  }
}
