import { eachInSlices } from '../../waiting/slices.mjs';
import { AlgoliaError, invalid, listOf, noIndex, operation, textOf } from './api.mjs';
import { shownOf, testOf } from './search.mjs';

const MAX_SIZE = 100_000;
const keyOf = (index, id) => `${index}/${id}`;

/** Puts an object in place of the one with its id, or as a new one. */
function put(call, index, id, object) {
  if (typeof object !== 'object' || object === null || Array.isArray(object))
    throw invalid('an object is expected');
  if (JSON.stringify(object).length > MAX_SIZE)
    throw invalid(
      `Record at the position 0 objectID=${id} is too big size=${JSON.stringify(object).length}/${MAX_SIZE} bytes.`,
    );
  const { objectID: _id, ...rest } = object;
  const rows = call.rows('objects');
  const key = keyOf(index, id);
  const row = { id: key, object: rest, written: call.context.clock.now() };
  if (rows.has(key)) rows.replace(key, row);
  else rows.create(row);
}

function remove(call, index, id) {
  const key = keyOf(index, id);
  if (call.rows('objects').has(key)) call.rows('objects').remove(key);
}

const COUNTS = { Increment: 1, Decrement: -1 };

/** Applies what is sent as a part of an object: values, or operations such as `Increment` and `AddUnique`. */
function patch(call, index, id, part, create) {
  const rows = call.rows('objects');
  const key = keyOf(index, id);
  if (!rows.has(key) && !create) return;
  const object = rows.has(key) ? { ...rows.get(key).object } : {};
  for (const [name, value] of Object.entries(part)) {
    if (name === 'objectID') continue;
    const action = typeof value === 'object' && value !== null ? value._operation : undefined;
    if (action === undefined) {
      object[name] = value;
      continue;
    }
    const { value: by } = value;
    if (Object.hasOwn(COUNTS, action)) {
      if (typeof by !== 'number') throw invalid(`${action} of ${name} needs a number`);
      object[name] = Number(object[name] ?? 0) + COUNTS[action] * by;
    } else if (action === 'Add') object[name] = [...(object[name] ?? []), by];
    else if (action === 'AddUnique') object[name] = [...new Set([...(object[name] ?? []), by])];
    else if (action === 'Remove') object[name] = (object[name] ?? []).filter((one) => one !== by);
    else if (action === 'IncrementFrom' || action === 'IncrementSet') {
      const now = Number(object[name] ?? 0);
      if (action === 'IncrementFrom' ? now === by : by > now)
        object[name] = action === 'IncrementFrom' ? now + 1 : by;
    } else
      throw invalid(
        `_operation is not valid: ${action}; it is one of Increment, Decrement, Add, Remove, AddUnique, IncrementFrom, IncrementSet`,
      );
  }
  put(call, index, id, object);
}

const objectOf = ({ body }) => {
  if (Array.isArray(body)) throw invalid('an object is expected, not an array');
  return body;
};

export const add = operation('addObject', (call) => {
  const body = objectOf(call);
  const id = body.objectID === undefined ? newId(call) : textOf(String(body.objectID), 'objectID');
  call.touch(call.index);
  put(call, call.index, id, body);
  return { createdAt: call.now, taskID: call.task(), objectID: id };
});

const newId = ({ context }) => context.random.string(14);

export const save = operation('addObject', (call) => {
  const body = objectOf(call);
  call.touch(call.index);
  put(call, call.index, call.id, body);
  return { updatedAt: call.now, taskID: call.task(), objectID: call.id };
});

export const get = operation('search', (call) => {
  if (!call.exists(call.index)) throw noIndex(call.index);
  return shownOf(found(call, call.index, call.id), call.query.attributesToRetrieve);
});

function found(call, index, id) {
  const rows = call.rows('objects');
  const key = keyOf(index, id);
  if (!rows.has(key)) throw new AlgoliaError(404, 'ObjectID does not exist');
  return { ...rows.get(key).object, objectID: id };
}

