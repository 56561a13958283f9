import { valueAt } from './conditions.mjs';
import { validation } from './errors.mjs';
import { addNumbers } from './numbers.mjs';
import { checkedValue, typeOf } from './values.mjs';

function invalidPath() {
  return validation('The document path provided in the update expression is invalid for update');
}

/**
 * Changes an item by an update expression. What it reads is the item as it was before.
 *
 * @param keys - the names of the attributes of its key, which cannot change
 */
export function applyUpdate(item, { set, remove, add, delete: removed }, keys) {
  const actions = [...set, ...remove, ...add, ...removed];
  checkPaths(
    actions.map(({ path }) => path),
    keys,
  );
  const next = structuredClone(item);
  const values = set.map(({ path, from }) => [path, evaluate(from, item)]);
  for (const [path, value] of values) putAt(next, path, checkedValue(value));
  for (const { path, value } of add) putAt(next, path, added(valueAt(item, path), checkedValue(value)));
  for (const { path, value } of removed) {
    const left = without(valueAt(item, path), checkedValue(value));
    if (left === undefined) removeAt(next, path);
    else putAt(next, path, left);
  }
  // From the back, so that places in lists stay where they are.
  const order = [...remove].sort((one, other) => comparePaths(other.path, one.path));
  for (const { path } of order) removeAt(next, path);
  return next;
}

function comparePaths(one, other) {
  for (const [index, step] of one.entries()) {
    if (typeof step === 'number' && typeof other[index] === 'number' && step !== other[index])
      return step - other[index];
  }
  return one.length - other.length;
}

function checkPaths(paths, keys) {
  for (const path of paths)
    if (keys.includes(path[0]))
      throw validation(
        `One or more parameter values were invalid: Cannot update attribute ${path[0]}. This attribute is part of the key`,
      );
  for (const [index, one] of paths.entries()) {
    for (const other of paths.slice(index + 1)) {
      const length = Math.min(one.length, other.length);
      if (one.slice(0, length).every((step, at) => step === other[at]))
        throw validation(
          `Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [${one.join(', ')}], path two: [${other.join(', ')}]`,
        );
    }
  }
}

function evaluate(node, item) {
  if (node.op !== undefined) {
    const [left, right] = [evaluate(node.left, item), evaluate(node.right, item)];
    if (left.N === undefined || right.N === undefined)
      throw validation('An operand in the update expression has an incorrect data type');
    return { N: addNumbers(left.N, right.N, node.op === '+' ? 1n : -1n) };
  }
  if (node.call === 'if_not_exists') return valueAt(item, node.args[0].path) ?? evaluate(node.args[1], item);
  if (node.call === 'list_append') {
    const [left, right] = node.args.map((one) => evaluate(one, item));
    if (left.L === undefined || right.L === undefined)
      throw validation('An operand in the update expression has an incorrect data type');
    return { L: [...left.L, ...right.L] };
  }
  if (node.call !== undefined)
    throw validation(`Invalid UpdateExpression: Invalid function name; function: ${node.call}`);
  if (node.path === undefined) return node.value;
  const value = valueAt(item, node.path);
  if (value === undefined)
    throw validation('The provided expression refers to an attribute that does not exist in the item');
  return value;
}

function added(before, value) {
  const type = typeOf(value);
  if (!['N', 'SS', 'NS', 'BS'].includes(type))
    throw validation(
      `Invalid UpdateExpression: Incorrect operand type for operator or function; operator: ADD, operand type: ${type}`,
    );
  if (before === undefined) return value;
  if (typeOf(before) !== type)
    throw validation('An operand in the update expression has an incorrect data type');
  if (type === 'N') return { N: addNumbers(before.N, value.N) };
  return { [type]: [...new Set([...before[type], ...value[type]])] };
}

function without(before, value) {
  const type = typeOf(value);
  if (!['SS', 'NS', 'BS'].includes(type))
    throw validation(
      `Invalid UpdateExpression: Incorrect operand type for operator or function; operator: DELETE, operand type: ${type}`,
    );
  if (before === undefined) return undefined;
  if (typeOf(before) !== type)
    throw validation('An operand in the update expression has an incorrect data type');
  const left = before[type].filter((one) => !value[type].includes(one));
  return left.length === 0 ? undefined : { [type]: left };
}

function parentOf(item, path) {
  return path.length === 1 ? { M: item } : valueAt(item, path.slice(0, -1));
}

function putAt(item, path, value) {
  const parent = parentOf(item, path);
  const last = path.at(-1);
  if (typeof last === 'number') {
    if (parent?.L === undefined) throw invalidPath();
    // Behind the end it is the next one.
    parent.L[Math.min(last, parent.L.length)] = value;
  } else if (parent?.M === undefined) throw invalidPath();
  else Object.defineProperty(parent.M, last, { value, enumerable: true, writable: true, configurable: true });
}

function removeAt(item, path) {
  const parent = parentOf(item, path);
  const last = path.at(-1);
  if (typeof last === 'number') {
    if (parent?.L === undefined) throw invalidPath();
    if (last < parent.L.length) parent.L.splice(last, 1);
  } else if (parent?.M === undefined) throw invalidPath();
  else delete parent.M[last];
}

/** The attributes that an update has named, as they are in an item. */
export function namedParts(item, { set, remove, add, delete: removed }) {
  const made = {};
  for (const { path } of [...set, ...remove, ...add, ...removed]) {
    const value = item === undefined ? undefined : valueAt(item, path);
    if (value === undefined) continue;
    let at = made;
    for (const [index, step] of path.entries()) {
      const name = String(step);
      if (typeof path[index + 1] === 'number' || index === path.length - 1) {
        at[name] = index === path.length - 1 ? value : { L: [value] };
        break;
      }
      at[name] ??= { M: {} };
      at = at[name].M;
    }
  }
  return made;
}
