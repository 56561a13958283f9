import { setImmediate as nextTurn } from 'node:timers/promises';
import { aggregate, selected } from './aggregations.mjs';
import { SearchError, illegal, unparsed } from './errors.mjs';
import { analyze, fieldOf, isText, valuesOf } from './mappings.mjs';
import { Query, fieldValues, isLike } from './queries.mjs';

const STEP = 500;
const WINDOW = 10_000;
const MAX_CONTEXTS = 500;
const LENGTHS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const KNOWN =
  'query from size sort aggs aggregations _source fields docvalue_fields stored_fields highlight search_after track_total_hits track_scores min_score pit timeout post_filter version seq_no_primary_term explain profile slice collapse'.split(
    ' ',
  );

/** Documents of indices that a query finds, in slices between which others are served. */
export async function find(store, names, query, rows = [...store.rowsOf(names)]) {
  const known = new Map();
  const mappingsOf = (index) => {
    if (!known.has(index)) known.set(index, store.mappings(index));
    return known.get(index);
  };
  const call = { mappingsOf, now: store.now };
  const read = new Query(query, call);
  const docs = [];
  for (const row of rows) {
    const doc = { ...row, mappings: mappingsOf(row.index), tokens: new Map() };
    docs.push(doc);
    read.count(doc);
    if (docs.length % STEP === 0) await nextTurn();
  }
  const found = [];
  let seen = 0;
  for (const doc of docs) {
    seen += 1;
    if (seen % STEP === 0) await nextTurn();
    const score = read.score(doc);
    if (score !== undefined) found.push({ doc, score });
  }
  return { found, read, call: { ...call, fieldFor: (doc, path) => fieldOf(doc.mappings, path) } };
}

function sortsOf(sort) {
  if (sort === undefined) return [];
  return (Array.isArray(sort) ? sort : [sort]).map((one) => {
    if (typeof one === 'string') {
      const [path, way] = one.split(':');
      return { path, order: way ?? (path === '_score' ? 'desc' : 'asc') };
    }
    const [[path, value]] = Object.entries(one);
    if (path === '_script' || path === '_geo_distance') throw illegal(`sorting by [${path}] is not mocked`);
    const options = typeof value === 'string' ? { order: value } : value;
    return { path, order: path === '_score' ? 'desc' : 'asc', ...options };
  });
}

/** What a hit is sorted by; `null` where it has nothing there. */
function keysOf({ doc, score }, sorts) {
  return sorts.map(({ path, order, mode, missing, unmapped_type: unmapped }) => {
    if (path === '_score') return score;
    if (path === '_doc' || path === '_shard_doc') return doc.row.seq ?? 0;
    const field = fieldOf(doc.mappings, path);
    if (
      field === undefined &&
      unmapped === undefined &&
      Object.keys(doc.mappings.properties ?? {}).length > 0
    )
      throw new SearchError(
        400,
        'search_phase_execution_exception',
        `No mapping found for [${path}] in order to sort on`,
      );
    if (isText(field?.type))
      throw illegal(
        `Fielddata is disabled on [${path}] in [${doc.index}]. Text fields are not optimised for operations that require per-document field data like aggregations and sorting, so these operations are disabled by default. Please use a keyword field instead.`,
      );
    const values = fieldValues(doc, field, field?.path ?? path).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    if (values.length === 0)
      return missing !== undefined && missing !== '_last' && missing !== '_first' ? missing : null;
    if (mode === 'avg' || mode === 'sum') {
      const sum = values.reduce((all, one) => all + one, 0);
      return mode === 'sum' ? sum : sum / values.length;
    }
    return (mode ?? (order === 'desc' ? 'max' : 'min')) === 'max' ? values.at(-1) : values[0];
  });
}

function compareKeys(one, other, sorts) {
  for (const [at, { order, missing }] of sorts.entries()) {
    const [a, b] = [one[at], other[at]];
    if (a === b) continue;
    if (a === null || b === null) return (a === null ? 1 : -1) * (missing === '_first' ? -1 : 1);
    return (a < b ? -1 : 1) * (order === 'desc' ? -1 : 1);
  }
  return 0;
}

