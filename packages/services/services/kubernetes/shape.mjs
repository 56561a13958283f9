import { isObject } from './patch.mjs';
import { badRequest } from './status.mjs';

const words = (text) => new Set(text.split(' '));

/** Fields that are objects wherever they stand, and lists of objects; the server itself reads them. */
const OBJECTS = words(
  'metadata spec selector matchLabels labels annotations template jobTemplate data stringData names schema openAPIV3Schema subresources scale',
);
const LISTS = words(
  'containers initContainers ports env volumes volumeMounts ownerReferences managedFields matchExpressions versions conditions containerStatuses',
);
/** What stands in these is for nobody else, or named freely. */
const FREE = words('status data stringData labels annotations matchLabels openAPIV3Schema fieldsV1');
const MAX_DEPTH = 50;

const wrong = (path, value, type) =>
  badRequest(
    `json: cannot unmarshal ${JSON.stringify(value).slice(0, 100)} into Go struct field ${path} of type ${type}`,
  );

/**
 * An object whose known fields are of their types. What is null is as if it were not there.
 *
 * @throws Refusal for one that is not
 */
export function shaped(object, { isCustom }) {
  if (!isCustom) return walk(object, '', 0);
  const { metadata = {} } = object;
  return { ...object, metadata: walk(metadata ?? {}, 'metadata', 0) };
}

function walk(object, at, depth) {
  if (depth > MAX_DEPTH) throw badRequest(`the object is nested deeper than ${MAX_DEPTH} levels at ${at}`);
  const result = {};
  for (const [name, value] of Object.entries(object)) {
    if (value === null || name === '__proto__') continue;
    const path = at === '' ? name : `${at}.${name}`;
    if (name === 'finalizers' && !isTexts(value)) throw wrong(path, value, '[]string');
    // Conditions have one as well, which is a text.
    const isObjects = OBJECTS.has(name) || (name === 'status' && at === '');
    if (isObjects && !isObject(value)) throw wrong(path, value, 'object');
    if (LISTS.has(name) && !(Array.isArray(value) && value.every(isObject)))
      throw wrong(path, value, '[]object');
    result[name] = FREE.has(name) ? value : inner(value, path, depth);
  }
  return result;
}

const isTexts = (value) => Array.isArray(value) && value.every((one) => typeof one === 'string');

function inner(value, path, depth) {
  if (Array.isArray(value)) return value.map((one) => (isObject(one) ? walk(one, path, depth + 1) : one));
  return isObject(value) ? walk(value, path, depth + 1) : value;
}
