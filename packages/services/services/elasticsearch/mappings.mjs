import { SearchError, illegal } from './errors.mjs';

const TYPES =
  'text match_only_text keyword wildcard constant_keyword long integer short byte double float half_float scaled_float unsigned_long date date_nanos boolean object nested flattened ip version geo_point binary completion search_as_you_type dense_vector alias join'.split(
    ' ',
  );
const NUMBERS = new Set(
  'long integer short byte double float half_float scaled_float unsigned_long'.split(' '),
);
const WHOLE = new Set('long integer short byte unsigned_long'.split(' '));
const DATE = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;
const MAX_FIELDS = 1000;
const MAX_DEPTH = 20;

export const isNumber = (type) => NUMBERS.has(type);
export const isText = (type) => ['text', 'match_only_text', 'search_as_you_type'].includes(type);

/** What an index knows of a field, also of one below another such as `name.keyword`. */
export function fieldOf(mappings, path) {
  if (path === '_id' || path === '_index') return { path, type: 'keyword' };
  let at = mappings;
  const names = path.split('.');
  for (let depth = 0; depth < names.length; depth += 1) {
    const found = own(at?.properties, names[depth]);
    if (found !== undefined) {
      at = found;
      continue;
    }
    const below = own(at?.fields, names.slice(depth).join('.'));
    if (below !== undefined) return { path: names.slice(0, depth).join('.'), ...below };
    return undefined;
  }
  return { path, type: at.properties === undefined ? undefined : 'object', ...at };
}

const own = (object, name) =>
  object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;

/** @throws SearchError for a mapping with a type that there is not */
export function checkMappings({ properties = {} }, depth = 0) {
  if (depth > MAX_DEPTH) throw illegal(`Limit of mapping depth [${MAX_DEPTH}] has been exceeded`);
  for (const [name, field] of Object.entries(properties)) {
    if (typeof field !== 'object' || field === null) throw unmapped(`Expected map for property [${name}]`);
    if (field.type !== undefined && !TYPES.includes(field.type))
      throw unmapped(
        `The mapper type [${field.type}] declared on field [${name}] does not exist. It might have been created within a future version or requires a plugin to be installed.`,
      );
    if (field.properties !== undefined) checkMappings(field, depth + 1);
  }
}

const unmapped = (reason) =>
  new SearchError(400, 'mapper_parsing_exception', `Failed to parse mapping: ${reason}`);

/** Puts further properties over a mapping. @throws SearchError when a field has another type already */
export function mergeMappings(mappings, more) {
  const properties = { ...mappings.properties };
  for (const [name, field] of Object.entries(more.properties ?? {})) {
    const before = own(properties, name);
    if (before === undefined) properties[name] = field;
    else if (before.properties !== undefined || field.properties !== undefined)
      properties[name] = { ...before, ...mergeMappings(before, field) };
    else if (field.type !== undefined && before.type !== field.type)
      throw illegal(`mapper [${name}] cannot be changed from type [${before.type}] to [${field.type}]`);
    else properties[name] = { ...before, ...field, fields: { ...before.fields, ...field.fields } };
  }
  const { properties: _properties, ...rest } = more;
  return { ...mappings, ...rest, ...(Object.keys(properties).length > 0 && { properties }) };
}

function typeOf(value) {
  if (typeof value === 'boolean') return { type: 'boolean' };
  if (typeof value === 'number') return { type: Number.isInteger(value) ? 'long' : 'float' };
  if (DATE.test(value)) return { type: 'date' };
  return { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 256 } } };
}

const refused = (path, type, id, value) =>
  new SearchError(
    400,
    'document_parsing_exception',
    `[1:1] failed to parse field [${path}] of type [${type}] in document with id '${id}'. Preview of field's value: '${String(value).slice(0, 100)}'`,
  );

/**
 * Compares a document with the mapping of its index.
 *
 * @returns the mapping with what the document has anew; the same one when there is nothing new
 */
