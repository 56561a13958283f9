import { AlgoliaError, invalid, listOf, operation, textOf } from './api.mjs';

const rowKey = (index, id) => `${index}/${id}`;

/**
 * What rules of an index change for a query: its parameters, its words, which objects stand first and which are hidden.
 * A rule is for a query by `pattern` and `anchoring`; one without conditions is for all.
 */
export function applyRules(call, index, params) {
  const rules = call
    .rows('rules')
    .list()
    .filter((row) => row.index === index && row.rule.enabled !== false);
  let changed = params;
  const promoted = [];
  const hidden = new Set();
  const applied = [];
  if (params.enableRules !== false)
    for (const { rule } of rules) {
      const { conditions = rule.condition === undefined ? [] : [rule.condition], consequence = {} } = rule;
      if (conditions.length > 0 && !conditions.some((one) => isMet(one, params))) continue;
      applied.push(rule.objectID);
      const {
        query,
        automaticFacetFilters: _facets,
        automaticOptionalFacetFilters: _optional,
        ...more
      } = consequence.params ?? {};
      changed = { ...changed, ...more };
      if (typeof query === 'string') changed.query = query;
      for (const word of query?.remove ?? []) changed.query = without(changed.query, word);
      for (const { type, delete: from, insert } of query?.edits ?? [])
        changed.query =
          type === 'replace'
            ? String(changed.query ?? '').replace(from, insert)
            : without(changed.query, from);
      if (more.filters !== undefined && params.filters !== undefined)
        changed.filters = `(${params.filters}) AND (${more.filters})`;
      for (const { objectID, objectIDs = [objectID], position = 0 } of consequence.promote ?? [])
        promoted.push({ objectIDs, position });
      for (const { objectID } of consequence.hide ?? []) hidden.add(objectID);
      if (consequence.userData !== undefined)
        changed.userData = [...(changed.userData ?? []), consequence.userData];
    }
  const shape = (hits) => {
    if (promoted.length === 0 && hidden.size === 0) return hits;
    const first = new Set(promoted.flatMap(({ objectIDs }) => objectIDs));
    const rest = hits.filter(({ object }) => !hidden.has(object.objectID) && !first.has(object.objectID));
    if (first.size === 0) return rest;
    for (const { objectIDs, position } of promoted) {
      const found = objectIDs
        .map((id) => ({ object: call.object(index, id), found: nothing() }))
        .filter(({ object }) => object !== undefined);
      rest.splice(position, 0, ...found);
    }
    return rest;
  };
  return { params: changed, shape, rules: applied };
}

const nothing = () => ({ typos: 0, rank: 0, at: 0, exact: 0, met: 0, words: new Set() });
const without = (query, word) =>
  String(query ?? '')
    .split(/\s+/)
    .filter((one) => one.toLowerCase() !== String(word).toLowerCase())
    .join(' ');

function isMet({ pattern, anchoring = 'is', context }, { query = '', ruleContexts = [] }) {
  if (context !== undefined && !ruleContexts.includes(context)) return false;
  if (pattern === undefined) return context !== undefined;
  const text = query.trim().toLowerCase();
  const wanted = pattern.trim().toLowerCase();
  if (anchoring === 'is') return text === wanted;
  if (anchoring === 'startsWith') return text.startsWith(wanted);
  if (anchoring === 'endsWith') return text.endsWith(wanted);
  return ` ${text} `.includes(` ${wanted} `);
}

function checkRule(rule) {
  textOf(rule?.objectID, 'objectID');
  if (typeof rule.consequence !== 'object' || rule.consequence === null)
    throw invalid('consequence is required');
  for (const { anchoring = 'is' } of rule.conditions ?? [])
    if (!['is', 'startsWith', 'endsWith', 'contains'].includes(anchoring))
      throw invalid(`anchoring is not valid: ${anchoring}`);
  return rule;
}

const TYPES = ['synonym', 'onewaysynonym', 'altcorrection1', 'altcorrection2', 'placeholder'];

function checkSynonym(synonym) {
  textOf(synonym?.objectID, 'objectID');
  if (!TYPES.includes(String(synonym.type).toLowerCase()))
    throw invalid(`type is not valid: ${synonym.type}; it is one of ${TYPES.join(', ')}`);
  if (/synonym$/i.test(synonym.type))
    listOf(synonym.synonyms, 'synonyms').every((one) => textOf(one, 'synonyms'));
  return synonym;
}

/** The calls of what an index has a list of: rules or synonyms. */
function resource(name, check, field) {
  const put = (call, one) => {
    const rows = call.rows(name);
    const id = rowKey(call.index, one.objectID);
    const row = { id, index: call.index, ...(field === undefined ? one : { [field]: one }) };
    if (rows.has(id)) rows.replace(id, row);
    else rows.create(row);
  };
  const shown = ({ id: _id, index: _index, ...row }) => (field === undefined ? row : row[field]);
  const own = (call) =>
    call
      .rows(name)
      .list()
      .filter((row) => row.index === call.index);
  const clear = (call) => {
    for (const { id } of own(call)) call.rows(name).remove(id);
  };
  return {
    save: operation('editSettings', (call) => {
      call.touch(call.index);
      put(call, check({ ...call.body, objectID: call.id }));
      return { taskID: call.task(), updatedAt: call.now, id: call.id };
    }),
    saveMany: operation('editSettings', (call) => {
      const list = listOf(call.body, name).map(check);
      call.touch(call.index);
      const { clearExistingRules, replaceExistingSynonyms } = call.query;
      if (clearExistingRules === 'true' || replaceExistingSynonyms === 'true') clear(call);
      for (const one of list) put(call, one);
      return { taskID: call.task(), updatedAt: call.now };
    }),
    get: operation('settings', (call) => {
      const key = rowKey(call.index, call.id);
      if (!call.rows(name).has(key)) throw new AlgoliaError(404, 'ObjectID does not exist');
      return shown(call.rows(name).get(key));
    }),
    remove: operation('editSettings', (call) => {
      const key = rowKey(call.index, call.id);
      if (call.rows(name).has(key)) call.rows(name).remove(key);
      return { taskID: call.task(), deletedAt: call.now };
    }),
    search: operation('settings', (call) => {
      const { query = '', page = 0, hitsPerPage: size = 20 } = call.body;
      const found = own(call)
        .map(shown)
        .filter((one) => JSON.stringify(one).toLowerCase().includes(String(query).toLowerCase()));
      return {
        hits: found.slice(page * size, (page + 1) * size),
        nbHits: found.length,
        page,
        nbPages: Math.ceil(found.length / Math.max(1, size)),
      };
    }),
    clear: operation('editSettings', (call) => {
      clear(call);
      return { taskID: call.task(), updatedAt: call.now };
    }),
  };
}

export const {
  save: saveRule,
  saveMany: saveRules,
  get: getRule,
  remove: removeRule,
  search: searchRules,
  clear: clearRules,
} = resource('rules', checkRule, 'rule');
export const {
  save: saveSynonym,
  saveMany: saveSynonyms,
  get: getSynonym,
  remove: removeSynonym,
  search: searchSynonyms,
  clear: clearSynonyms,
} = resource('synonyms', checkSynonym);