export const getMany = operation('search', (call) => {
  const missing = [];
  const results = listOf(call.body.requests, 'requests').map(
    ({ indexName, objectID, attributesToRetrieve }) => {
      if (!call.exists(textOf(indexName, 'indexName'))) throw noIndex(indexName);
      if (!call.rows('objects').has(keyOf(indexName, objectID))) {
        missing.push(objectID);
        return null;
      }
      return shownOf(found(call, indexName, objectID), attributesToRetrieve);
    },
  );
  return { results, ...(missing.length > 0 && { message: `ObjectID ${missing.join(', ')} does not exist` }) };
});

export const partial = operation('addObject', (call) => {
  const body = objectOf(call);
  call.touch(call.index);
  patch(call, call.index, call.id, body, call.query.createIfNotExists !== 'false');
  return { updatedAt: call.now, taskID: call.task(), objectID: call.id };
});

export const removeOne = operation('deleteObject', (call) => {
  remove(call, call.index, call.id);
  return { deletedAt: call.now, taskID: call.task() };
});

const ACTIONS =
  'addObject updateObject partialUpdateObject partialUpdateObjectNoCreate deleteObject delete clear'.split(
    ' ',
  );

function perform(call, index, { action, body = {} }) {
  if (!ACTIONS.includes(action))
    throw invalid(`action is not valid: ${action}; it is one of ${ACTIONS.join(', ')}`);
  if (action === 'clear' || action === 'delete') {
    clearIndex(call, index, action === 'delete');
    return '';
  }
  if (typeof body !== 'object' || body === null) throw invalid('body must be an object');
  const id =
    action === 'addObject' && body.objectID === undefined ? newId(call) : String(body.objectID ?? '');
  if (id === '') throw invalid('objectID is required in each body');
  if (action === 'deleteObject') remove(call, index, id);
  else if (action.startsWith('partial')) patch(call, index, id, body, action === 'partialUpdateObject');
  else put(call, index, id, body);
  return id;
}

export const batch = operation('addObject', (call) => {
  const requests = listOf(call.body.requests, 'requests');
  if (call.index !== '*') {
    call.touch(call.index);
    const objectIDs = requests.map((one) => perform(call, call.index, one ?? {}));
    return { objectIDs, taskID: call.task() };
  }
  const taskID = {};
  const objectIDs = requests.map((one) => {
    const index = textOf(one?.indexName, 'indexName');
    call.touch(index);
    const id = perform(call, index, one);
    taskID[index] ??= call.task();
    return id;
  });
  return { objectIDs, taskID };
});

function clearIndex(call, index, isWhole) {
  const rows = call.rows('objects');
  for (const { id } of rows.list()) if (id.startsWith(`${index}/`)) rows.remove(id);
  if (isWhole) clearSettings(call, index);
}

/** Removes what an index is set to do, its rules and its synonyms. */
function clearSettings(call, index) {
  if (call.rows('indexes').has(index)) call.rows('indexes').remove(index);
  for (const name of ['rules', 'synonyms'])
    for (const row of call.rows(name).list()) if (row.index === index) call.rows(name).remove(row.id);
}

export const clear = operation('deleteIndex', (call) => {
  clearIndex(call, call.index, false);
  return { updatedAt: call.now, taskID: call.task() };
});

export const removeIndex = operation('deleteIndex', (call) => {
  clearIndex(call, call.index, true);
  return { deletedAt: call.now, taskID: call.task() };
});