export function learn(mappings, source, id) {
  let changed = mappings;
  let count = 0;
  const add = (names, field) => {
    const put = (at, rest) => {
      const [name, ...more] = rest;
      const before = own(at.properties, name);
      const next = more.length === 0 ? { ...field, ...before } : put(before ?? {}, more);
      return { ...at, properties: { ...at.properties, [name]: next } };
    };
    changed = put(changed, names);
  };
  const walk = (object, names, dynamic) => {
    if (names.length > MAX_DEPTH) throw illegal(`Limit of mapping depth [${MAX_DEPTH}] has been exceeded`);
    for (const [name, value] of Object.entries(object)) {
      const path = [...names, ...name.split('.')];
      const text = path.join('.');
      for (const one of Array.isArray(value) ? value.flat(MAX_DEPTH) : [value]) {
        if (one === null) continue;
        const field = fieldOf(changed, text);
        if (typeof one === 'object') {
          if (['geo_point', 'flattened', 'completion', 'join', 'dense_vector'].includes(field?.type))
            continue;
          if (field !== undefined && field.type !== 'object' && field.type !== 'nested')
            throw refused(text, field.type, id, JSON.stringify(one));
          if (field?.enabled !== false) walk(one, path, field?.dynamic ?? dynamic);
          continue;
        }
        if (field === undefined) {
          if (dynamic === false || dynamic === 'false') continue;
          if (dynamic === 'strict')
            throw new SearchError(
              400,
              'strict_dynamic_mapping_exception',
              `[1:1] mapping set to strict, dynamic introduction of [${name}] within [${names.join('.') || '_doc'}] is not allowed`,
            );
          count += 1;
          if (count > MAX_FIELDS) throw illegal(`Limit of total fields [${MAX_FIELDS}] has been exceeded`);
          add(path, typeOf(one));
        } else check(field, one, text, id);
      }
    }
  };
  walk(source, [], mappings.dynamic);
  return changed;
}

function check({ type, ignore_malformed: lenient }, value, path, id) {
  if (lenient === true || lenient === 'true') return;
  if (type === 'object' || type === 'nested') throw refused(path, type, id, value);
  if (isNumber(type) && (value === '' || Number.isNaN(Number(value)) || typeof value === 'boolean'))
    throw refused(path, type, id, value);
  if (WHOLE.has(type) && !Number.isFinite(Number(value))) throw refused(path, type, id, value);
  if (type === 'boolean' && ![true, false, 'true', 'false', ''].includes(value))
    throw refused(path, type, id, value);
  if (type === 'date' && Number.isNaN(timeOf(value))) throw refused(path, type, id, value);
}

/** Milliseconds of a date; `NaN` for what is none. */
export function timeOf(value) {
  if (typeof value === 'number') return value;
  if (/^\d{5,}$/.test(value)) return Number(value);
  const text = String(value);
  return Date.parse(/T\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(text) ? `${text}Z` : text);
}

/** All values of a document at a place, in one list. */
export function valuesOf(source, path) {
  const found = [];
  const walk = (value, names, depth) => {
    if (Array.isArray(value)) for (const one of value) walk(one, names, depth + 1);
    else if (names.length === 0) {
      if (value !== null && value !== undefined) found.push(value);
    } else if (typeof value === 'object' && value !== null && depth < 2 * MAX_DEPTH)
      for (let count = names.length; count > 0; count -= 1) {
        const name = names.slice(0, count).join('.');
        if (Object.hasOwn(value, name)) walk(value[name], names.slice(count), depth + 1);
      }
  };
  walk(source, path.split('.'), 0);
  return found;
}

/** What is compared and sorted: numbers, milliseconds, or texts. */
export function comparable(field, value) {
  if (field === undefined) return value;
  if (isNumber(field.type)) return Number(value);
  if (field.type === 'date' || field.type === 'date_nanos') return timeOf(value);
  if (field.type === 'boolean') return value === true || value === 'true' ? 1 : 0;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The words of a text, as the standard analyzer makes them. */
export function analyze(text) {
  return [...String(text).matchAll(/[\p{L}\p{N}]+(?:['’][\p{L}]+)?/gu)].map(({ 0: token, index }) => ({
    token: token.toLowerCase(),
    start: index,
    end: index + token.length,
  }));
}
