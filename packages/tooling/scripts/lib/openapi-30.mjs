/** Keywords of JSON Schema that OpenAPI 3.0 has not, or that say nothing to a typed client. */
const LEFT_OUT = new Set([
  'contains',
  '$defs',
  'propertyNames',
  'unevaluatedProperties',
  'if',
  'then',
  'else',
  'dependentRequired',
  'examples',
  'default',
  'not',
]);

/** What stands below these is schemas by the names of users. */
const NAMES = new Set(['properties', 'schemas']);
/** What stands below these is a schema. */
const SCHEMAS = new Set(['items', 'schema', 'additionalProperties']);
/** A schema that has none of these takes any value. */
const TYPED = ['type', '$ref', 'allOf', 'enum', 'const', 'anyOf', 'oneOf'];

/**
 * The document as OpenAPI 3.0 has it, for generators that do not know 3.1 or have no unions: a value that may be of several types is any
 * value, one that may be null is one that may be absent, and times are texts.
 *
 * @param {Record<string, unknown>} document - of OpenAPI 3.1
 * @returns {Record<string, unknown>}
 */
export function toOpenApi30(document) {
  return { .../** @type {Record<string, unknown>} */ (convert(document)), openapi: '3.0.3' };
}

/**
 * @param {unknown} value
 * @returns {unknown}
 */
function convert(value) {
  if (Array.isArray(value)) return value.map((each) => convert(each));
  if (typeof value !== 'object' || value === null) return value;
  const given = /** @type {Record<string, unknown>} */ (value);
  const union = given['anyOf'] ?? given['oneOf'];
  if (Array.isArray(union)) return convertUnion(given, union);
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, each]) => convertKeyword(name, each, given)),
  );
}

/**
 * @param {unknown} value
 * @returns {unknown}
 */
function convertSchema(value) {
  if (typeof value !== 'object' || value === null) return value;
  const given = /** @type {Record<string, unknown>} */ (value);
  return convert(TYPED.some((name) => name in given) ? given : { ...given, type: 'object' });
}

/**
 * @param {Record<string, unknown>} given
 * @param {readonly Record<string, unknown>[]} union
 */
function convertUnion({ description }, union) {
  const said = description === undefined ? {} : { description };
  const left = union.filter(({ type }) => type !== 'null');
  const [one] = left;
  if (left.length === 1) return convert({ ...said, ...one });
  const words = left.map((each) => each['const']);
  // Generators for languages without unions take an object of no fields for any value.
  return words.every((word) => typeof word === 'string')
    ? { ...said, type: 'string', enum: words }
    : { ...said, type: 'object' };
}

/**
 * @param {string} name
 * @param {unknown} value
 * @param {Record<string, unknown>} given
 * @returns {[string, unknown][]}
 */
function convertKeyword(name, value, given) {
  if (LEFT_OUT.has(name) || (name === 'format' && value === 'date-time')) return [];
  // Only words become the values of a type.
  if (name === 'const') return typeof value === 'string' ? [['enum', [value]]] : [];
  if (name === 'enum') return [[name, value]];
  if (NAMES.has(name)) {
    const named = Object.entries(/** @type {object} */ (value));
    return [[name, Object.fromEntries(named.map(([own, each]) => [own, convertSchema(each)]))]];
  }
  if (SCHEMAS.has(name)) return [[name, convertSchema(value)]];
  if (name !== 'patternProperties') return [[name, convert(value)]];
  if (given['additionalProperties'] !== undefined && given['additionalProperties'] !== false) return [];
  const kinds = Object.values(/** @type {object} */ (value));
  return [['additionalProperties', kinds.length === 1 ? convertSchema(kinds[0]) : true]];
}