/** Hits in their order, each with its `keys`. */
export function sorted(found, sort) {
  const sorts = sortsOf(sort);
  if (sorts.length === 0) return [...found].sort((a, b) => b.score - a.score);
  return found
    .map((one) => ({ ...one, keys: keysOf(one, sorts) }))
    .sort((a, b) => compareKeys(a.keys, b.keys, sorts));
}

/** What of a document is shown, as `_source` says it. */
export function filtered(source, wanted) {
  if (wanted === false) return undefined;
  if (wanted === undefined || wanted === true) return source;
  const listed = (one) => (one === undefined ? [] : typeof one === 'string' ? one.split(',') : one);
  const isPlain = typeof wanted === 'string' || Array.isArray(wanted);
  const includes = listed(isPlain ? wanted : (wanted.includes ?? wanted.include));
  const excludes = listed(isPlain ? [] : (wanted.excludes ?? wanted.exclude));
  const walk = (value, path) => {
    if (Array.isArray(value) && value.some((one) => typeof one === 'object' && one !== null))
      return value.map((one) => walk(one, path)).filter((one) => one !== undefined);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (excludes.some((one) => isLike(path, one))) return undefined;
    const isIn =
      includes.length === 0 || includes.some((one) => isLike(path, one) || isLike(path, `${one}.*`));
    if (!isObject) return isIn ? value : undefined;
    const entries = Object.entries(value)
      .map(([name, one]) => [name, walk(one, `${path}.${name}`)])
      .filter(([, one]) => one !== undefined);
    return entries.length > 0 || isIn ? Object.fromEntries(entries) : undefined;
  };
  const entries = Object.entries(source).map(([name, one]) => [name, walk(one, name)]);
  return Object.fromEntries(entries.filter(([, one]) => one !== undefined));
}

function fieldsOf(doc, list) {
  const shown = {};
  for (const one of list) {
    const path = typeof one === 'string' ? one : one.field;
    const field = fieldOf(doc.mappings, path);
    const values = valuesOf(doc.source, field?.path ?? path);
    if (values.length > 0) shown[path] = values;
  }
  return shown;
}

/** Pieces of texts with the words of the query marked. */
function highlightsOf(doc, { fields = {}, ...usual }, words) {
  const shown = {};
  const entries = Array.isArray(fields)
    ? fields.flatMap((one) => Object.entries(one))
    : Object.entries(fields);
  for (const [pattern, own] of entries) {
    const options = {
      pre_tags: ['<em>'],
      post_tags: ['</em>'],
      fragment_size: 100,
      number_of_fragments: 5,
      ...usual,
      ...own,
    };
    const needsField = options.require_field_match !== false;
    const paths = pattern.includes('*')
      ? [...words.keys()].filter((path) => isLike(path, pattern))
      : [pattern];
    for (const path of paths) {
      const wanted = needsField
        ? (words.get(path) ?? words.get('*') ?? new Set())
        : new Set([...words.values()].flatMap((one) => [...one]));
      const fits = (token) =>
        wanted.has(token) ||
        [...wanted].some((word) => word.endsWith('*') && token.startsWith(word.slice(0, -1)));
      const base = fieldOf(doc.mappings, path)?.path ?? path;
      const pieces = valuesOf(doc.source, base).flatMap((value) => fragments(String(value), fits, options));
      if (pieces.length > 0) shown[path] = pieces.slice(0, options.number_of_fragments || pieces.length);
    }
  }
  return shown;
}

function fragments(
  text,
  fits,
  { pre_tags: [before], post_tags: [after], fragment_size: size, number_of_fragments: count },
) {
  const tokens = analyze(text);
  const pieces = [];
  let open = [];
  const close = () => {
    if (open.some(({ token }) => fits(token))) pieces.push(open);
    open = [];
  };
  for (const token of tokens) {
    if (count !== 0 && open.length > 0 && token.end - open[0].start > size) close();
    open.push(token);
  }
  close();
  return pieces.map((piece) => {
    const isFirst = piece[0] === tokens[0];
    const isLast = piece.at(-1) === tokens.at(-1);
    let at = isFirst ? 0 : piece[0].start;
    let out = '';
    for (const { token, start, end } of piece) {
      if (!fits(token)) continue;
      out += `${text.slice(at, start)}${before}${text.slice(start, end)}${after}`;
      at = end;
    }
    return out + text.slice(at, isLast ? text.length : piece.at(-1).end);
  });
}

