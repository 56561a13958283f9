import { isDeepStrictEqual } from 'node:util';
import { isObject, isSet, mergeKeyOf } from './patch.mjs';

/** What the server gives to an object: it is nobody's. */
const SERVERS = new Set([
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
]);

/** What the lists of an object are merged by; those of custom objects are replaced as wholes. */
const keyOf = (name, list, isCustom) => (isCustom ? undefined : mergeKeyOf(name, list));

/** The fields of an object that are told apart, by their paths in the way of `fieldsV1`. */
export function leavesOf(object, isCustom) {
  const leaves = new Map();
  const { apiVersion: _apiVersion, kind: _kind, metadata = {}, ...rest } = object;
  const own = Object.fromEntries(Object.entries(metadata).filter(([name]) => !SERVERS.has(name)));
  walk({ ...rest, ...(Object.keys(own).length > 0 ? { metadata: own } : {}) }, []);
  return leaves;

  function walk(value, path, name) {
    if (isObject(value) && Object.keys(value).length > 0) {
      for (const [each, inner] of Object.entries(value)) walk(inner, [...path, `f:${each}`], each);
    } else if (Array.isArray(value) && value.length > 0 && isSet(name)) {
      for (const one of value) leaves.set(JSON.stringify([...path, `v:${JSON.stringify(one)}`]), one);
    } else if (Array.isArray(value) && keyOf(name, value, isCustom) !== undefined) {
      const key = keyOf(name, value, isCustom);
      for (const one of value) walk(one, [...path, `k:${JSON.stringify({ [key]: one[key] })}`]);
    } else leaves.set(JSON.stringify(path), value);
  }
}

function treeOf(paths) {
  const tree = {};
  for (const path of paths) {
    let at = tree;
    for (const step of JSON.parse(path)) at = at[step] ??= {};
  }
  return tree;
}

function pathsOf(tree) {
  const paths = [];
  const walk = (at, path) => {
    const steps = Object.keys(at ?? {}).filter((step) => step !== '.');
    if (steps.length === 0 && path.length > 0) paths.push(JSON.stringify(path));
    for (const step of steps) walk(at[step], [...path, step]);
  };
  walk(tree, []);
  return paths;
}

const isSame = (entry, manager) =>
  entry.manager === manager.name &&
  entry.operation === manager.operation &&
  (entry.subresource ?? '') === (manager.subresource ?? '');

const managersOf = (object) =>
  (object.metadata.managedFields ?? []).map((entry) => ({
    ...entry,
    paths: new Set(pathsOf(entry.fieldsV1)),
  }));

function entriesOf(managers) {
  return managers
    .filter(({ paths }) => paths.size > 0)
    .map(({ paths, ...entry }) => ({ ...entry, fieldsType: 'FieldsV1', fieldsV1: treeOf(paths) }));
}

function entryFor(managers, manager, { apiVersion }) {
  const found = managers.find((entry) => isSame(entry, manager));
  if (found !== undefined) return found;
  const made = {
    manager: manager.name,
    operation: manager.operation,
    apiVersion,
    ...(manager.subresource === undefined ? {} : { subresource: manager.subresource }),
    time: manager.time,
    paths: new Set(),
  };
  managers.push(made);
  return made;
}

/** Whoever changes a field has it from then on. */
export function noteChange(before, after, manager, isCustom) {
  const [old, now] = [
    before === undefined ? new Map() : leavesOf(before, isCustom),
    leavesOf(after, isCustom),
  ];
  const changed = [...now].filter(([path, value]) => !isDeepStrictEqual(old.get(path), value));
  const managers = managersOf(before ?? after);
  for (const { paths } of managers) for (const path of paths) if (!now.has(path)) paths.delete(path);
  if (changed.length > 0) {
    const entry = entryFor(managers, manager, after);
    entry.time = manager.time;
    for (const { paths } of managers) for (const [path] of changed) paths.delete(path);
    for (const [path] of changed) entry.paths.add(path);
  }
  return { ...after, metadata: { ...after.metadata, managedFields: entriesOf(managers) } };
}

