import { setImmediate as nextTurn } from 'node:timers/promises';
import { dividerOf } from './dates.mjs';
import { illegal, unparsed } from './errors.mjs';
import { isText, timeOf } from './mappings.mjs';
import { Query, fieldValues } from './queries.mjs';

const MAX_BUCKETS = 65_536;
const MAX_DEPTH = 10;
/** Documents that are looked at before others are served. */
const STEP = 500;

/** Does something with each, in slices between which others are served. */
async function each(list, act) {
  let at = 0;
  for (const one of list) {
    act(one);
    at += 1;
    if (at % STEP === 0) await nextTurn();
  }
}

/** Calls with each, one after the other. */
async function mapped(list, make) {
  const all = [];
  for (const one of list) all.push(await make(one));
  return all;
}

/** Those of a list that fit, in slices between which others are served. */
export async function selected(list, fits) {
  const all = [];
  await each(list, (one) => fits(one) && all.push(one));
  return all;
}

/**
 * Counts what was found, in slices between which others are served.
 *
 * @param wanted - the aggregations by name
 * @param found - the documents, each with its score
 * @param call - what queries need, and how hits are shown
 */
export async function aggregate(wanted, found, call, depth = 0) {
  if (depth > MAX_DEPTH) throw illegal(`aggregations are at most ${MAX_DEPTH} levels deep`);
  const made = {};
  for (const [name, one] of Object.entries(wanted)) {
    const { aggs, aggregations = aggs, meta, ...kinds } = one ?? {};
    const [kind, ...more] = Object.keys(kinds);
    if (kind === undefined || more.length > 0) throw unparsed(`Missing definition for aggregation [${name}]`);
    if (!Object.hasOwn(KINDS, kind))
      throw unparsed(
        `Unknown aggregation type [${kind}]; the service elasticsearch knows ${Object.keys(KINDS).join(', ')}`,
      );
    const inner = async (docs) =>
      aggregations === undefined ? {} : aggregate(aggregations, docs, call, depth + 1);
    made[name] = {
      ...(meta !== undefined && { meta }),
      ...(await KINDS[kind](kinds[kind], found, { ...call, inner })),
    };
  }
  return made;
}

/** What documents have in the field of an aggregation. */
function reader({ field: path, missing }, { fieldFor }) {
  if (typeof path !== 'string')
    throw unparsed('Required one of fields [field], but none were specified; scripts are not mocked.');
  return ({ doc }) => {
    const field = fieldFor(doc, path);
    if (isText(field?.type))
      throw illegal(
        `Fielddata is disabled on [${path}] in [${doc.index}]. Text fields are not optimised for operations that require per-document field data like aggregations and sorting, so these operations are disabled by default. Please use a keyword field instead.`,
      );
    const values = fieldValues(doc, field, field?.path ?? path);
    return values.length === 0 && missing !== undefined ? [missing] : values;
  };
}

const typeOf = (path, found, { fieldFor }) =>
  found.length === 0 ? undefined : fieldFor(found[0].doc, path)?.type;
const iso = (time) => new Date(time).toISOString();

async function numbers(spec, found, call) {
  const read = reader(spec, call);
  const all = [];
  await each(found, (one) => {
    for (const value of read(one)) if (!Number.isNaN(Number(value))) all.push(Number(value));
  });
  return all;
}

function shownNumber(spec, found, call, value) {
  const isDate = typeOf(spec.field, found, call) === 'date';
  return { value, ...(isDate && value !== null && { value_as_string: iso(value) }) };
}

const minOf = (list) => list.reduce((one, other) => Math.min(one, other), Infinity);
const maxOf = (list) => list.reduce((one, other) => Math.max(one, other), -Infinity);
const sumOf = (list) => list.reduce((sum, value) => sum + value, 0);

function statsOf(list) {
  const count = list.length;
  return count === 0
    ? { count, min: null, max: null, avg: null, sum: 0 }
    : { count, min: minOf(list), max: maxOf(list), avg: sumOf(list) / count, sum: sumOf(list) };
}

/** Documents by what they have in a field. */
async function groups(spec, found, call) {
  const read = reader(spec, call);
  const by = new Map();
  await each(found, (one) => {
    for (const value of new Set(read(one))) {
      if (!by.has(value)) by.set(value, []);
      by.get(value).push(one);
    }
  });
  return by;
}