function shownHit({ doc, score, keys }, body, read) {
  const { row, index, id, source } = doc;
  const isSorted =
    keys !== undefined &&
    !sortsOf(body.sort).some(({ path }) => path === '_score') &&
    body.track_scores !== true;
  const shown = filtered(source, body._source);
  const marked = body.highlight === undefined ? {} : highlightsOf(doc, body.highlight, read.words);
  return {
    _index: index,
    _id: id,
    ...(body.version === true && { _version: row.version ?? 1 }),
    ...(body.seq_no_primary_term === true && { _seq_no: row.seq ?? 0, _primary_term: 1 }),
    _score: isSorted ? null : score,
    ...(row.routing !== undefined && { _routing: row.routing }),
    ...(shown !== undefined && { _source: shown }),
    ...(body.fields !== undefined && { fields: fieldsOf(doc, body.fields) }),
    ...(Object.keys(marked).length > 0 && { highlight: marked }),
    ...(keys !== undefined && { sort: keys }),
  };
}

function sizeOf(value, usual, name) {
  const number = value === undefined ? usual : Number(value);
  if (!Number.isInteger(number) || number < 0)
    throw illegal(`[${name}] parameter cannot be negative, found [${value}]`);
  return number;
}

/** The same, in slices between which others are served: parts are sorted, and then merged two by two. */
async function sortedInSlices(found, sort) {
  if (found.length <= STEP) return sorted(found, sort);
  const sorts = sortsOf(sort);
  const order =
    sorts.length === 0 ? (a, b) => b.score - a.score : (a, b) => compareKeys(a.keys, b.keys, sorts);
  let parts = [];
  for (let at = 0; at < found.length; at += STEP) {
    parts.push(sorted(found.slice(at, at + STEP), sort));
    await nextTurn();
  }
  while (parts.length > 1) {
    const merged = [];
    for (let at = 0; at < parts.length; at += 2)
      merged.push(parts[at + 1] === undefined ? parts[at] : await merge(parts[at], parts[at + 1], order));
    parts = merged;
  }
  return parts[0];
}

async function merge(one, other, order) {
  const all = [];
  let [a, b] = [0, 0];
  while (a < one.length || b < other.length) {
    const isFirst = b >= other.length || (a < one.length && order(one[a], other[b]) <= 0);
    all.push(isFirst ? one[a++] : other[b++]);
    if (all.length % (4 * STEP) === 0) await nextTurn();
  }
  return all;
}

/** What a request says of its search: its body, and the parameters over it. */
export function bodyOf({ query, body }) {
  const given = { ...body };
  if (typeof query.q === 'string')
    given.query = {
      query_string: {
        query: query.q,
        default_operator: query.default_operator ?? 'OR',
        ...(query.df && { default_field: query.df }),
      },
    };
  if (query.timeout !== undefined) given.timeout = query.timeout;
  for (const name of ['from', 'size']) if (query[name] !== undefined) given[name] = Number(query[name]);
  if (query.sort !== undefined) given.sort = query.sort.split(',');
  if (query._source !== undefined)
    given._source = query._source === 'false' ? false : query._source === 'true' ? true : query._source;
  if (query._source_includes !== undefined || query._source_excludes !== undefined)
    given._source = { includes: query._source_includes, excludes: query._source_excludes };
  if (query.track_total_hits !== undefined) given.track_total_hits = query.track_total_hits !== 'false';
  for (const name of ['version', 'seq_no_primary_term']) if (query[name] === 'true') given[name] = true;
  return given;
}

const TIMES = { ...LENGTHS, micros: 0.001, nanos: 0.000_001 };

/** How long a search may take, in milliseconds; without end where it does not say. */
function timeoutOf({ timeout = -1 }) {
  const [, count, unit] = /^(\d+)(d|h|m|s|ms|micros|nanos)$/.exec(String(timeout)) ?? [];
  if (unit !== undefined) return Number(count) * TIMES[unit];
  if (String(timeout) === '-1') return Infinity;
  throw illegal(
    `failed to parse setting [timeout] with value [${timeout}] as a time value: unit is missing or unrecognized`,
  );
}

