import { boundReader } from './date-formats.mjs';
import { dateOf } from './dates.mjs';
import { illegal, unparsed } from './errors.mjs';
import { analyze, comparable, fieldOf, isText, valuesOf } from './mappings.mjs';
import { parseQueryString } from './query-string.mjs';

const MAX_DEPTH = 30;
const MAX_CLAUSES = 1024;

/**
 * A query that was read. `score` of a document is a number, or `undefined` when it does not match. `words` collects what
 * highlights mark, by field.
 */
export class Query {
  /** Fields whose words are counted, before documents are asked. */
  fields = new Set();
  words = new Map();
  #stats = new Map();
  #clauses = 0;

  constructor(query, { mappingsOf, now }) {
    this.mappingsOf = mappingsOf;
    this.now = now;
    this.score = this.#read(query ?? { match_all: {} }, 0);
  }

  /** Counts the words of a document, for the scores of all. */
  count(doc) {
    for (const path of this.fields) {
      const tokens = tokensOf(doc, path);
      let stats = this.#stats.get(path);
      if (stats === undefined) this.#stats.set(path, (stats = { docs: 0, length: 0, in: new Map() }));
      if (tokens.length === 0) continue;
      stats.docs += 1;
      stats.length += tokens.length;
      for (const word of new Set(tokens)) stats.in.set(word, (stats.in.get(word) ?? 0) + 1);
    }
  }

  #weigh(doc, path, word) {
    const tokens = tokensOf(doc, path);
    let frequency = 0;
    for (const token of tokens) if (token === word) frequency += 1;
    if (frequency === 0) return undefined;
    const {
      docs,
      length,
      in: counts,
    } = this.#stats.get(path) ?? { docs: 1, length: tokens.length, in: new Map() };
    const found = counts.get(word) ?? 1;
    const rare = Math.log(1 + (docs - found + 0.5) / (found + 0.5));
    return (rare * frequency * 2.2) / (frequency + 1.2 * (0.25 + (0.75 * tokens.length) / (length / docs)));
  }

  field(doc, path) {
    return fieldOf(this.mappingsOf(doc.index), path);
  }

  #read(query, depth) {
    this.#clauses += 1;
    if (depth > MAX_DEPTH || this.#clauses > MAX_CLAUSES)
      throw illegal(`too many clauses: at most ${MAX_CLAUSES}, ${MAX_DEPTH} levels deep`);
    if (typeof query !== 'object' || query === null || Array.isArray(query))
      throw unparsed('query malformed, must be an object');
    const names = Object.keys(query);
    if (names.length === 0) throw illegal('query malformed, empty clause found');
    if (names.length > 1)
      throw unparsed(`[${names[0]}] malformed query, expected [END_OBJECT] but found [FIELD_NAME]`);
    const [name] = names;
    const make = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
    if (make === undefined)
      throw unparsed(
        `unknown query [${name}]; the service elasticsearch knows ${Object.keys(KINDS).join(', ')}`,
      );
    const inner = query[name];
    if (typeof inner !== 'object' || inner === null)
      throw unparsed(`[${name}] query malformed, no start_object after query name`);
    const score = make(inner, {
      query: this,
      read: (one) => this.#read(one, depth + 1),
      words: (path, text, options) => this.#words(path, text, options),
      phrase: (path, text, options) => this.#phrase(path, text, options),
    });
    const boost = typeof inner.boost === 'number' ? inner.boost : 1;
    return boost === 1 ? score : (doc) => scaled(score(doc), boost);
  }

  /** Words of which one or all must be in a field. */
  #words(path, text, { operator = 'or', fuzziness, minimum_should_match: minimum, prefixLast = false } = {}) {
    const words = analyze(text).map(({ token }) => token);
    this.fields.add(path);
    this.#mark(path, words, prefixLast);
    const isAll = String(operator).toLowerCase() === 'and';
    const needed = isAll ? words.length : Math.max(1, minimumOf(minimum, words.length));
    return (doc) => {
      const field = this.field(doc, path);
      if (field !== undefined && !isText(field.type) && field.type !== 'object')
        return isExact(doc, field, text) ? 1 : undefined;
      if (words.length === 0) return undefined;
      let sum = 0;
      let count = 0;
      for (const [at, word] of words.entries()) {
        const isLast = prefixLast && at === words.length - 1;
        let best = this.#weigh(doc, path, word);
        if (best === undefined && (isLast || fuzziness !== undefined))
          for (const token of new Set(tokensOf(doc, path)))
            if (
              (isLast && token.startsWith(word)) ||
              (fuzziness !== undefined && isNear(word, token, fuzziness))
            ) {
              best = Math.max(best ?? 0, (this.#weigh(doc, path, token) ?? 0) * 0.8);
              this.#mark(path, [token]);
            }
        if (best === undefined) continue;
        sum += best;
        count += 1;
      }
      return count >= needed ? sum : undefined;
    };
  }

  /** Words that stand in a field one behind the other. */
  #phrase(path, text, { slop = 0, isPrefix = false } = {}) {
    const words = analyze(text).map(({ token }) => token);
    this.fields.add(path);
    this.#mark(path, words, isPrefix);
    return (doc) => {
      const field = this.field(doc, path);
      if (field !== undefined && !isText(field.type)) return isExact(doc, field, text) ? 1 : undefined;
      const tokens = tokensOf(doc, path);
      const fits = (token, at) =>
        token === words[at] || (isPrefix && at === words.length - 1 && token?.startsWith(words[at]));
      if (words.length === 0) return undefined;
      for (let start = 0; start < tokens.length; start += 1) {
        if (!fits(tokens[start], 0)) continue;
        let place = start;
        let left = slop;
        let at = 1;
        while (at < words.length) {
          place += 1;
          if (fits(tokens[place], at)) at += 1;
          else if (left > 0 && place < tokens.length) left -= 1;
          else break;
        }
        if (at === words.length)
          return words.reduce((sum, word) => sum + (this.#weigh(doc, path, word) ?? 0.5), 0);
      }
      return undefined;
    };
  }

  #mark(path, words, isPrefix = false) {
    const found = this.words.get(path) ?? new Set();
    this.words.set(path, found);
    for (const [at, word] of words.entries())
      found.add(isPrefix && at === words.length - 1 ? `${word}*` : word);
  }

  mark(path, words) {
    this.#mark(path, words);
  }
}

