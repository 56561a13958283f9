import { unparsed } from './errors.mjs';

const TOKEN =
  /\s*(?:([()])|(AND|OR|NOT|&&|\|\|)(?=[\s(]|$)|([+!-]?)(?:([\w.@*-]+):)?(?:"((?:[^"\\]|\\.)*)"(?:~(\d+))?|([[{])([^\]}]*)([\]}])|(>=|<=|>|<)([^\s()]+)|(\()|([^\s()":]+)))/y;
const MAX_DEPTH = 20;

/**
 * Reads a query as people write it, such as `name:tea AND (price:[5 TO 10] OR "green tea") -old`, into other queries.
 *
 * @param options.isSimple - `|` and `+` in place of OR and AND, and nothing that cannot be read
 */
export function parseQueryString({
  query,
  default_field: field,
  fields = [field ?? '*'],
  default_operator: usual = 'OR',
  isSimple = false,
}) {
  if (typeof query !== 'string') throw unparsed('[query_string] must be provided with a [query]');
  const text = isSimple ? query.replaceAll(/\s\|\s/g, ' OR ').replaceAll(/\s\+\s/g, ' AND ') : query;
  TOKEN.lastIndex = 0;
  let at = 0;
  const fail = () => unparsed(`Failed to parse query [${query}]`);
  const next = () => {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (found !== null) return found;
    if (text.slice(at).trim() === '') return undefined;
    if (!isSimple) throw fail();
    at += 1;
    return next();
  };
  const group = (depth, within) => {
    if (depth > MAX_DEPTH) throw fail();
    const [must, should, not] = [[], [], []];
    let joined = usual.toUpperCase();
    let isNot = false;
    let last;
    for (;;) {
      const found = next();
      if (found === undefined || found[1] === ')') {
        if ((found === undefined) !== (depth === 0) && !isSimple) throw fail();
        if (found !== undefined) at = TOKEN.lastIndex;
        break;
      }
      at = TOKEN.lastIndex;
      const [, bracket, word, sign, path, quoted, slop, open, inside, close, compare, bound, paren, plain] =
        found;
      if (word === 'NOT') {
        isNot = true;
        continue;
      }
      if (word !== undefined) {
        joined = word === 'AND' || word === '&&' ? 'AND' : 'OR';
        // `a AND b` makes both necessary.
        if (joined === 'AND' && last !== undefined && should.at(-1) === last) must.push(should.pop());
        continue;
      }
      const where = path === undefined ? within : [path];
      const one =
        bracket === '(' || paren === '('
          ? group(depth + 1, where)
          : clause(where, { quoted, slop, open, inside, close, compare, bound, plain }, fail);
      if (isNot || sign === '-' || sign === '!') not.push(one);
      else if (joined === 'AND' || sign === '+') must.push(one);
      else should.push(one);
      last = one;
      isNot = false;
      joined = usual.toUpperCase();
    }
    const isOnly = must.length + not.length === 0 && should.length === 1;
    if (isOnly) return should[0];
    if (must.length + not.length + should.length === 0) return { match_none: {} };
    return {
      bool: {
        must: not.length > 0 && must.length + should.length === 0 ? [{ match_all: {} }] : must,
        should,
        must_not: not,
      },
    };
  };
  return group(0, fields);
}

function clause(fields, { quoted, slop, open, inside, close, compare, bound, plain }, fail) {
  const [path] = fields;
  if (open !== undefined) {
    const [, low, high] = /^\s*(\S+)\s+TO\s+(\S+)\s*$/.exec(inside) ?? [];
    if (low === undefined) throw fail();
    return {
      range: {
        [path]: {
          ...(low !== '*' && { [open === '[' ? 'gte' : 'gt']: low }),
          ...(high !== '*' && { [close === ']' ? 'lte' : 'lt']: high }),
        },
      },
    };
  }
  if (compare !== undefined)
    return { range: { [path]: { [{ '>': 'gt', '>=': 'gte', '<': 'lt', '<=': 'lte' }[compare]]: bound } } };
  if (quoted !== undefined)
    return {
      multi_match: {
        query: quoted.replaceAll(/\\(.)/g, '$1'),
        fields,
        type: 'phrase',
        slop: Number(slop ?? 0),
      },
    };
  if (path === '_exists_') return { exists: { field: plain } };
  if (plain === '*') return path === '*' ? { match_all: {} } : { exists: { field: path } };
  const [, word, mark, number] = /^(.*?)([~^])([\d.]*)$/.exec(plain) ?? [undefined, plain];
  const text = word.replaceAll(/\\(.)/g, '$1');
  if (/[*?]/.test(text) && path !== '*')
    return {
      bool: {
        should: fields.map((one) => ({
          wildcard: { [one.split('^')[0]]: { value: text, case_insensitive: true } },
        })),
      },
    };
  if (text.endsWith('*')) return { multi_match: { query: text.slice(0, -1), fields, type: 'bool_prefix' } };
  return {
    multi_match: { query: text, fields, ...(mark === '~' && { fuzziness: number === '' ? 'AUTO' : number }) },
  };
}
