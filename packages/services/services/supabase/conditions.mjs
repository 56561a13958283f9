import { splitList, unquote, valueAt } from './parse.mjs';
import { badQuery, invalidInput } from './rest-errors.mjs';

const MAX_TEXT = 10_000;

/** Patterns are made once for all rows of a table. */
const patterns = new Map();
const MAX_PATTERNS = 100;

function once(key, make) {
  const known = patterns.get(key);
  if (known !== undefined) return known;
  if (patterns.size >= MAX_PATTERNS) patterns.clear();
  const made = make();
  patterns.set(key, made);
  return made;
}

function toPattern(text, flags) {
  const source = text
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/[*%]+/g, '[^]*')
    .replaceAll('_', '[^]');
  return new RegExp(`^${source}$`, flags);
}

function toRegex(text, flags) {
  try {
    return new RegExp(text, flags);
  } catch {
    throw badQuery(`filter (${text})`, 'invalid regular expression');
  }
}

const textOf = (value) =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);

/** How a value stands to the text of a condition: as a number where it is one. */
function compare(value, text) {
  if (typeof value === 'number') {
    const number = Number(text);
    if (text.trim() === '' || Number.isNaN(number)) throw invalidInput('bigint', text);
    return value - number;
  }
  const [one, other] = [textOf(value), text];
  if (/^\d{4}-\d\d-\d\d/.test(one) && /^\d{4}-\d\d-\d\d/.test(other)) {
    const difference = Date.parse(one) - Date.parse(other);
    if (!Number.isNaN(difference)) return difference;
  }
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The values of a list: `(a,"b,c")`, `{a,b}`, or a JSON array. */
function listOf(text) {
  const json = parseJson(text);
  if (Array.isArray(json)) return json.map(textOf);
  const inner = /^[({](.*)[)}]$/s.exec(text)?.[1];
  if (inner === undefined) throw badQuery(`filter (${text})`, 'a list stands in parentheses');
  return splitList(inner).map(unquote);
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether JSON holds all of other JSON, as the operator @> has it. */
function holds(value, wanted) {
  if (Array.isArray(wanted))
    return Array.isArray(value) && wanted.every((one) => value.some((each) => holds(each, one)));
  if (typeof wanted === 'object' && wanted !== null)
    return (
      typeof value === 'object' &&
      value !== null &&
      Object.entries(wanted).every(([name, one]) => Object.hasOwn(value, name) && holds(value[name], one))
    );
  return value === wanted;
}

function containsAll(value, text) {
  const json = parseJson(text);
  if (json !== undefined && !/^\{[^":]*\}$/.test(text)) return holds(value, json);
  return Array.isArray(value) && listOf(text).every((one) => value.map(textOf).includes(one));
}

const IS = {
  null: (value) => value === null,
  not_null: (value) => value !== null,
  true: (value) => value === true,
  false: (value) => value === false,
  unknown: (value) => value === null,
};

/** What one operator says; `null` where it says nothing, as SQL has it. */
function testOne(operator, value, text) {
  if (operator === 'is') {
    const name = text.toLowerCase();
    if (!Object.hasOwn(IS, name))
      throw badQuery(`filter (is.${text})`, 'is takes null, true, false or unknown');
    return IS[name](value);
  }
  if (operator === 'isdistinct') return value === null || compare(value, unquote(text)) !== 0;
  if (value === null) return null;
  const short = () => textOf(value).slice(0, MAX_TEXT);
  switch (operator) {
    case 'eq':
      return compare(value, text) === 0;
    case 'neq':
      return compare(value, text) !== 0;
    case 'gt':
      return compare(value, text) > 0;
    case 'gte':
      return compare(value, text) >= 0;
    case 'lt':
      return compare(value, text) < 0;
    case 'lte':
      return compare(value, text) <= 0;
    case 'like':
      return once(`like ${text}`, () => toPattern(text, '')).test(short());
    case 'ilike':
      return once(`ilike ${text}`, () => toPattern(text, 'i')).test(short());
    case 'match':
      return once(`match ${text}`, () => toRegex(text, '')).test(short());
    case 'imatch':
      return once(`imatch ${text}`, () => toRegex(text, 'i')).test(short());
    case 'in':
      return listOf(text).some((one) => compare(value, one) === 0);
    case 'cs':
      return containsAll(value, text);
    case 'cd': {
      const all = listOf(text);
      return Array.isArray(value) && value.every((one) => all.includes(textOf(one)));
    }
    default: {
      const all = listOf(text);
      return Array.isArray(value) && value.some((one) => all.includes(textOf(one)));
    }
  }
}

/** Whether a row is as a condition or a tree of them says: true, false, or `null` for neither. */
export function test(node, row) {
  const result = node.type === 'condition' ? testCondition(node, row) : testTree(node, row);
  return result === null || !node.isNot ? result : !result;
}

function testCondition({ path, operator, modifier, value: text }, row) {
  const value = valueAt(row, path);
  if (modifier === undefined) return testOne(operator, value, text);
  const results = listOf(text).map((one) => testOne(operator, value, one));
  return modifier === 'any' ? results.includes(true) : results.every((result) => result === true);
}

function testTree({ type, nodes }, row) {
  const results = nodes.map((node) => test(node, row));
  if (type === 'or') return results.includes(true) ? true : results.includes(null) ? null : false;
  return results.includes(false) ? false : results.includes(null) ? null : true;
}

/** Compares rows by several columns. */
export function compareBy(order) {
  return (a, b) => {
    for (const { path, isDown, nullsFirst } of order) {
      const [one, other] = [valueAt(a, path), valueAt(b, path)];
      if (one === null && other === null) continue;
      if (one === null || other === null) return (one === null) === nullsFirst ? -1 : 1;
      const difference = compare(one, typeof other === 'number' ? String(other) : textOf(other));
      if (difference !== 0) return isDown ? -difference : difference;
    }
    return 0;
  };
}