/** What is told of a bucket: its documents counted, and counted further. */
const bucket = async (docs, inner) => ({ doc_count: docs.length, ...(await inner(docs)) });

function shownKey(type, key) {
  if (type === 'date') return { key, key_as_string: iso(key) };
  return type === 'boolean' ? { key, key_as_string: key === 1 ? 'true' : 'false' } : { key };
}

function orderOf(order = { _count: 'desc' }) {
  const ways = (Array.isArray(order) ? order : [order]).flatMap((one) => Object.entries(one));
  const read = (one, path) => {
    if (path === '_count') return one.doc_count;
    if (path === '_key' || path === '_term') return one.key;
    const [name, field = 'value'] = path.split('.');
    if (one[name] === undefined) throw illegal(`Invalid aggregator order path [${path}]`);
    return one[name][field] ?? one[name].doc_count;
  };
  return (a, b) => {
    for (const [path, way] of ways) {
      const [one, other] = [read(a, path), read(b, path)];
      if (one !== other) return (one < other ? -1 : 1) * (way === 'desc' ? -1 : 1);
    }
    return a.key < b.key ? -1 : 1;
  };
}

async function terms(spec, found, call) {
  const { size = 10, min_doc_count: least = 1, order } = spec;
  if (!Number.isInteger(size) || size < 1)
    throw illegal(`[size] must be greater than 0. Found [${size}] in [terms]`);
  const type = typeOf(spec.field, found, call);
  const wanted = [...(await groups(spec, found, call))].filter(([, docs]) => docs.length >= least);
  const buckets = await mapped(wanted, async ([key, docs]) => ({
    ...shownKey(type, key),
    ...(await bucket(docs, call.inner)),
  }));
  const all = buckets.sort(orderOf(order));
  return {
    doc_count_error_upper_bound: 0,
    sum_other_doc_count: sumOf(all.slice(size).map((one) => one.doc_count)),
    buckets: all.slice(0, size),
  };
}

/** Buckets of one size, also those between that nothing is in. */
async function intervals(spec, found, call, { start, next, show }) {
  const { min_doc_count: least = 0 } = spec;
  const read = reader(spec, call);
  const by = new Map();
  await each(found, (one) => {
    for (const key of new Set(read(one).map((value) => start(Number(value))))) {
      if (!by.has(key)) by.set(key, []);
      by.get(key).push(one);
    }
  });
  const keys = [...by.keys()].filter((key) => !Number.isNaN(key)).sort((a, b) => a - b);
  const { min = keys[0], max = keys.at(-1) } = spec.extended_bounds ?? {};
  const buckets = [];
  if (min !== undefined && max !== undefined)
    for (
      let key = start(typeof min === 'number' ? Math.min(min, keys[0] ?? min) : timeOf(min));
      key <= (typeof max === 'number' ? Math.max(max, keys.at(-1) ?? max) : timeOf(max));
      key = next(key)
    ) {
      const docs = by.get(key) ?? [];
      if (docs.length >= least) buckets.push({ ...show(key), ...(await bucket(docs, call.inner)) });
      if (buckets.length > MAX_BUCKETS)
        throw illegal(`Trying to create too many buckets. Must be less than or equal to: [${MAX_BUCKETS}]`);
    }
  if (spec.keyed !== true) return { buckets };
  return { buckets: Object.fromEntries(buckets.map((one) => [one.key_as_string ?? String(one.key), one])) };
}

function formatted(format) {
  return (key) => {
    const text = iso(key);
    if (format === undefined) return text;
    const parts = {
      yyyy: text.slice(0, 4),
      MM: text.slice(5, 7),
      dd: text.slice(8, 10),
      HH: text.slice(11, 13),
      mm: text.slice(14, 16),
      ss: text.slice(17, 19),
    };
    return format.replaceAll(/yyyy|MM|dd|HH|mm|ss/g, (name) => parts[name]);
  };
}

async function matching(query, found, call) {
  const read = new Query(query, call);
  return selected(found, ({ doc }) => read.score(doc) !== undefined);
}