export const removeBy = operation('deleteIndex', async (call) => {
  const { filters, facetFilters, numericFilters, tagFilters } = call.body;
  if ([filters, facetFilters, numericFilters, tagFilters].every((one) => one === undefined))
    throw invalid('deleteBy needs a filter: filters, facetFilters, numericFilters or tagFilters');
  const isMeant = testOf(call, call.index, call.body);
  const begin = keyOf(call.index, '');
  await eachInSlices(call.rows('objects').list(), ({ id: key }) => {
    if (!key.startsWith(begin)) return;
    const id = key.slice(begin.length);
    // As it is now, right before it is removed.
    const object = call.object(call.index, id);
    if (object !== undefined && isMeant(object)) remove(call, call.index, id);
  });
  return { updatedAt: call.now, taskID: call.task() };
});

const ofIndex = (call, index) =>
  call
    .rows('objects')
    .list()
    .filter(({ id }) => id.startsWith(keyOf(index, '')));

/** Puts the objects of an index in place of those of another, at once, so that nobody sees a part of them. */
function copyObjects(call, index, destination, isWhole) {
  const rows = call.rows('objects');
  const before = ofIndex(call, destination);
  const put = (row) => (rows.has(row.id) ? rows.replace(row.id, row) : rows.create(row));
  const written = call.context.clock.now();
  const source = ofIndex(call, index);
  try {
    if (isWhole) for (const { id } of before) rows.remove(id);
    for (const { id, object } of source)
      put({ id: keyOf(destination, id.slice(keyOf(index, '').length)), object, written });
  } catch (thrown) {
    // There was no room for all of them.
    for (const { id } of ofIndex(call, destination)) rows.remove(id);
    before.forEach(put);
    throw thrown;
  }
}

/** Copies an index, or moves it. */
export const operate = operation('addObject', (call) => {
  const { operation: what, destination, scope = ['settings', 'rules', 'synonyms', 'records'] } = call.body;
  if (what !== 'copy' && what !== 'move')
    throw invalid(`operation is not valid: ${what}; it is copy or move`);
  call.checkName(textOf(destination, 'destination'));
  if (destination === call.index)
    throw invalid(`destination is not valid: ${destination} is the index itself`);
  if (!call.exists(call.index)) throw noIndex(call.index);
  const isPart = call.body.scope !== undefined;
  if (!isPart || scope.includes('records')) copyObjects(call, call.index, destination, !isPart);
  if (!isPart) clearSettings(call, destination);
  call.touch(destination, scope.includes('settings') ? call.settings(call.index) : undefined);
  for (const name of ['rules', 'synonyms']) {
    if (!scope.includes(name)) continue;
    for (const row of call.rows(name).list()) {
      const id = row.id.replace(`${call.index}/`, `${destination}/`);
      if (row.index !== call.index) continue;
      const copy = { ...row, id, index: destination };
      if (call.rows(name).has(id)) call.rows(name).replace(id, copy);
      else call.rows(name).create(copy);
    }
  }
  if (what === 'move') clearIndex(call, call.index, true);
  return { updatedAt: call.now, taskID: call.task() };
});

export const list = operation('listIndexes', async (call) => {
  const names = new Set(
    call
      .rows('indexes')
      .list()
      .map(({ id }) => id),
  );
  for (const { id } of call.rows('objects').values()) names.add(id.slice(0, id.indexOf('/')));
  const items = [];
  for (const name of [...names].sort()) {
    const row = call.rows('indexes').has(name) ? call.rows('indexes').get(name) : {};
    let entries = 0;
    let size = 0;
    await eachInSlices(await call.objects(name), (object) => {
      entries += 1;
      size += JSON.stringify(object).length;
    });
    items.push({
      name,
      createdAt: row.created ?? call.now,
      updatedAt: row.updated ?? call.now,
      entries,
      dataSize: size,
      fileSize: size,
      lastBuildTimeS: 0,
      numberOfPendingTasks: 0,
      pendingTask: false,
    });
  }
  const size = Number(call.query.hitsPerPage ?? 100);
  const page = Number(call.query.page ?? -1);
  const shown = page < 0 ? items : items.slice(page * size, (page + 1) * size);
  return { items: shown, nbPages: page < 0 ? 1 : Math.ceil(items.length / Math.max(1, size)) };
});
