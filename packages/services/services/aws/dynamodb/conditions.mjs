import { validation } from './errors.mjs';
import { compareValues, isSame, typeOf } from './values.mjs';

/** What is at a path of an item. */
export function valueAt(item, path) {
  let value = { M: item };
  for (const step of path) {
    const type = value === undefined ? undefined : typeOf(value);
    if (typeof step === 'number') value = type === 'L' ? value.L[step] : undefined;
    else value = type === 'M' && Object.hasOwn(value.M, step) ? value.M[step] : undefined;
    if (value === undefined) return undefined;
  }
  return value;
}

function operandOf(operand, item) {
  if (operand.path !== undefined) return valueAt(item, operand.path);
  if (operand.call === 'size') {
    const size = lengthOf(valueAt(item, operand.args[0].path));
    return size === undefined ? undefined : { N: String(size) };
  }
  if (operand.call !== undefined)
    throw validation(
      `Invalid ConditionExpression: The function is not allowed to be used this way in an expression; function: ${operand.call}`,
    );
  return operand.value;
}

function lengthOf(value) {
  if (value === undefined) return undefined;
  const type = typeOf(value);
  switch (type) {
    case 'S':
      return value.S.length;
    case 'B':
      return Buffer.from(value.B, 'base64').length;
    case 'M':
      return Object.keys(value.M).length;
    default:
      return Array.isArray(value[type]) ? value[type].length : undefined;
  }
}

/** Whether a condition holds for an item; one that is not there is empty. */
export function holds(node, item) {
  const value = (operand) => operandOf(operand, item);
  switch (node.op) {
    case 'and':
      return node.of.every((one) => holds(one, item));
    case 'or':
      return node.of.some((one) => holds(one, item));
    case 'not':
      return !holds(node.of, item);
    case '=':
      return isSame(value(node.left), value(node.right));
    case '<>':
      return !isSame(value(node.left), value(node.right));
    case 'between':
      return (
        isOrdered(value(node.left), value(node.low), '>=') &&
        isOrdered(value(node.left), value(node.high), '<=')
      );
    case 'in': {
      const left = value(node.left);
      return node.list.some((one) => isSame(left, value(one)));
    }
    case 'attribute_exists':
      return value(node.args[0]) !== undefined;
    case 'attribute_not_exists':
      return value(node.args[0]) === undefined;
    case 'attribute_type': {
      const found = value(node.args[0]);
      const wanted = value(node.args[1])?.S;
      return found !== undefined && typeOf(found) === wanted;
    }
    case 'begins_with':
      return beginsWith(value(node.args[0]), value(node.args[1]));
    case 'contains':
      return contains(value(node.args[0]), value(node.args[1]));
    default:
      return isOrdered(value(node.left), value(node.right), node.op);
  }
}

function isOrdered(left, right, sign) {
  if (left === undefined || right === undefined) return false;
  const order = compareValues(left, right);
  if (order === undefined) return false;
  switch (sign) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    default:
      return order >= 0;
  }
}

function beginsWith(value, start) {
  if (value === undefined || start === undefined) return false;
  if (value.S !== undefined && start.S !== undefined) return value.S.startsWith(start.S);
  if (value.B === undefined || start.B === undefined) return false;
  const bytes = Buffer.from(start.B, 'base64');
  return Buffer.from(value.B, 'base64').subarray(0, bytes.length).equals(bytes);
}

function contains(value, wanted) {
  if (value === undefined || wanted === undefined) return false;
  const type = typeOf(value);
  if (type === 'S') return wanted.S !== undefined && value.S.includes(wanted.S);
  if (type === 'L') return value.L.some((one) => isSame(one, wanted));
  if (type === 'B')
    return wanted.B !== undefined && Buffer.from(value.B, 'base64').includes(Buffer.from(wanted.B, 'base64'));
  return ['SS', 'NS', 'BS'].includes(type) && value[type].includes(wanted[type[0]]);
}

/** What a projection leaves of an item. */
export function project(item, paths) {
  if (paths === undefined) return item;
  const made = {};
  const lists = new Map();
  for (const path of paths) {
    const value = valueAt(item, path);
    if (value !== undefined) place(made, path, value, lists);
  }
  // Elements of lists close up.
  for (const list of lists.values()) list.L = list.L.filter((one) => one !== undefined);
  return made;
}

function place(made, path, value, lists) {
  let at = made;
  for (const [index, step] of path.entries()) {
    if (index === path.length - 1) {
      at[step] = value;
      return;
    }
    const key = path.slice(0, index + 1).join('\u0000');
    const isList = typeof path[index + 1] === 'number';
    at[step] ??= isList ? { L: [] } : { M: {} };
    if (isList) lists.set(key, at[step]);
    at = isList ? at[step].L : at[step].M;
  }
}