const KINDS = {
  terms,
  stats: async (spec, found, call) => statsOf(await numbers(spec, found, call)),
  async extended_stats(spec, found, call) {
    const list = await numbers(spec, found, call);
    const stats = statsOf(list);
    const variance =
      list.length === 0 ? null : sumOf(list.map((value) => (value - stats.avg) ** 2)) / list.length;
    return {
      ...stats,
      sum_of_squares: sumOf(list.map((value) => value ** 2)),
      variance,
      std_deviation: variance === null ? null : Math.sqrt(variance),
    };
  },
  min: async (spec, found, call) =>
    shownNumber(spec, found, call, statsOf(await numbers(spec, found, call)).min),
  max: async (spec, found, call) =>
    shownNumber(spec, found, call, statsOf(await numbers(spec, found, call)).max),
  avg: async (spec, found, call) =>
    shownNumber(spec, found, call, statsOf(await numbers(spec, found, call)).avg),
  sum: async (spec, found, call) => ({ value: sumOf(await numbers(spec, found, call)) }),
  async value_count(spec, found, call) {
    const read = reader(spec, call);
    let value = 0;
    await each(found, (one) => (value += read(one).length));
    return { value };
  },
  cardinality: async (spec, found, call) => ({ value: (await groups(spec, found, call)).size }),
  async percentiles(spec, found, call) {
    const list = (await numbers(spec, found, call)).sort((a, b) => a - b);
    const { percents = [1, 5, 25, 50, 75, 95, 99] } = spec;
    const at = (percent) => {
      if (list.length === 0) return null;
      const place = (percent / 100) * (list.length - 1);
      const low = Math.floor(place);
      return list[low] + (list[Math.ceil(place)] - list[low]) * (place - low);
    };
    return { values: Object.fromEntries(percents.map((percent) => [percent.toFixed(1), at(percent)])) };
  },
  histogram(spec, found, call) {
    const { interval, offset = 0 } = spec;
    if (!(interval > 0)) throw illegal('[interval] must be >0 for histogram aggregation');
    const start = (value) => Math.floor((value - offset) / interval) * interval + offset;
    return intervals(spec, found, call, { start, next: (key) => key + interval, show: (key) => ({ key }) });
  },
  date_histogram(spec, found, call) {
    const { time_zone: zone = 'UTC', format } = spec;
    if (zone !== 'UTC' && zone !== 'Z' && zone !== '+00:00')
      throw illegal(`time_zone [${zone}] is not mocked: only UTC is`);
    const show = formatted(format);
    return intervals(spec, found, call, {
      ...dividerOf(spec),
      show: (key) => ({ key_as_string: show(key), key }),
    });
  },
  async range(spec, found, call) {
    const read = reader(spec, call);
    const buckets = await mapped(spec.ranges ?? [], async ({ key, from, to }) => {
      const docs = await selected(found, (one) =>
        read(one).some((value) => (from === undefined || value >= from) && (to === undefined || value < to)),
      );
      const show = (value) => (value === undefined ? '*' : Number(value).toFixed(1));
      return {
        key: key ?? `${show(from)}-${show(to)}`,
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
        ...(await bucket(docs, call.inner)),
      };
    });
    return { buckets };
  },
  filter: async (query, found, call) => bucket(await matching(query, found, call), call.inner),
  async filters({ filters, other_bucket_key: other }, found, call) {
    if (typeof filters !== 'object' || filters === null) throw unparsed('[filters] requires filters');
    const parts = await mapped(Object.entries(filters), async ([name, query]) => [
      name,
      await matching(query, found, call),
    ]);
    if (other !== undefined) {
      const taken = new Set(parts.flatMap(([, docs]) => docs));
      parts.push([other, await selected(found, (one) => !taken.has(one))]);
    }
    const buckets = await mapped(parts, async ([name, docs]) => [name, await bucket(docs, call.inner)]);
    return { buckets: Array.isArray(filters) ? buckets.map(([, one]) => one) : Object.fromEntries(buckets) };
  },
  async missing(spec, found, call) {
    const read = reader({ field: spec.field }, call);
    return bucket(await selected(found, (one) => read(one).length === 0), call.inner);
  },
  async top_hits(spec, found, call) {
    const { size = 3, from = 0 } = spec;
    const sorted = await call.sort(found, spec.sort);
    return {
      hits: {
        total: { value: found.length, relation: 'eq' },
        max_score: null,
        hits: sorted.slice(from, from + size).map((one) => call.show(one, spec)),
      },
    };
  },
};