/** Takes the time that a slow call takes; a search ends at its time-out, with what it has found by then. */
export async function takeTime(call, milliseconds, clock) {
  const limit = call.act === search ? timeoutOf(bodyOf(call)) : Infinity;
  await clock.wait(Math.min(milliseconds, limit));
  if (limit < milliseconds) call.timedOut = true;
}

/** One search, as it is answered. */
export async function searchIn(call, text, body, { scroll } = {}) {
  const { store } = call;
  const other = Object.keys(body).find((name) => !KNOWN.includes(name));
  if (other !== undefined)
    throw unparsed(`unknown key [${other}]; the service elasticsearch knows ${KNOWN.join(', ')}`);
  for (const name of ['collapse', 'slice', 'profile'])
    if (body[name] !== undefined) throw illegal(`[${name}] of a search is not mocked`);
  timeoutOf(body);
  const size = sizeOf(body.size, 10, 'size');
  const from = sizeOf(body.from, 0, 'from');
  if (from + size > WINDOW)
    throw illegal(
      `Result window is too large, from + size must be less than or equal to: [${WINDOW}] but was [${from + size}]. See the scroll api for a more efficient way to request large data sets.`,
    );
  const pit = body.pit === undefined ? undefined : contextOf(store, body.pit.id, 'pit');
  if (pit !== undefined) keep(store, pit.id, body.pit.keep_alive);
  const names = pit?.names ?? store.resolve(text, { ignore: call.query.ignore_unavailable === 'true' });
  const {
    found,
    read,
    call: reading,
  } = await find(store, names, body.query, pit === undefined ? undefined : rowsOfContext(pit));
  let hits = body.min_score === undefined ? found : found.filter(({ score }) => score >= body.min_score);
  const counted = hits;
  if (body.post_filter !== undefined) {
    const filter = new Query(body.post_filter, reading);
    hits = await selected(hits, ({ doc }) => filter.score(doc) !== undefined);
  }
  const sort = body.sort ?? (pit === undefined ? undefined : ['_shard_doc']);
  let list = await sortedInSlices(hits, sort);
  if (body.search_after !== undefined) {
    const sorts = sortsOf(sort);
    if (!Array.isArray(body.search_after) || body.search_after.length !== sorts.length)
      throw illegal(
        `search_after has ${body.search_after?.length ?? 0} value(s) but sort has ${sorts.length}.`,
      );
    if (from > 0) throw illegal('`from` parameter must be set to 0 when `search_after` is used.');
    list = list.filter(({ keys }) => compareKeys(keys, body.search_after, sorts) > 0);
  }
  const page = list.slice(from, from + size);
  const max = page.length === 0 || list[0].keys !== undefined ? null : list[0].score;
  const aggs = body.aggs ?? body.aggregations;
  const show = (one, spec) => shownHit({ ...one, keys: one.keys }, { ...spec }, read);
  const scrolled =
    scroll === undefined
      ? undefined
      : open(store, scroll, { kind: 'scroll', body, names, rest: list.slice(size).map(idOf), size });
  return {
    ...(scrolled !== undefined && { _scroll_id: scrolled }),
    ...(pit !== undefined && { pit_id: pit.id }),
    took: 1,
    timed_out: call.timedOut === true,
    _shards: { total: names.length, successful: names.length, skipped: 0, failed: 0 },
    hits: {
      ...(body.track_total_hits !== false && {
        total:
          call.query.rest_total_hits_as_int === 'true' ? hits.length : { value: hits.length, relation: 'eq' },
      }),
      max_score: max,
      hits: page.map((one) => shownHit(one, { ...body, sort }, read)),
    },
    ...(aggs !== undefined && {
      aggregations: await aggregate(aggs, counted, { ...reading, sort: sortedInSlices, show }),
    }),
  };
}

const idOf = ({ doc }) => `${doc.index}/${doc.id}`;

function lengthOf(text) {
  const [, count, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text ?? '') ?? [];
  if (unit === undefined)
    throw illegal(`failed to parse setting [keep_alive] with value [${text}] as a time value`);
  const length = Number(count) * LENGTHS[unit];
  if (length > 24 * LENGTHS.h)
    throw illegal(`Keep alive for request (${text}) is too large. It must be less than (1d).`);
  return length;
}

