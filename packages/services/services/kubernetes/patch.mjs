import { isDeepStrictEqual } from 'node:util';
import { Refusal, badRequest } from './status.mjs';

export const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A name that would reach the prototype of an object is no field. */
const isPlain = (name) => name !== '__proto__';

/** RFC 7396. */
export function mergePatch(target, patch) {
  if (!isObject(patch)) return patch;
  const result = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch).filter(([each]) => isPlain(each))) {
    if (value === null) delete result[name];
    else result[name] = mergePatch(result[name], value);
  }
  return result;
}

/** What elements of a list are merged by, by the name of the list; of several, the first that elements have. */
const MERGE_KEYS = {
  containers: ['name'],
  initContainers: ['name'],
  ephemeralContainers: ['name'],
  volumes: ['name'],
  env: ['name'],
  ports: ['containerPort', 'port'],
  volumeMounts: ['mountPath'],
  volumeDevices: ['devicePath'],
  imagePullSecrets: ['name'],
  hostAliases: ['ip'],
  topologySpreadConstraints: ['topologyKey'],
  conditions: ['type'],
  addresses: ['type'],
  ownerReferences: ['uid'],
  secrets: ['name'],
  webhooks: ['name'],
};
/** Lists of texts that are sets. */
const SETS = new Set(['finalizers']);

/** The field that tells elements of a list apart; `undefined` for a list that is replaced as a whole. */
export function mergeKeyOf(name, list) {
  const keys = Object.hasOwn(MERGE_KEYS, name) ? MERGE_KEYS[name] : [];
  const elements = list.filter((one) => one?.$patch !== 'replace');
  return keys.find((key) => elements.length > 0 && elements.every((one) => isObject(one) && key in one));
}

export const isSet = (name) => SETS.has(name);

/** The patch of kubectl, which knows what elements of lists are called. */
export function strategicPatch(target, patch) {
  if (!isObject(patch)) return patch;
  if (patch.$patch === 'replace') return withoutDirectives(patch);
  const before = isObject(target) ? target : {};
  const kept = Array.isArray(patch.$retainKeys)
    ? Object.fromEntries(Object.entries(before).filter(([name]) => patch.$retainKeys.includes(name)))
    : { ...before };
  for (const [name, value] of Object.entries(patch).filter(([each]) => isPlain(each))) {
    if (name.startsWith('$deleteFromPrimitiveList/')) {
      const of = name.slice('$deleteFromPrimitiveList/'.length);
      if (Array.isArray(kept[of])) kept[of] = kept[of].filter((one) => !value.includes(one));
    } else if (!name.startsWith('$')) {
      if (value === null || value?.$patch === 'delete') delete kept[name];
      else if (Array.isArray(value))
        kept[name] = mergeLists(name, kept[name] ?? [], value, patch[`$setElementOrder/${name}`]);
      else kept[name] = strategicPatch(kept[name], value);
    }
  }
  return kept;
}

function mergeLists(name, before, patch, order) {
  if (!Array.isArray(before) || patch.some((one) => one?.$patch === 'replace'))
    return patch.filter((one) => one?.$patch !== 'replace').map(withoutDirectives);
  if (isSet(name)) return [...new Set([...before, ...patch])];
  const key = mergeKeyOf(name, patch);
  if (key === undefined) return patch.map(withoutDirectives);
  let result = [...before];
  for (const one of patch) {
    const at = result.findIndex((each) => each[key] === one[key]);
    if (one.$patch === 'delete') result = result.filter((each) => each[key] !== one[key]);
    else if (at < 0) result.push(strategicPatch({}, one));
    else result[at] = strategicPatch(result[at], one);
  }
  if (!Array.isArray(order)) return result;
  const places = new Map(order.map((one, at) => [one[key], at]));
  const placeOf = (one) => places.get(one[key]) ?? places.size;
  return result.sort((a, b) => placeOf(a) - placeOf(b));
}

function withoutDirectives(value) {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !name.startsWith('$') && isPlain(name)));
}

const notApplied = (message) =>
  new Refusal(422, 'Invalid', `the server rejected our request due to an error in our request: ${message}`, {
    details: {},
  });

const MAX_OPERATIONS = 10_000;

/** RFC 6902. */
export function jsonPatch(target, operations) {
  if (!Array.isArray(operations) || !operations.every(isObject))
    throw badRequest('a JSON patch is a list of operations, which are objects');
  if (operations.length > MAX_OPERATIONS)
    throw new Refusal(
      413,
      'RequestEntityTooLarge',
      `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`,
    );
  const root = { document: structuredClone(target) };
  for (const operation of operations) operate(root, operation);
  return root.document;
}

function operate(root, { op, path, from, value }) {
  switch (op) {
    case 'add':
      return add(root, path, value);
    case 'replace':
      read(root, path);
      if (path !== '') remove(root, path);
      return add(root, path, value);
    case 'remove':
      return void remove(root, path);
    case 'move':
      return add(root, path, remove(root, from));
    case 'copy':
      return add(root, path, structuredClone(read(root, from)));
    case 'test':
      if (!isDeepStrictEqual(read(root, path), value))
        throw notApplied(`testing path ${path} failed, value is not ${JSON.stringify(value)}`);
      return undefined;
    default:
      throw badRequest(`a JSON patch has no operation ${JSON.stringify(op)}`);
  }
}

function stepsOf(pointer) {
  if (typeof pointer !== 'string' || (pointer !== '' && !pointer.startsWith('/')))
    throw badRequest(`a path of a JSON patch begins with "/", got ${JSON.stringify(pointer)}`);
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** What has the last step of a pointer, and that step. */
function placeOf(root, pointer) {
  const steps = ['document', ...stepsOf(pointer)];
  const last = steps.pop();
  let holder = root;
  for (const step of steps) {
    if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, step))
      throw notApplied(`there is nothing at ${pointer}`);
    holder = holder[step];
  }
  if (typeof holder !== 'object' || holder === null || !isPlain(last))
    throw notApplied(`there is nothing at ${pointer}`);
  return { holder, last };
}

function read(root, pointer) {
  const { holder, last } = placeOf(root, pointer);
  if (!Object.hasOwn(holder, last)) throw notApplied(`there is nothing at ${pointer}`);
  return holder[last];
}

function remove(root, pointer) {
  const value = read(root, pointer);
  const { holder, last } = placeOf(root, pointer);
  if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else delete holder[last];
  return value;
}

function add(root, pointer, value) {
  const { holder, last } = placeOf(root, pointer);
  if (!Array.isArray(holder)) {
    holder[last] = value;
    return;
  }
  const at = last === '-' ? holder.length : Number(last);
  if (!Number.isInteger(at) || at < 0 || at > holder.length)
    throw notApplied(`${pointer} is no place of the list`);
  holder.splice(at, 0, value);
}
