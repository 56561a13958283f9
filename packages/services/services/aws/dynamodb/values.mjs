import { validation } from './errors.mjs';
import { compareNumbers, normalNumber } from './numbers.mjs';

const TYPES = ['S', 'N', 'B', 'BOOL', 'NULL', 'SS', 'NS', 'BS', 'L', 'M'];
const MAX_DEPTH = 32;
const MAX_ITEM = 400 * 1024;
const BASE64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/;

/** The type of an attribute value, such as `S`. */
export function typeOf(value) {
  return Object.keys(value)[0];
}

/** An attribute value as DynamoDB keeps it. @throws what DynamoDB answers for what is none */
export function checkedValue(value, depth = 0) {
  const names = isObject(value) ? Object.keys(value).filter((name) => value[name] !== undefined) : [];
  if (names.length > 1)
    throw validation(
      'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes',
    );
  const [type] = names;
  if (type === undefined || !TYPES.includes(type))
    throw validation('Supplied AttributeValue is empty, must contain exactly one of the supported datatypes');
  if (depth > MAX_DEPTH)
    throw validation(
      'Nesting Levels have exceeded supported limits: Attributes have more than 32 levels of nesting',
    );
  const inner = value[type];
  const wrong = () =>
    validation(`The value of an attribute of the type ${type} is wrong: ${JSON.stringify(inner)}`);
  switch (type) {
    case 'S':
      if (typeof inner !== 'string') throw wrong();
      return { S: inner };
    case 'N':
      return { N: normalNumber(inner) };
    case 'B':
      if (typeof inner !== 'string' || !BASE64.test(inner)) throw wrong();
      return { B: inner };
    case 'BOOL':
      if (typeof inner !== 'boolean') throw wrong();
      return { BOOL: inner };
    case 'NULL':
      if (inner !== true)
        throw validation(
          'One or more parameter values were invalid: Null attribute value types must have the value of true',
        );
      return { NULL: true };
    case 'L':
      if (!Array.isArray(inner)) throw wrong();
      return { L: inner.map((one) => checkedValue(one, depth + 1)) };
    case 'M':
      if (!isObject(inner)) throw wrong();
      return { M: mapValues(inner, (one) => checkedValue(one, depth + 1)) };
    default: {
      if (!Array.isArray(inner)) throw wrong();
      if (inner.length === 0)
        throw validation(
          `One or more parameter values were invalid: An ${{ SS: 'string', NS: 'number', BS: 'binary' }[type]} set  may not be empty`,
        );
      const list = inner.map((one) => Object.values(checkedValue({ [type[0]]: one }))[0]);
      if (new Set(list).size < list.length)
        throw validation(
          `One or more parameter values were invalid: Input collection ${JSON.stringify(inner)} contains duplicates.`,
        );
      return { [type]: list };
    }
  }
}

/** A whole item. */
export function checkedItem(item) {
  if (!isObject(item)) throw validation('An item must be an object of attribute values');
  const made = mapValues(item, (value) => checkedValue(value));
  if (sizeOf(made) > MAX_ITEM) throw validation('Item size has exceeded the maximum allowed size');
  return made;
}

export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

/** About how many bytes an item has, as DynamoDB counts them. */
export function sizeOf(item) {
  let size = 0;
  for (const [name, value] of Object.entries(item)) size += Buffer.byteLength(name) + valueSize(value);
  return size;
}

function valueSize(value) {
  const type = typeOf(value);
  const inner = value[type];
  switch (type) {
    case 'S':
      return Buffer.byteLength(inner);
    case 'N':
      return Math.ceil(inner.length / 2) + 1;
    case 'B':
      return Math.floor((inner.length * 3) / 4);
    case 'L':
      return inner.reduce((sum, one) => sum + 1 + valueSize(one), 3);
    case 'M':
      return 3 + Object.keys(inner).length + sizeOf(inner);
    case 'SS':
    case 'NS':
    case 'BS':
      return inner.reduce((sum, one) => sum + valueSize({ [type[0]]: one }), 0);
    default:
      return 1;
  }
}

/** Whether two values are the same; the order in sets says nothing. */
export function isSame(one, other) {
  if (one === undefined || other === undefined) return false;
  const type = typeOf(one);
  if (type !== typeOf(other)) return false;
  const [left, right] = [one[type], other[type]];
  switch (type) {
    case 'L':
      return left.length === right.length && left.every((value, index) => isSame(value, right[index]));
    case 'M': {
      const names = Object.keys(left);
      return (
        names.length === Object.keys(right).length &&
        names.every((name) => Object.hasOwn(right, name) && isSame(left[name], right[name]))
      );
    }
    case 'SS':
    case 'NS':
    case 'BS':
      return left.length === right.length && left.every((value) => right.includes(value));
    default:
      return left === right;
  }
}

/** Orders two values of the same type that has an order; `undefined` for others. */
export function compareValues(one, other) {
  const type = typeOf(one);
  if (type !== typeOf(other)) return undefined;
  switch (type) {
    case 'S':
      return Buffer.compare(Buffer.from(one.S), Buffer.from(other.S));
    case 'N':
      return compareNumbers(one.N, other.N);
    case 'B':
      return Buffer.compare(Buffer.from(one.B, 'base64'), Buffer.from(other.B, 'base64'));
    default:
      return undefined;
  }
}

/** A value of JSON as an attribute value; for rows of a configuration. */
export function marshal(value) {
  if (value === null || value === undefined) return { NULL: true };
  if (Array.isArray(value)) return { L: value.map(marshal) };
  switch (typeof value) {
    case 'string':
      return { S: value };
    case 'number':
      return { N: normalNumber(String(value)) };
    case 'boolean':
      return { BOOL: value };
    default:
      return { M: mapValues(value, marshal) };
  }
}
