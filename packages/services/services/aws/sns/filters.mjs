import { AwsError } from '../../../aws/errors.mjs';

const MAX_KEYS = 5;
const MAX_VALUES = 150;

function invalid(message) {
  return new AwsError('InvalidParameter', `Invalid parameter: FilterPolicy: ${message}`);
}

const OPERATORS = ['anything-but', 'prefix', 'suffix', 'equals-ignore-case', 'numeric', 'exists'];

/** A filter policy. @throws what SNS answers for one that is wrong, or that has what is not mocked */
export function parsePolicy(text) {
  let policy;
  try {
    policy = JSON.parse(text);
  } catch {
    // Told below.
  }
  if (typeof policy !== 'object' || policy === null || Array.isArray(policy))
    throw invalid('failed to parse JSON. The policy must be an object');
  if (Object.keys(policy).length > MAX_KEYS)
    throw invalid(`Filter policy can not have more than ${MAX_KEYS} keys`);
  let count = 0;
  const check = (value, name) => {
    if (Array.isArray(value)) {
      if (value.length === 0) throw invalid(`Empty arrays are not allowed: "${name}"`);
      for (const one of value) {
        count += 1;
        if (name === '$or') check(one, '');
        else if (typeof one === 'object' && one !== null) checkCondition(one);
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const [inner, one] of Object.entries(value)) check(one, inner);
    } else throw invalid(`"${name}" must be an object or an array`);
  };
  check(policy, '');
  if (count > MAX_VALUES)
    throw invalid(`Filter policy is too complex: it has more than ${MAX_VALUES} values`);
  return policy;
}

function checkCondition(condition) {
  const [name, ...others] = Object.keys(condition);
  if (others.length > 0 || !OPERATORS.includes(name))
    throw invalid(
      `Unrecognized match type ${String(name)}; those that are mocked are ${OPERATORS.join(', ')}`,
    );
  const value = condition[name];
  if (name === 'numeric' && !(Array.isArray(value) && (value.length === 2 || value.length === 4)))
    throw invalid('Value of numeric must be an array of an operator and a number, or of two of each');
  if (name === 'exists' && typeof value !== 'boolean')
    throw invalid('exists match pattern must be either true or false.');
}

/** Whether the attributes of a message, or its body, fit a policy. */
export function accepts(policy, value) {
  return Object.entries(policy).every(([name, wanted]) => {
    if (name === '$or') return wanted.some((one) => accepts(one, value));
    const inner = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    if (!Array.isArray(wanted)) {
      // A list of objects fits when one of them does.
      return Array.isArray(inner) ? inner.some((one) => accepts(wanted, one)) : accepts(wanted, inner);
    }
    const values = Array.isArray(inner) ? inner : [inner];
    return wanted.some((condition) => values.some((one) => fits(condition, one)));
  });
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fits(condition, value) {
  if (!isObject(condition)) return value === condition;
  const [[name, wanted]] = Object.entries(condition);
  if (name === 'exists') return (value !== undefined) === wanted;
  if (value === undefined) return false;
  switch (name) {
    case 'prefix':
      return typeof value === 'string' && value.startsWith(wanted);
    case 'suffix':
      return typeof value === 'string' && value.endsWith(wanted);
    case 'equals-ignore-case':
      return typeof value === 'string' && value.toLowerCase() === String(wanted).toLowerCase();
    case 'anything-but': {
      const list = Array.isArray(wanted) ? wanted : [wanted];
      return !list.some((one) => fits(one, value));
    }
    default:
      return typeof value === 'number' && isWithin(value, wanted);
  }
}

function isWithin(value, [sign, limit, ...rest]) {
  const holds = {
    '=': value === limit,
    '<': value < limit,
    '<=': value <= limit,
    '>': value > limit,
    '>=': value >= limit,
  };
  return holds[sign] === true && (rest.length === 0 || isWithin(value, rest));
}
