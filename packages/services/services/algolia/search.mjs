import { eachInSlices, filterInSlices, mapInSlices, sortInSlices } from '../../waiting/slices.mjs';
import { AlgoliaError, invalid, listOf, noIndex, operation } from './api.mjs';
import { facetOf, listFilters, numericOf, parseFilters, tagOf, valuesOf } from './filters.mjs';
import { highlight, snippets } from './highlight.mjs';
import { applyRules } from './rules.mjs';
import { meet, wordsOf } from './words.mjs';

const MAX_PAGE = 1000;
const bare = (name) => /^[a-zA-Z]+\((.+)\)$/.exec(name)?.[1] ?? name;

/** The parameters of a search: those of the call over the settings of the index. */
function paramsOf(call, index, given) {
  const texts = typeof given.params === 'string' ? paramsOfText(given.params) : {};
  return { ...call.settings(index), ...texts, ...given };
}

function paramsOfText(text) {
  const found = {};
  for (const [name, value] of new URLSearchParams(text)) {
    try {
      found[name] = name === 'query' || name === 'filters' ? value : JSON.parse(value);
    } catch {
      found[name] = value.includes(',') && name !== 'cursor' ? value.split(',') : value;
    }
  }
  return found;
}

function numberOf(params, name, usual, most = Infinity) {
  const value = params[name] ?? usual;
  if (!Number.isInteger(value) || value < 0 || value > most)
    throw invalid(
      `invalid value for ${name}, expected integer [0 - ${most === Infinity ? 2_147_483_647 : most}]`,
    );
  return value;
}

/** The words of a query, each with those that synonyms put in its place. */
function queryOf(call, index, params) {
  const words = wordsOf(params.query ?? '').map(({ word }) => word);
  const synonyms = call
    .rows('synonyms')
    .list()
    .filter((row) => row.index === index);
  return words.map((word, at) => {
    const same = new Set([word]);
    for (const { type = 'synonym', synonyms: list = [], input, corrections = [], word: main } of synonyms) {
      if (type === 'synonym' && list.some((one) => one.toLowerCase() === word))
        for (const one of list) same.add(one.toLowerCase());
      if (/^oneway/i.test(type) && input?.toLowerCase() === word)
        for (const one of list) same.add(one.toLowerCase());
      if (/^altcorrection/i.test(type) && main?.toLowerCase() === word)
        for (const one of corrections) same.add(one.toLowerCase());
    }
    const type = params.queryType ?? 'prefixLast';
    return {
      same: [...same],
      isPrefix: type === 'prefixAll' || (type === 'prefixLast' && at === words.length - 1),
    };
  });
}

/** The attributes that are searched, each with its rank: those of one line have the same. */
function searchable(object, { searchableAttributes: list, restrictSearchableAttributes: only }) {
  const named = list?.flatMap((line, rank) =>
    line.split(',').map((name) => ({ name: bare(name.trim()), rank })),
  );
  const found =
    named ??
    Object.keys(object)
      .filter((name) => name !== 'objectID')
      .map((name) => ({ name, rank: 0 }));
  return only === undefined || only.length === 0 ? found : found.filter(({ name }) => only.includes(name));
}

/** How well an object meets the words; `undefined` when one of those that must be there is not. */
function match(object, words, params) {
  const fields = searchable(object, params).flatMap(({ name, rank }) =>
    deepTexts(object, name).flatMap((text) => wordsOf(text).map((one, at) => ({ ...one, at, rank, text }))),
  );
  const typos =
    params.typoTolerance === false || params.typoTolerance === 'false'
      ? { one: Infinity, two: Infinity }
      : { one: params.minWordSizefor1Typo ?? 4, two: params.minWordSizefor2Typos ?? 8 };
  const total = { typos: 0, rank: Infinity, at: Infinity, exact: 0, met: 0, words: new Set() };
  for (const { same, isPrefix } of words) {
    let best;
    for (const field of fields)
      for (const wanted of same) {
        const found = meet(wanted, field.word, { isPrefix, typos });
        if (found === undefined) continue;
        total.words.add(field.word);
        if (
          best === undefined ||
          found.typos < best.typos ||
          (found.typos === best.typos && field.rank < best.rank)
        )
          best = { ...found, rank: field.rank, at: field.at };
      }
    if (best === undefined) continue;
    total.met += 1;
    total.typos += best.typos;
    total.rank = Math.min(total.rank, best.rank);
    total.at = Math.min(total.at, best.at);
    if (best.exact) total.exact += 1;
  }
  return total;
}

