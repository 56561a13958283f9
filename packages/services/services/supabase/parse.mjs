import { badQuery } from './rest-errors.mjs';

const MAX_DEPTH = 10;
const MAX_CONDITIONS = 200;

/** Splits at commas that stand in no parentheses, braces or quotes. */
export function splitList(text) {
  const parts = [];
  let [depth, quoted, from] = [0, false, 0];
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (quoted && letter === '\\') at += 1;
    else if (letter === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (letter === '(' || letter === '{' || letter === '[') depth += 1;
    else if (letter === ')' || letter === '}' || letter === ']') depth -= 1;
    else if (letter === ',' && depth === 0) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
    if (depth < 0) throw badQuery(`list (${text})`);
  }
  if (depth !== 0 || quoted) throw badQuery(`list (${text})`);
  const last = text.slice(from);
  return parts.length === 0 && last === '' ? [] : [...parts, last];
}

export function unquote(text) {
  return text.length > 1 && text.startsWith('"') && text.endsWith('"')
    ? text.slice(1, -1).replace(/\\(.)/g, '$1')
    : text;
}

/** What `select` names: columns, and tables with what is selected of them. */
export function parseSelect(text, depth = 0) {
  if (depth > MAX_DEPTH) throw badQuery(`select parameter (${text})`, 'it is nested too deeply');
  return splitList(text.replace(/\s*,\s*/g, ',')).map((part) => parseSelected(part.trim(), depth, text));
}

function parseSelected(part, depth, whole) {
  const embedded = /^(\.\.\.)?(?:([^:()]+):)?([\w$" -]+)((?:![\w$]+)*)\((.*)\)$/s.exec(part);
  if (embedded !== null && embedded[5] === '' && /(^|\.)(count|sum|avg|min|max)$/.test(embedded[3]))
    throw aggregate();
  if (embedded !== null) {
    const [, spread, alias, table, hints, inner] = embedded;
    const given = hints.split('!').filter((hint) => hint !== '');
    return {
      type: 'table',
      table: unquote(table.trim()),
      alias: unquote((alias ?? table).trim()),
      isSpread: spread !== undefined,
      isInner: given.includes('inner'),
      hint: given.find((hint) => hint !== 'inner' && hint !== 'left'),
      select: parseSelect(inner, depth + 1),
    };
  }
  if (/\.(count|sum|avg|min|max)\(\)/.test(part)) throw aggregate();
  if (part === '*') return { type: 'all' };
  const column = /^(?:([^:]+?):(?!:))?([^:]+?)(?:::(\w+))?$/.exec(part);
  if (column === null || part.includes('(')) throw badQuery(`select parameter (${whole})`);
  const [, alias, source, cast] = column;
  const path = parsePath(unquote(source));
  const name = alias ?? (path.steps.length === 0 ? path.column : String(path.steps.at(-1)));
  return { type: 'column', path, name: unquote(name), cast };
}

const aggregate = () =>
  badQuery('select parameter', 'aggregate functions (count, sum, avg, min, max) are not known here');

/** A column, or a place in its JSON: `data->a->>b`. */
export function parsePath(text) {
  const [column, ...steps] = text.split(/->>?/);
  const last = text.lastIndexOf('->');
  return { column, steps, isText: last >= 0 && text.startsWith('->>', last) };
}

/** What a row has at such a place. */
export function valueAt(row, { column, steps, isText }) {
  let value = Object.hasOwn(row, column) ? row[column] : null;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return null;
    value = value[step];
  }
  if (!isText || value === null || typeof value === 'string') return value;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const OPERATORS =
  /^(eq|neq|gt|gte|lt|lte|like|ilike|match|imatch|is|isdistinct|in|cs|cd|ov)(?:\((any|all)\))?\.(.*)$/s;

/** One condition, such as `eq.5`, `not.in.(1,2)` or `like(any).{a*,b*}`. */
export function parseCondition(column, text) {
  const isNot = text.startsWith('not.');
  const found = OPERATORS.exec(isNot ? text.slice(4) : text);
  if (found === null)
    throw badQuery(`filter (${text})`, `unexpected "${text.slice(0, 20)}" expecting operator (eq, gt, ...)`);
  const [, operator, modifier, value] = found;
  return { type: 'condition', path: parsePath(column), isNot, operator, modifier, value };
}

/** A tree of conditions: `or=(a.eq.1,and(b.gt.2,c.is.null))`. */
export function parseTree(kind, text, isNot = false, depth = 0) {
  const inner = /^\((.*)\)$/s.exec(text.trim())?.[1];
  if (inner === undefined || depth > MAX_DEPTH) throw badQuery(`logic tree (${text})`);
  const parts = splitList(inner);
  if (parts.length > MAX_CONDITIONS)
    throw badQuery(`logic tree (${text.slice(0, 40)})`, 'it has too many parts');
  const nodes = parts.map((part) => {
    const nested = /^(not\.)?(and|or)(\(.*\))$/s.exec(part.trim());
    if (nested !== null) return parseTree(nested[2], nested[3], nested[1] !== undefined, depth + 1);
    const split = /^("(?:[^"\\]|\\.)*"|[^.]+)\.(.*)$/s.exec(part.trim());
    if (split === null) throw badQuery(`logic tree (${text})`);
    return parseCondition(unquote(split[1]), split[2]);
  });
  return { type: kind, isNot, nodes };
}

/** `order=a.desc.nullslast,b`. */
export function parseOrder(text) {
  return splitList(text).map((part) => {
    const found = /^(.+?)(?:\.(asc|desc))?(?:\.(nullsfirst|nullslast))?$/.exec(part);
    if (found === null) throw badQuery(`order (${text})`);
    const [, column, direction = 'asc', nulls] = found;
    return {
      path: parsePath(unquote(column)),
      isDown: direction === 'desc',
      // PostgreSQL has null above all other values.
      nullsFirst: nulls === undefined ? direction === 'desc' : nulls === 'nullsfirst',
    };
  });
}