const scaled = (score, by) => (score === undefined ? undefined : score * by);

/** The words of a document in a field, made once. */
export function tokensOf(doc, path) {
  let tokens = doc.tokens.get(path);
  if (tokens === undefined) {
    const base = fieldOf(doc.mappings, path)?.path ?? path;
    tokens = valuesOf(doc.source, base).flatMap((value) =>
      typeof value === 'object' ? [] : analyze(value).map(({ token }) => token),
    );
    doc.tokens.set(path, tokens);
  }
  return tokens;
}

/** What a document has in a field, as it is compared. */
export function fieldValues(doc, field, path = field?.path) {
  if (path === '_id') return [doc.id];
  if (path === '_index') return [doc.index];
  return valuesOf(doc.source, path).map((value) => comparable(field, value));
}

const isExact = (doc, field, value) => fieldValues(doc, field).includes(comparable(field, value));

function isNear(one, other, fuzziness) {
  const most = /^auto/i.test(String(fuzziness))
    ? one.length < 3
      ? 0
      : one.length < 6
        ? 1
        : 2
    : Number(fuzziness);
  if (Math.abs(one.length - other.length) > most || one.length > 100) return false;
  let before = Array.from({ length: other.length + 1 }, (_, at) => at);
  let earlier = before;
  for (let row = 1; row <= one.length; row += 1) {
    const now = [row];
    for (let at = 1; at <= other.length; at += 1) {
      const isSame = one[row - 1] === other[at - 1];
      now[at] = Math.min(before[at] + 1, now[at - 1] + 1, before[at - 1] + (isSame ? 0 : 1));
      // Two letters that have changed places are one change.
      if (row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1])
        now[at] = Math.min(now[at], earlier[at - 2] + 1);
    }
    earlier = before;
    before = now;
  }
  return before[other.length] <= most;
}

/** How many of so many must match, as `2`, `-1` or `75%` say it. */
function minimumOf(value, count) {
  if (value === undefined) return 0;
  const text = String(value);
  const number = Number(text.replace('%', ''));
  if (Number.isNaN(number)) throw illegal(`minimum_should_match is not valid: ${text}`);
  const part = text.endsWith('%') ? Math.trunc((count * number) / 100) : number;
  return Math.min(count, part < 0 ? count + part : part);
}

/** Whether a text fits a pattern with `*` and `?`. */
export function isLike(text, pattern) {
  let [at, place, star, from] = [0, 0, -1, 0];
  while (at < text.length)
    if (pattern[place] === '*') {
      star = place;
      from = at;
      place += 1;
    } else if (place < pattern.length && (pattern[place] === '?' || pattern[place] === text[at])) {
      at += 1;
      place += 1;
    } else if (star >= 0) {
      place = star + 1;
      from += 1;
      at = from;
    } else return false;
  while (pattern[place] === '*') place += 1;
  return place === pattern.length;
}