function deepTexts(object, name) {
  const at = name
    .split('.')
    .reduce((one, part) => (Array.isArray(one) ? one.map((each) => each?.[part]) : one?.[part]), object);
  const texts = [];
  const walk = (value, depth) => {
    if (typeof value === 'string' || typeof value === 'number') texts.push(String(value));
    else if (typeof value === 'object' && value !== null && depth < 20)
      for (const one of Object.values(value)) walk(one, depth + 1);
  };
  walk(at, 0);
  return texts;
}

/** The best first: fewer typos, a better attribute, an earlier place, more whole words, then what the index says. */
function compareWith(custom) {
  const ways = (custom ?? []).map((text) => {
    const [, way, name] = /^(asc|desc)\((.+)\)$/.exec(text) ?? [];
    if (name === undefined) throw invalid(`customRanking: ${text} must be asc(attribute) or desc(attribute)`);
    return { name, sign: way === 'asc' ? 1 : -1 };
  });
  return (a, b) => {
    const first =
      b.found.met - a.found.met ||
      a.found.typos - b.found.typos ||
      gap(a.found.rank, b.found.rank) ||
      gap(a.found.at, b.found.at) ||
      b.found.exact - a.found.exact;
    if (first !== 0) return first;
    for (const { name, sign } of ways) {
      const [one] = valuesOf(a.object, name);
      const [other] = valuesOf(b.object, name);
      if (one === other) continue;
      if (one === undefined) return 1;
      if (other === undefined) return -1;
      return one < other ? -sign : sign;
    }
    return 0;
  };
}

const gap = (a, b) => (a === b ? 0 : a < b ? -1 : 1);

/** Whether an attribute may be filtered by, and as what: Algolia knows no other facets. */
function facetNames({ attributesForFaceting: list = [] }) {
  return list.map(bare);
}

function filterOf(params) {
  const facets = facetNames(params);
  const has = (object, name, isNumber) =>
    isNumber || name === '_tags' || name === 'objectID' || facets.includes(name)
      ? valuesOf(object, name)
      : [];
  const tests = [
    typeof params.filters === 'string' ? parseFilters(params.filters) : () => true,
    listFilters(params.facetFilters, 'facetFilters', facetOf),
    listFilters(params.numericFilters, 'numericFilters', numericOf),
    listFilters(params.tagFilters, 'tagFilters', tagOf),
  ];
  return (object) => tests.every((test) => test(object, has));
}

/** Objects that pass and meet the query, the best first, and what rules have to say of it. */
export async function find(call, index, given) {
  if (!call.exists(index)) throw noIndex(index);
  const { params, shape, rules } = applyRules(call, index, paramsOf(call, index, given));
  const words = queryOf(call, index, params);
  const pass = filterOf(params);
  const passing = await filterInSlices(await call.objects(index), pass);
  const candidates = await mapInSlices(passing, (object) => ({
    object,
    found: match(object, words, params),
  }));
  let hits = candidates.filter(({ found }) => found.met === words.length);
  if (hits.length === 0 && words.length > 1) {
    const way = params.removeWordsIfNoResults;
    if (way === 'allOptional') hits = candidates.filter(({ found }) => found.met > 0);
    else if (way === 'lastWords' || way === 'firstWords') {
      for (let count = words.length - 1; count > 0 && hits.length === 0; count -= 1) {
        const fewer = way === 'lastWords' ? words.slice(0, count) : words.slice(-count);
        const less = await mapInSlices(passing, (object) => ({
          object,
          found: match(object, fewer, params),
        }));
        hits = less.filter(({ found }) => found.met === fewer.length);
      }
    }
  }
  hits = await sortInSlices(hits, compareWith(params.customRanking));
  return { hits: shape(distinct(hits, params)), params, words, rules };
}

function distinct(hits, { distinct: most = 0, attributeForDistinct: name }) {
  const limit = Number(most);
  if (limit === 0 || name === undefined) return hits;
  const seen = new Map();
  return hits.filter(({ object }) => {
    const [value] = valuesOf(object, name);
    if (value === undefined) return true;
    const count = (seen.get(value) ?? 0) + 1;
    seen.set(value, count);
    return count <= limit;
  });
}

