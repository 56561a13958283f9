/**
 * A JSON Schema, as far as the tables read it.
 *
 * @typedef {object} Schema
 * @property {string} [type]
 * @property {string} [description]
 * @property {unknown} [default]
 * @property {unknown} [const]
 * @property {readonly unknown[]} [enum]
 * @property {string} [$ref]
 * @property {string} [pattern]
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {readonly string[]} [required]
 * @property {Record<string, Schema>} [properties]
 * @property {Record<string, Schema>} [patternProperties]
 * @property {boolean | Schema} [additionalProperties]
 * @property {Schema} [items]
 * @property {readonly Schema[]} [anyOf]
 *
 * @typedef {object} Links where the types that have a page of their own are described
 * @property {string} pattern where patterns are described; places of JSON take them or values
 * @property {string} delay
 * @property {(name: string) => string} [schema] of a named schema
 */

/** The head of the table that {@link rowsOf} fills. */
export const FIELD_COLUMNS = ['Field', 'Type', 'Default', 'Meaning'];

/**
 * The fields of an object, one row each; those of objects inside follow with their path.
 *
 * @param {Schema} schema
 * @param {Links} links
 * @param {string} [prefix]
 * @returns {string[][]}
 */
export function rowsOf(schema, links, prefix = '') {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const plain = withoutReference(field);
    const path = prefix + name;
    const isRequired = schema.required?.includes(name) === true;
    const shown = isRequired ? 'required' : plain.default === undefined ? '' : code(plain.default);
    const row = [`\`${path}\``, typeOf(plain, links), shown, field.description ?? plain.description ?? ''];
    return [row, ...rowsInside(plain, links, path)];
  });
}

/**
 * @param {Schema} schema
 * @param {Links} links
 * @param {string} path
 * @returns {string[][]}
 */
function rowsInside(schema, links, path) {
  if (isDelay(schema)) return [];
  if (schema.anyOf !== undefined) {
    const [object] = schema.anyOf.filter((branch) => branch.properties !== undefined && !isBodyForm(branch));
    return object === undefined ? [] : rowsInside(object, links, path);
  }
  if (schema.type === 'array') {
    return schema.items === undefined ? [] : rowsInside(schema.items, links, `${path}[]`);
  }
  return schema.properties === undefined ? [] : rowsOf(schema, links, `${path}.`);
}

/**
 * @param {Schema} schema
 * @param {Links} links
 * @returns {string} the type in a word or two
 */
export function typeOf(schema, links) {
  const plain = withoutReference(schema);
  if (plain.$ref !== undefined) return namedType(plain.$ref, links);
  if (isDelay(plain)) return `[delay](${links.delay})`;
  if (plain.const !== undefined) return code(plain.const);
  if (plain.enum !== undefined) return plain.enum.map(code).join(', ');
  if (plain.anyOf !== undefined) return joinTypes(plain.anyOf.map((branch) => typeOf(branch, links)));
  if (plain.type === 'array') {
    const items = typeOf(plain.items ?? {}, links);
    return items === 'any' ? 'list' : `list of ${plural(items)}`;
  }
  if (plain.type === 'object' && plain.properties === undefined) return mapOf(plain, links);
  if (isBodyForm(plain)) return `\`{${Object.keys(plain.properties ?? {}).join()}}\``;
  return plain.type === undefined ? 'any' : plain.type + rangeOf(plain);
}

/**
 * @param {Schema} schema
 * @param {Links} links
 */
function mapOf(schema, links) {
  const [values] = Object.values(schema.patternProperties ?? {});
  if (values === undefined || Object.keys(values).length === 0) return 'object';
  return `map of ${plural(typeOf(values, links))}`;
}

/** @param {readonly string[]} types */
function joinTypes(types) {
  const words = types.every((type) => type.startsWith('`')) ? ', ' : ' or ';
  return [...new Set(types)].join(words);
}

/** @param {string} type */
function plural(type) {
  if (/^\[pattern\]\(\S*\) or value$/.test(type))
    return type.replace('pattern', 'patterns').replace(/value$/, 'values');
  return /^(string|integer|number|object|boolean)$/.test(type) ? `${type}s` : type;
}

/** @param {Schema} schema */
function rangeOf({ minimum, maximum }) {
  if (minimum !== undefined && maximum !== undefined) return `, ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `, ${minimum} or more`;
  return maximum === undefined ? '' : `, ${maximum} or less`;
}

/**
 * @param {string} reference
 * @param {Links} links
 */
function namedType(reference, { pattern, schema }) {
  const name = reference.slice(reference.lastIndexOf('/') + 1);
  if (name === 'Pattern') return `[pattern](${pattern})`;
  if (name === 'Place') return `[pattern](${pattern}) or value`;
  return schema === undefined ? name : `[${name}](${schema(name)})`;
}

/**
 * A delay's own schema: a duration, or an object that says how it is rolled.
 *
 * @param {Schema} schema
 */
function isDelay({ anyOf = [] }) {
  return anyOf.some((branch) => branch.properties?.['lognormal'] !== undefined);
}

/**
 * In the schema for editors a number may also be a text that holds `${NAME}`; the tables do not repeat that.
 *
 * @param {Schema} schema
 * @returns {Schema}
 */
function withoutReference(schema) {
  const [first, second, ...others] = schema.anyOf ?? [];
  if (first === undefined || second?.pattern !== '\\$\\{' || others.length > 0) return schema;
  return schema.description === undefined ? first : { ...first, description: schema.description };
}

/**
 * Where a file's text may stand for a body: `{file}` or `{dir}`.
 *
 * @param {Schema} schema
 */
function isBodyForm({ properties }) {
  const names = Object.keys(properties ?? {});
  return names.length === 1 && (names[0] === 'file' || names[0] === 'dir');
}

/** @param {unknown} value */
function code(value) {
  return `\`${typeof value === 'string' && value !== '' ? value : JSON.stringify(value)}\``;
}
