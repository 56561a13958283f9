import { invalid } from './api.mjs';

const TOKEN = /\s*(?:([()])|(<=|>=|!=|<|>|=|:)|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s()<>=!:]+))/y;
const MAX_DEPTH = 50;

function tokensOf(text) {
  const tokens = [];
  const source = text.trim();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(source);
    if (found === null) throw invalid(`filters: Unexpected token(${source.slice(at, at + 10)}) at col ${at}`);
    const [, bracket, operator, double, single, word] = found;
    const quoted = double ?? single;
    if (quoted !== undefined) tokens.push({ text: quoted.replaceAll(/\\(.)/g, '$1'), quoted: true });
    else tokens.push({ text: bracket ?? operator ?? word, sign: word === undefined });
  }
  return tokens;
}

/**
 * Reads `filters`, such as `category:Tea AND (price < 10 OR NOT _tags:"on sale")`.
 *
 * @returns whether an object passes, when it is called with a way to find what an object has of an attribute
 */
export function parseFilters(text) {
  const tokens = tokensOf(text);
  let at = 0;
  const isWord = (word) => tokens[at]?.quoted !== true && tokens[at]?.text === word;
  const take = () => {
    const token = tokens[at];
    if (token === undefined) throw invalid('filters: Unexpected end of filter');
    at += 1;
    return token;
  };
  const either = (depth) => {
    const parts = [both(depth)];
    while (isWord('OR')) {
      at += 1;
      parts.push(both(depth));
    }
    return parts.length === 1 ? parts[0] : (object, has) => parts.some((part) => part(object, has));
  };
  const both = (depth) => {
    const parts = [one(depth)];
    while (isWord('AND')) {
      at += 1;
      parts.push(one(depth));
    }
    return parts.length === 1 ? parts[0] : (object, has) => parts.every((part) => part(object, has));
  };
  const one = (depth) => {
    if (depth > MAX_DEPTH) throw invalid('filters: too many parentheses');
    if (isWord('NOT')) {
      at += 1;
      const inner = one(depth + 1);
      return (object, has) => !inner(object, has);
    }
    if (isWord('(')) {
      at += 1;
      const inner = either(depth + 1);
      if (!isWord(')')) throw invalid('filters: a parenthesis is not closed');
      at += 1;
      return inner;
    }
    const name = take();
    if (name.sign) throw invalid(`filters: Unexpected token(${name.text})`);
    const sign = tokens[at]?.sign === true && !isWord(')') && !isWord('(') ? take().text : undefined;
    // A value alone is a tag.
    if (sign === undefined) return facet('_tags', name.text);
    const value = take();
    if (sign !== ':') return compare(name.text, sign, numberOf(value.text));
    if (isWord('TO')) {
      at += 1;
      const [low, high] = [numberOf(value.text), numberOf(take().text)];
      return (object, has) => has(object, name.text, true).some((own) => own >= low && own <= high);
    }
    return facet(name.text, value.text.replace(/<score=\d+>$/, ''));
  };
  if (tokens.length === 0) return () => true;
  const test = either(0);
  if (at < tokens.length)
    throw invalid(`filters: Unexpected token(${tokens[at].text}) expected end of filter`);
  return test;
}

function numberOf(text) {
  const number = Number(text);
  if (text === '' || Number.isNaN(number)) throw invalid(`filters: not a number: ${text}`);
  return number;
}

const SIGNS = {
  '=': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

function compare(name, sign, value) {
  return (object, has) =>
    has(object, name, true).some((own) => typeof own === 'number' && SIGNS[sign](own, value));
}

function facet(name, value) {
  const wanted = value.toLowerCase();
  return (object, has) => has(object, name, false).some((own) => String(own).toLowerCase() === wanted);
}

/** A list of facets as `facetFilters` has them: all must pass, and one of each inner list. */
export function listFilters(value, name, make) {
  if (value === undefined) return () => true;
  const list = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(list)) throw invalid(`${name}: must be an array or a text`);
  const parts = list.map((part) => {
    const any = (Array.isArray(part) ? part : [part]).map((text) => {
      if (typeof text !== 'string') throw invalid(`${name}: must hold texts`);
      return make(text);
    });
    return (object, has) => any.length === 0 || any.some((test) => test(object, has));
  });
  return (object, has) => parts.every((part) => part(object, has));
}

export function facetOf(text) {
  const colon = text.indexOf(':');
  if (colon < 0) throw invalid(`facetFilters: ${text} is not attribute:value`);
  const value = text.slice(colon + 1);
  const test = facet(
    text.slice(0, colon),
    value.replace(/^\\?-/, (sign) => (sign === '\\-' ? '-' : '')),
  );
  return value.startsWith('-') ? (object, has) => !test(object, has) : test;
}

export const numericOf = (text) => parseFilters(text);
export const tagOf = (text) =>
  text.startsWith('-') ? (object, has) => !facet('_tags', text.slice(1))(object, has) : facet('_tags', text);

/** What an object has at a place such as `brand.name`, as a list. */
export function valuesOf(object, path) {
  let found = [object];
  for (const name of path.split('.'))
    found = found
      .flatMap((one) =>
        typeof one === 'object' && one !== null && Object.hasOwn(one, name) ? one[name] : [],
      )
      .flat();
  return found.filter((one) => one !== null && typeof one !== 'object');
}