/** What an answer has of an object. */
export function shownOf(object, wanted, { unretrievableAttributes: never = [] } = {}) {
  const list = typeof wanted === 'string' ? wanted.split(',') : wanted;
  const isAll = list === undefined || list.includes('*');
  const without = new Set([
    ...never,
    ...(list ?? []).filter((name) => name.startsWith('-')).map((name) => name.slice(1)),
  ]);
  return Object.fromEntries(
    Object.entries(object).filter(
      ([name]) =>
        name === 'objectID' ||
        (!without.has(name) && (isAll || list.some((one) => one === name || one.startsWith(`${name}.`)))),
    ),
  );
}

async function facetsOf(hits, params) {
  const names = facetNames(params);
  const asked = typeof params.facets === 'string' ? params.facets.split(',') : (params.facets ?? []);
  const wanted = asked.includes('*') ? names : asked.filter((name) => names.includes(name));
  const facets = {};
  const stats = {};
  const most = params.maxValuesPerFacet ?? 100;
  for (const name of wanted) {
    const counts = new Map();
    await eachInSlices(hits, ({ object }) => {
      for (const value of new Set(valuesOf(object, name))) counts.set(value, (counts.get(value) ?? 0) + 1);
    });
    if (counts.size === 0) continue;
    const sorted = [...counts].sort(([a, x], [b, y]) =>
      params.sortFacetValuesBy === 'alpha' ? gap(String(a), String(b)) : y - x || gap(String(a), String(b)),
    );
    facets[name] = Object.fromEntries(sorted.slice(0, most));
    const numbers = [...counts].filter(([value]) => typeof value === 'number');
    if (numbers.length === 0) continue;
    const sum = numbers.reduce((all, [value, count]) => all + value * count, 0);
    const count = numbers.reduce((all, [, each]) => all + each, 0);
    const values = numbers.map(([value]) => value);
    stats[name] = { min: Math.min(...values), max: Math.max(...values), avg: sum / count, sum };
  }
  return { facets, stats };
}

/** One search, as it is answered. */
export async function answer(call, index, given) {
  const { hits, params, words, rules } = await find(call, index, given);
  const size = numberOf(params, 'hitsPerPage', 20, MAX_PAGE);
  const page = numberOf(params, 'page', 0);
  const limit = params.paginationLimitedTo ?? 1000;
  const isOffset = params.offset !== undefined || params.length !== undefined;
  const start = isOffset ? numberOf(params, 'offset', 0) : page * size;
  const count = isOffset ? numberOf(params, 'length', 0, MAX_PAGE) : size;
  const reachable = hits.slice(0, limit);
  const shown = reachable.slice(start, start + count).map(({ object, found }) => ({
    ...shownOf(object, params.attributesToRetrieve, params),
    ...highlight(object, found, words, params),
    ...snippets(object, found, params),
    ...(params.getRankingInfo === true && {
      _rankingInfo: {
        nbTypos: found.typos,
        firstMatchedWord: Number.isFinite(found.at) ? found.at : 0,
        proximityDistance: 0,
        userScore: 0,
        geoDistance: 0,
        geoPrecision: 0,
        nbExactWords: found.exact,
        words: found.met,
        filters: 0,
      },
    }),
  }));
  const { facets, stats } = await facetsOf(hits, params);
  const texts = Object.entries(given).filter(
    ([name]) => name !== 'params' && name !== 'indexName' && name !== 'type',
  );
  return {
    hits: shown,
    nbHits: hits.length,
    ...(isOffset
      ? { offset: start, length: count }
      : {
          page,
          nbPages: size === 0 ? 0 : Math.ceil(Math.min(hits.length, limit) / size),
          hitsPerPage: size,
        }),
    ...(start >= limit &&
      hits.length > limit && {
        message: `you can only fetch the ${limit} hits for this query. You can extend the number of hits returned via the paginationLimitedTo index parameter or use the browse method.`,
      }),
    ...(params.facets !== undefined && {
      facets,
      ...(Object.keys(stats).length > 0 && { facets_stats: stats }),
    }),
    exhaustiveFacetsCount: true,
    exhaustiveNbHits: true,
    exhaustiveTypo: true,
    exhaustive: { facetsCount: true, nbHits: true, typo: true },
    query: params.query ?? '',
    params: new URLSearchParams(
      texts.map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)]),
    ).toString(),
    ...(rules.length > 0 &&
      params.getRankingInfo === true && { appliedRules: rules.map((objectID) => ({ objectID })) }),
    ...(params.userData !== undefined && { userData: params.userData }),
    index,
    processingTimeMS: 1,
    ...(params.clickAnalytics === true && { queryID: call.context.random.uuid().replaceAll('-', '') }),
  };
}

