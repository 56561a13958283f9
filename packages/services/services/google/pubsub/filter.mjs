import { invalid } from './errors.mjs';

const TOKEN = /\s*(?:([A-Za-z_][\w-]*)|("(?:[^"\\]|\\.)*")|(!=|[():=,.-]))/y;
const MAX_LENGTH = 256;
const MAX_DEPTH = 32;

function tokensOf(text) {
  const found = [];
  TOKEN.lastIndex = 0;
  const end = text.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (match === null) throw invalid(`Invalid filter: at position ${at + 1} of "${text}".`);
    found.push(match[1] ?? match[2] ?? match[3]);
  }
  return found;
}

/**
 * Compiles a filter: `attributes:NAME`, `attributes.NAME = "..."`, `!=`, `hasPrefix(attributes.NAME, "...")`, `AND`, `OR`, `NOT` and
 * parentheses.
 *
 * @returns whether the attributes of a message pass
 * @throws PubsubError what no filter is
 */
export function compileFilter(text) {
  if (text.length > MAX_LENGTH) throw invalid(`Invalid filter: it has more than ${MAX_LENGTH} characters.`);
  const tokens = tokensOf(text);
  let at = 0;
  const fail = (wanted) =>
    invalid(`Invalid filter: "${text}" has "${tokens[at] ?? 'its end'}" where ${wanted} would be right.`);
  const accepts = (token) => tokens[at] === token && ((at += 1), true);
  const expect = (token) => {
    if (!accepts(token)) throw fail(`"${token}"`);
  };
  const string = () => {
    if (!tokens[at]?.startsWith('"')) throw fail('a text in quotes');
    return tokens[at++].slice(1, -1).replaceAll(/\\(.)/g, '$1');
  };
  const name = () => {
    if (tokens[at]?.startsWith('"')) return string();
    if (!/^[A-Za-z_]/.test(tokens[at] ?? '')) throw fail('the name of an attribute');
    return tokens[at++];
  };
  const has = (attributes, key) => Object.hasOwn(attributes, key);

  const comparison = () => {
    if (accepts('hasPrefix')) {
      expect('(');
      expect('attributes');
      expect('.');
      const key = name();
      expect(',');
      const prefix = string();
      expect(')');
      return (attributes) => has(attributes, key) && attributes[key].startsWith(prefix);
    }
    expect('attributes');
    if (accepts(':')) {
      const key = name();
      return (attributes) => has(attributes, key);
    }
    expect('.');
    const key = name();
    if (accepts('!=')) {
      const value = string();
      return (attributes) => attributes[key] !== value || !has(attributes, key);
    }
    expect('=');
    const value = string();
    return (attributes) => has(attributes, key) && attributes[key] === value;
  };
  const term = (depth) => {
    if (depth > MAX_DEPTH) throw invalid(`Invalid filter: it is nested deeper than ${MAX_DEPTH}.`);
    if (accepts('NOT') || accepts('-')) {
      const inner = term(depth + 1);
      return (attributes) => !inner(attributes);
    }
    if (!accepts('(')) return comparison();
    const inner = expression(depth + 1);
    expect(')');
    return inner;
  };
  const expression = (depth) => {
    const parts = [term(depth)];
    const operator = tokens[at];
    if (operator !== 'AND' && operator !== 'OR') return parts[0];
    while (accepts(operator)) parts.push(term(depth));
    // They are never mixed without parentheses.
    if (tokens[at] === 'AND' || tokens[at] === 'OR') throw fail('a parenthesis around one of AND and OR');
    return operator === 'AND'
      ? (attributes) => parts.every((one) => one(attributes))
      : (attributes) => parts.some((one) => one(attributes));
  };
  const passes = expression(0);
  if (at < tokens.length) throw fail('the end');
  return passes;
}