/**
 * What an object becomes when somebody applies what they want of it.
 *
 * @returns the object, or the fields that others have, with who has them
 */
export function applyFields(current, wanted, manager, { force, isCustom }) {
  const [now, leaves] = [leavesOf(current, isCustom), leavesOf(wanted, isCustom)];
  const managers = managersOf(current);
  const mine = entryFor(managers, manager, wanted);
  const conflicts = [];
  for (const [path, value] of leaves) {
    if (!now.has(path) || isDeepStrictEqual(now.get(path), value)) continue;
    for (const other of managers)
      if (other !== mine && other.paths.has(path)) conflicts.push({ path, manager: other.manager });
  }
  if (conflicts.length > 0 && !force)
    return { conflicts: conflicts.map(({ path, manager: name }) => ({ manager: name, field: shown(path) })) };
  for (const { path } of conflicts)
    for (const other of managers) if (other !== mine) other.paths.delete(path);
  const left = [...mine.paths].filter(
    (path) => !leaves.has(path) && !managers.some((one) => one !== mine && one.paths.has(path)),
  );
  const { apiVersion: _apiVersion, kind: _kind, metadata = {}, ...rest } = wanted;
  const { managedFields: _managed, resourceVersion: _version, ...own } = metadata;
  let object = merge(current, { ...rest, metadata: own }, isCustom);
  for (const path of left) object = without(object, JSON.parse(path));
  const changed = mine.paths.size !== leaves.size || [...leaves.keys()].some((path) => !mine.paths.has(path));
  mine.paths = new Set(leaves.keys());
  if (changed || !isDeepStrictEqual(object, current)) mine.time = manager.time;
  return { object: { ...object, metadata: { ...object.metadata, managedFields: entriesOf(managers) } } };
}

/** A path for people: `.spec.containers[name="web"].image`. */
function shown(path) {
  return JSON.parse(path)
    .map((step) => {
      if (step.startsWith('f:')) return `.${step.slice(2)}`;
      if (step.startsWith('v:')) return `[=${step.slice(2)}]`;
      const [[name, value]] = Object.entries(JSON.parse(step.slice(2)));
      return `[${name}=${JSON.stringify(value)}]`;
    })
    .join('');
}

function merge(before, value, isCustom, name) {
  if (isObject(value) && isObject(before)) {
    const result = { ...before };
    for (const [each, inner] of Object.entries(value))
      if (each !== '__proto__') result[each] = merge(before[each], inner, isCustom, each);
    return result;
  }
  if (!Array.isArray(value) || !Array.isArray(before)) return value;
  if (isSet(name)) return [...new Set([...before, ...value])];
  const key = keyOf(name, value, isCustom);
  if (key === undefined || keyOf(name, before, isCustom) !== key) return value;
  const result = [...before];
  for (const one of value) {
    const at = result.findIndex((each) => each[key] === one[key]);
    if (at < 0) result.push(one);
    else result[at] = merge(result[at], one, isCustom);
  }
  return result;
}

/** A value without what stands at a path; what holds nothing any more goes as well. */
function without(value, [step, ...rest]) {
  const kind = step.slice(0, 2);
  if (kind === 'f:') {
    const name = step.slice(2);
    if (!isObject(value) || !Object.hasOwn(value, name)) return value;
    const { [name]: inner, ...others } = value;
    const left = rest.length === 0 ? undefined : without(inner, rest);
    return left === undefined || (typeof left === 'object' && left !== null && Object.keys(left).length === 0)
      ? others
      : { ...value, [name]: left };
  }
  if (!Array.isArray(value)) return value;
  const wanted = JSON.parse(step.slice(2));
  if (kind === 'v:') return value.filter((one) => one !== wanted);
  const [[key, is]] = Object.entries(wanted);
  return value.flatMap((one) => {
    if (one?.[key] !== is) return [one];
    const left = without(one, rest);
    return Object.keys(left).length === 0 ? [] : [left];
  });
}