/** The one field of a query such as `term`, with what stands there. */
function single(inner, name, key = 'value') {
  const [path, value, ...more] = Object.entries(inner)
    .filter(([one]) => one !== 'boost' && one !== '_name')
    .flat();
  if (path === undefined || more.length > 0)
    throw unparsed(`[${name}] query doesn't support multiple fields or none`);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return { path, ...(isObject ? value : { [key]: value }) };
}

/** A query for the words of a field as they are compared: exact values, and single words of a text. */
function byTokens(query, path, test) {
  return (doc) => {
    const field = query.field(doc, path);
    const list = isText(field?.type)
      ? tokensOf(doc, path)
      : fieldValues(doc, field, field?.path ?? path).map(String);
    return list.some(test) ? 1 : undefined;
  };
}

function oneOf(query, path, values) {
  return (doc) => {
    const field = query.field(doc, path);
    if (isText(field?.type)) {
      const tokens = tokensOf(doc, path);
      return values.some((value) => tokens.includes(String(value))) ? 1 : undefined;
    }
    const own = fieldValues(doc, field, field?.path ?? path);
    return values.some((value) => own.includes(comparable(field, value))) ? 1 : undefined;
  };
}

const TESTS = { gt: (a, b) => a > b, gte: (a, b) => a >= b, lt: (a, b) => a < b, lte: (a, b) => a <= b };

function range(inner, { query }) {
  const { path, boost: _boost, format, time_zone: zone, ...bounds } = single(inner, 'range');
  const readBound = boundReader({ format, time_zone: zone });
  const entries = Object.entries(bounds).filter(([, value]) => value !== null);
  for (const [name] of entries)
    if (!Object.hasOwn(TESTS, name)) throw unparsed(`[range] query does not support [${name}]`);
  return (doc) => {
    const field = query.field(doc, path);
    const own = fieldValues(doc, field, field?.path ?? path);
    const limit = (name, value) =>
      field?.type === 'date'
        ? readBound(value, (text) => dateOf(text, query.now, name === 'lte' || name === 'gt'))
        : comparable(field, value);
    return own.some((value) => entries.every(([name, bound]) => TESTS[name](value, limit(name, bound))))
      ? 1
      : undefined;
  };
}

const listOf = (value) => (value === undefined ? [] : Array.isArray(value) ? value : [value]);

function bool(inner, { read }) {
  const known = ['must', 'filter', 'should', 'must_not', 'minimum_should_match', 'boost', '_name'];
  const other = Object.keys(inner).find((name) => !known.includes(name));
  if (other !== undefined) throw unparsed(`[bool] query does not support [${other}]`);
  const of = (name) => listOf(inner[name]).map(read);
  const [must, filter, should, not] = [of('must'), of('filter'), of('should'), of('must_not')];
  const usual = must.length + filter.length === 0 && should.length > 0 ? 1 : 0;
  const needed =
    inner.minimum_should_match === undefined ? usual : minimumOf(inner.minimum_should_match, should.length);
  return (doc) => {
    let sum = 0;
    for (const one of not) if (one(doc) !== undefined) return undefined;
    for (const one of filter) if (one(doc) === undefined) return undefined;
    for (const one of must) {
      const score = one(doc);
      if (score === undefined) return undefined;
      sum += score;
    }
    let count = 0;
    for (const one of should) {
      const score = one(doc);
      if (score === undefined) continue;
      count += 1;
      sum += score;
    }
    return count >= needed ? sum : undefined;
  };
}

const best = (all) => (doc) => {
  let top;
  for (const one of all) {
    const score = one(doc);
    if (score !== undefined && (top === undefined || score > top)) top = score;
  }
  return top;
};

function multiMatch(inner, call) {
  const { query: text, fields = ['*'], type = 'best_fields' } = inner;
  if (text === undefined) throw unparsed('[multi_match] requires query value');
  const make = (path) => {
    if (type === 'phrase' || type === 'phrase_prefix')
      return call.phrase(path, text, { ...inner, isPrefix: type === 'phrase_prefix' });
    return call.words(path, text, { ...inner, prefixLast: type === 'bool_prefix' });
  };
  const all = listOf(fields).map((one) => {
    const [path, boost = '1'] = one.split('^');
    const cache = new Map();
    return (doc) => {
      const paths = path.includes('*') ? textPaths(doc).filter((name) => isLike(name, path)) : [path];
      const scores = paths.map((name) => {
        if (!cache.has(name)) cache.set(name, make(name));
        return scaled(cache.get(name)(doc), Number(boost));
      });
      return best(scores.map((score) => () => score))(doc);
    };
  });
  for (const one of listOf(fields)) if (!one.includes('*')) make(one.split('^')[0]);
  if (type === 'most_fields' || (type === 'cross_fields' && inner.operator === undefined))
    return (doc) => {
      const scores = all.map((one) => one(doc)).filter((score) => score !== undefined);
      return scores.length === 0 ? undefined : scores.reduce((sum, score) => sum + score, 0);
    };
  if (type === 'cross_fields') {
    const words = analyze(text).map(({ token }) =>
      best(listOf(fields).map((one) => call.words(one.split('^')[0], token))),
    );
    return (doc) => {
      const scores = words.map((one) => one(doc));
      return scores.every((score) => score !== undefined)
        ? scores.reduce((sum, score) => sum + score, 0)
        : undefined;
    };
  }
  return best(all);
}