/** Keeps what a search has left for a while. */
function open(store, length, fields) {
  for (const { id, until } of store.contexts.list()) if (until < store.now) store.contexts.remove(id);
  if (store.contexts.size >= MAX_CONTEXTS)
    throw new SearchError(
      429,
      'too_many_scroll_contexts_exception',
      `Trying to create too many scroll contexts. Must be less than or equal to: [${MAX_CONTEXTS}].`,
    );
  const { id } = store.contexts.create({
    id: store.newId(64),
    until: store.now + lengthOf(length),
    ...fields,
  });
  return id;
}

const keep = (store, id, length) =>
  length !== undefined && store.contexts.update(id, { until: store.now + lengthOf(length) });

function contextOf(store, id, kind) {
  const found = typeof id === 'string' && store.contexts.has(id) ? store.contexts.get(id) : undefined;
  if (found?.kind !== kind || found.until < store.now)
    throw new SearchError(404, 'search_context_missing_exception', `No search context found for id [${id}]`);
  return found;
}

function* rowsOfContext({ docs }) {
  for (const { index, id, source, seq, version } of docs) yield { index, id, source, row: { seq, version } };
}

export const openPit = async (call) => {
  const { store, query } = call;
  const names = store.resolve(call.index);
  const docs = [...store.rowsOf(names)].map(({ index, id, source, row }) => ({
    index,
    id,
    source,
    seq: row.seq ?? 0,
    version: row.version ?? 1,
  }));
  return {
    json: {
      id: open(store, query.keep_alive, { kind: 'pit', names, docs }),
      _shards: { total: 1, successful: 1, skipped: 0, failed: 0 },
    },
  };
};

export function closePit({ store, body }) {
  const { id } = contextOf(store, body.id, 'pit');
  store.contexts.remove(id);
  return { json: { succeeded: true, num_freed: 1 } };
}

export const search = async (call) => ({
  json: await searchIn(call, call.index, bodyOf(call), { scroll: call.query.scroll }),
});

export async function scroll(call) {
  const { store, query, body } = call;
  const context = contextOf(store, body.scroll_id ?? query.scroll_id ?? call.id, 'scroll');
  keep(store, context.id, body.scroll ?? query.scroll);
  const page = context.rest.slice(0, context.size);
  const wanted = new Map(page.map((id, at) => [id, at]));
  const rows = [...store.rowsOf(context.names)].filter(({ index, id }) => wanted.has(`${index}/${id}`));
  const { found, read } = await find(store, context.names, undefined, rows);
  const list = found.sort((a, b) => wanted.get(idOf(a)) - wanted.get(idOf(b)));
  store.contexts.update(context.id, { rest: context.rest.slice(context.size) });
  const { aggs: _aggs, aggregations: _aggregations, ...shown } = context.body;
  return {
    json: {
      _scroll_id: context.id,
      took: 1,
      timed_out: false,
      _shards: { total: 1, successful: 1, skipped: 0, failed: 0 },
      hits: {
        total: { value: context.rest.length + context.size, relation: 'eq' },
        max_score: null,
        hits: list.map((one) => shownHit(one, shown, read)),
      },
    },
  };
}

export function clearScroll({ store, body, id, query }) {
  const ids = [body.scroll_id ?? query.scroll_id ?? id ?? []].flat();
  let count = 0;
  for (const one of ids.includes('_all') ? store.contexts.list().map((row) => row.id) : ids)
    if (store.contexts.has(one)) {
      store.contexts.remove(one);
      count += 1;
    }
  return { status: count === 0 ? 404 : 200, json: { succeeded: true, num_freed: count } };
}

export async function count(call) {
  const { found } = await find(call.store, call.store.resolve(call.index), bodyOf(call).query);
  return { json: { count: found.length, _shards: { total: 1, successful: 1, skipped: 0, failed: 0 } } };
}

export async function manySearches(call) {
  const lines = call.lines();
  const responses = [];
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const { index = call.index } = lines[at];
    try {
      const made = await searchIn(call, Array.isArray(index) ? index.join(',') : index, lines[at + 1]);
      responses.push({ ...made, status: 200 });
    } catch (error) {
      if (!(error instanceof SearchError)) throw error;
      responses.push(error.body);
    }
  }
  return { json: { took: 1, responses } };
}
