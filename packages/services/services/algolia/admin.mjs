import { AlgoliaError, invalid, listOf, noIndex, operation } from './api.mjs';

const DEFAULTS = {
  minWordSizefor1Typo: 4,
  minWordSizefor2Typos: 8,
  hitsPerPage: 20,
  maxValuesPerFacet: 100,
  paginationLimitedTo: 1000,
  queryType: 'prefixLast',
  highlightPreTag: '<em>',
  highlightPostTag: '</em>',
  ranking: ['typo', 'geo', 'words', 'filters', 'proximity', 'attribute', 'exact', 'custom'],
  version: 2,
};

export const getSettings = operation('settings', (call) => {
  if (!call.exists(call.index)) throw noIndex(call.index);
  return { ...DEFAULTS, ...call.settings(call.index) };
});

const LISTS = [
  'searchableAttributes',
  'attributesForFaceting',
  'customRanking',
  'attributesToRetrieve',
  'attributesToHighlight',
  'attributesToSnippet',
];

export const setSettings = operation('editSettings', (call) => {
  const { body } = call;
  for (const name of LISTS)
    if (
      body[name] !== undefined &&
      body[name] !== null &&
      !(Array.isArray(body[name]) && body[name].every((one) => typeof one === 'string'))
    )
      throw invalid(`Invalid object attributes: attribute ${name} must be an array of texts`);
  const merged = { ...call.settings(call.index), ...body };
  const settings = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
  call.touch(call.index, settings);
  return { updatedAt: call.now, taskID: call.task() };
});

function taskOf(call, isLate) {
  const { id } = call;
  const tasks = call.rows('tasks');
  if (!tasks.has(id)) throw new AlgoliaError(404, `taskID ${id} does not exist`);
  const until = tasks.get(id).made + (isLate ? 1000 * Number(call.context.vars.algolia.late ?? 0) : 0);
  const isDone = call.context.clock.now() >= until;
  return { status: isDone ? 'published' : 'notPublished', pendingTask: !isDone };
}

export const task = operation('addObject', (call) => taskOf(call, false));
export const taskLate = operation('addObject', (call) => taskOf(call, true));

const ACL =
  'addObject analytics browse deleteObject deleteIndex editSettings inference listIndexes logs personalization recommendation search seeUnretrievableAttributes settings usage'.split(
    ' ',
  );

function checkAcl(acl) {
  for (const one of listOf(acl, 'acl'))
    if (!ACL.includes(one)) throw invalid(`acl is not valid: ${one}; it is one of ${ACL.join(', ')}`);
}

const shownKey = ({ id, ...row }) => ({ value: id, ...row });

function keyOf(call) {
  const rows = call.rows('keys');
  if (!rows.has(call.id)) throw new AlgoliaError(404, 'Key does not exist');
  return rows.get(call.id);
}

export const addKey = operation('admin', (call) => {
  checkAcl(call.body.acl);
  const { id } = call.rows('keys').create({
    ...call.body,
    id: call.context.random.string(32).toLowerCase(),
    validity: call.body.validity ?? 0,
    createdAt: Math.floor(call.context.clock.now() / 1000),
  });
  return { key: id, createdAt: call.now };
});
export const getKey = operation('search', (call) => shownKey(keyOf(call)));
export const listKeys = operation('admin', (call) => ({ keys: call.rows('keys').list().map(shownKey) }));
export const updateKey = operation('admin', (call) => {
  checkAcl(call.body.acl);
  call.rows('keys').replace(call.id, { ...keyOf(call), ...call.body, id: call.id });
  return { key: call.id, updatedAt: call.now };
});
export const removeKey = operation('admin', (call) => {
  call.rows('keys').remove(keyOf(call).id);
  return { deletedAt: call.now };
});