function textPaths({ mappings }) {
  const found = [];
  const walk = ({ properties = {} }, begin) => {
    for (const [name, field] of Object.entries(properties)) {
      if (field.properties !== undefined) walk(field, `${begin}${name}.`);
      else if (isText(field.type) || field.type === 'keyword') found.push(begin + name);
    }
  };
  walk(mappings, '');
  return found;
}

function nested({ path, query: inner }, { read }) {
  const test = read(inner);
  return (doc) => {
    const scores = valuesOf(doc.source, path)
      .map((value) => {
        // The query sees one of the objects in place of all.
        const source = path.split('.').reduceRight((below, name) => ({ [name]: below }), value);
        return test({ ...doc, source, tokens: new Map() });
      })
      .filter((score) => score !== undefined);
    return scores.length === 0 ? undefined : Math.max(...scores);
  };
}

/** What each kind of query does. */
const KINDS = {
  match_all: () => () => 1,
  match_none: () => () => undefined,
  match(inner, { words }) {
    const { path, query: text, ...options } = single(inner, 'match', 'query');
    if (text === undefined) throw unparsed(`[match] requires query value for field [${path}]`);
    return words(path, text, options);
  },
  match_phrase(inner, { phrase }) {
    const { path, query: text, slop } = single(inner, 'match_phrase', 'query');
    return phrase(path, text, { slop });
  },
  match_phrase_prefix(inner, { phrase }) {
    const { path, query: text, slop } = single(inner, 'match_phrase_prefix', 'query');
    return phrase(path, text, { slop, isPrefix: true });
  },
  match_bool_prefix(inner, { words }) {
    const { path, query: text, ...options } = single(inner, 'match_bool_prefix', 'query');
    return words(path, text, { ...options, prefixLast: true });
  },
  multi_match: multiMatch,
  term(inner, { query }) {
    const { path, value, case_insensitive: isLoose } = single(inner, 'term');
    if (value === undefined || Array.isArray(value))
      throw unparsed('[term] query does not support array of values');
    query.mark(path, [String(value).toLowerCase()]);
    if (isLoose === true)
      return byTokens(query, path, (token) => token.toLowerCase() === String(value).toLowerCase());
    return oneOf(query, path, [value]);
  },
  terms(inner, { query }) {
    const [[path, values], ...more] = Object.entries(inner).filter(
      ([name]) => name !== 'boost' && name !== '_name',
    );
    if (!Array.isArray(values) || more.length > 0)
      throw unparsed('[terms] query requires one field with an array of values');
    return oneOf(query, path, values);
  },
  range,
  bool,
  exists({ field: path }, { query }) {
    return (doc) => {
      const base = query.field(doc, path)?.path ?? path;
      return valuesOf(doc.source, base).length > 0 ? 1 : undefined;
    };
  },
  ids({ values }) {
    if (!Array.isArray(values)) throw unparsed('[ids] requires an array of values');
    const wanted = new Set(values.map(String));
    return ({ id }) => (wanted.has(id) ? 1 : undefined);
  },
  prefix(inner, { query }) {
    const { path, value, case_insensitive: isLoose } = single(inner, 'prefix');
    const fold = (text) => (isLoose === true ? text.toLowerCase() : text);
    return byTokens(query, path, (token) => fold(token).startsWith(fold(String(value))));
  },
  wildcard(inner, { query }) {
    const { path, value, wildcard = value, case_insensitive: isLoose } = single(inner, 'wildcard');
    const fold = (text) => (isLoose === true ? text.toLowerCase() : text);
    return byTokens(query, path, (token) => isLike(fold(token), fold(String(wildcard))));
  },
  fuzzy(inner, { query }) {
    const { path, value, fuzziness = 'AUTO' } = single(inner, 'fuzzy');
    return byTokens(query, path, (token) => isNear(String(value), token, fuzziness));
  },
  constant_score({ filter, boost: _boost }, { read }) {
    const test = read(filter);
    return (doc) => (test(doc) === undefined ? undefined : 1);
  },
  dis_max: ({ queries = [] }, { read }) => best(queries.map(read)),
  nested,
  query_string: (inner, { read }) => read(parseQueryString(inner)),
  simple_query_string: (inner, { read }) => read(parseQueryString({ ...inner, isSimple: true })),
};