async function many(call) {
  const { requests, strategy = 'none' } = call.body;
  const results = [];
  for (const request of listOf(requests, 'requests')) {
    if (typeof request?.indexName !== 'string') throw invalid('indexName is required for each of requests');
    const isFacet = request.type === 'facet';
    const result = isFacet
      ? await facetHits(call, request.indexName, request.facet, request)
      : await answer(call, request.indexName, request);
    results.push(result);
    if (strategy === 'stopIfEnoughMatches' && (result.nbHits ?? 0) >= (result.hitsPerPage ?? 1)) break;
  }
  return { results };
}

/** Values of a facet that begin with a text. */
async function facetHits(call, index, name, { facetQuery = '', maxFacetHits = 10, ...given }) {
  const settings = call.settings(index);
  const declared = settings.attributesForFaceting?.find((one) => bare(one) === name);
  if (declared === undefined || !declared.startsWith('searchable('))
    throw new AlgoliaError(
      400,
      `Cannot search in \`${name}\` attribute, you need to add \`searchable(${name})\` to attributesForFaceting.`,
    );
  const { hits, params } = await find(call, index, given);
  const { facets } = await facetsOf(hits, { ...params, facets: [name], maxValuesPerFacet: 100_000 });
  const wanted = facetQuery.toLowerCase();
  const found = Object.entries(facets[name] ?? {}).filter(
    ([value]) =>
      wordsOf(value).some(({ word }) => word.startsWith(wanted)) || value.toLowerCase().startsWith(wanted),
  );
  return {
    facetHits: found.slice(0, maxFacetHits).map(([value, count]) => {
      const at = value.toLowerCase().indexOf(wanted);
      const mark =
        wanted === '' || at < 0
          ? value
          : `${value.slice(0, at)}<em>${value.slice(at, at + wanted.length)}</em>${value.slice(at + wanted.length)}`;
      return { value, highlighted: mark, count };
    }),
    exhaustiveFacetsCount: true,
    processingTimeMS: 1,
  };
}

const facetSearch = (call) => {
  const { params, ...given } = call.body;
  return facetHits(call, call.index, call.request.params.facet, {
    ...(params && paramsOfText(params)),
    ...given,
  });
};

export const search = operation('search', (call) => answer(call, call.index, call.body));
export const searchMany = operation('search', many);
export const searchFacet = operation('search', facetSearch);
export const searchLate = operation('search', (call) => answer(call, call.index, call.body), { late: true });
export const searchManyLate = operation('search', many, { late: true });

/** All objects of an index in pages, by a cursor that has the place of the next. */
export const browse = operation('browse', async (call) => {
  const { cursor, ...rest } = call.body;
  const [start, given] = cursor === undefined ? [0, rest] : decode(cursor);
  const { hits, params } = await find(call, call.index, given);
  const size = numberOf(params, 'hitsPerPage', 1000, MAX_PAGE);
  const next = start + size;
  return {
    hits: hits.slice(start, next).map(({ object }) => shownOf(object, params.attributesToRetrieve, params)),
    page: Math.floor(start / Math.max(1, size)),
    nbHits: hits.length,
    nbPages: Math.ceil(hits.length / Math.max(1, size)),
    hitsPerPage: size,
    query: params.query ?? '',
    params: '',
    processingTimeMS: 1,
    ...(size > 0 &&
      next < hits.length && { cursor: Buffer.from(JSON.stringify([next, given])).toString('base64url') }),
  };
});

function decode(cursor) {
  try {
    const [start, given] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Number.isInteger(start) && start >= 0 && typeof given === 'object' && given !== null)
      return [start, given];
  } catch {
    // What cannot be read was not made here.
  }
  throw invalid('Cursor not valid');
}

/** Makes the test of what is deleted by filters. */
export function testOf(call, index, given) {
  if (!call.exists(index)) throw noIndex(index);
  return filterOf(paramsOf(call, index, given));
}
