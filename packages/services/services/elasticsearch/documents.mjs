import { setImmediate as nextTurn } from 'node:timers/promises';
import { SearchError, conflict, illegal, noIndex } from './errors.mjs';
import { bodyOf, filtered, find } from './search.mjs';

const STEP = 200;
const shards = { total: 2, successful: 1, failed: 0 };

const written = ({ index, version, seq, result }, id) => ({
  _index: index,
  _id: id,
  _version: version,
  result,
  _shards: shards,
  _seq_no: seq,
  _primary_term: 1,
});

/** Refreshes what was written when the call asks for it. */
function settle({ store, query }, names) {
  if (query.refresh !== undefined && query.refresh !== 'false') store.refresh([...new Set(names)]);
}

export function indexDocument(call) {
  const { store, index, query, body } = call;
  const id = call.id ?? store.newId();
  const isNew = call.id === undefined;
  const made = store.put(index, id, call.hasBody ? body : undefined, {
    ...query,
    ...(isNew && { op_type: 'create' }),
  });
  settle(call, [made.index]);
  return {
    status: made.result === 'created' ? 201 : 200,
    headers: { Location: `/${made.index}/_doc/${encodeURIComponent(id)}` },
    json: written(made, id),
  };
}

export const createDocument = (call) =>
  indexDocument({ ...call, query: { ...call.query, op_type: 'create' } });

function found(call, index, id, wanted) {
  const { store } = call;
  const names = store.resolve(index);
  const name = names.find((one) => store.get(one, id) !== undefined);
  if (name === undefined) return { _index: names[0] ?? index, _id: id, found: false };
  const { source, version = 1, seq = 0, routing } = store.get(name, id);
  const shown = filtered(source, wanted);
  return {
    _index: name,
    _id: id,
    _version: version,
    _seq_no: seq,
    _primary_term: 1,
    ...(routing !== undefined && { _routing: routing }),
    found: true,
    ...(shown !== undefined && { _source: shown }),
  };
}

export function getDocument(call) {
  const json = found(call, call.index, call.id, bodyOf(call)._source);
  return { status: json.found ? 200 : 404, json };
}

export function getSource(call) {
  const { _source, found: isThere } = found(call, call.index, call.id, bodyOf(call)._source);
  if (!isThere)
    throw new SearchError(
      404,
      'resource_not_found_exception',
      `Document not found [${call.index}]/[${call.id}]`,
    );
  return { json: _source };
}

export function getMany(call) {
  const { docs, ids } = call.body;
  const wanted = docs ?? ids?.map((_id) => ({ _id }));
  if (!Array.isArray(wanted))
    throw new SearchError(
      400,
      'action_request_validation_exception',
      'Validation Failed: 1: no documents to get;',
    );
  return {
    json: {
      docs: wanted.map(({ _index = call.index, _id, _source }) => {
        try {
          return found(call, _index, String(_id), _source ?? bodyOf(call)._source);
        } catch (error) {
          if (!(error instanceof SearchError)) throw error;
          return { _index, _id, error: error.body.error };
        }
      }),
    },
  };
}

export function deleteDocument(call) {
  const made = call.store.remove(call.index, call.id, call.query);
  settle(call, [made.index]);
  return { status: made.result === 'not_found' ? 404 : 200, json: written(made, call.id) };
}

/** Objects with the members of another, at all depths. */
function merged(under, over, depth = 0) {
  const isObject = (one) => typeof one === 'object' && one !== null && !Array.isArray(one);
  if (!isObject(under) || !isObject(over) || depth > 50) return over;
  const made = { ...under };
  for (const [name, value] of Object.entries(over))
    made[name] = Object.hasOwn(under, name) ? merged(under[name], value, depth + 1) : value;
  return made;
}

function updateOne(store, given, id, body, options) {
  const { doc, upsert, script, doc_as_upsert: isBoth, detect_noop: detects = true } = body;
  if (script !== undefined)
    throw illegal('scripts are not mocked: an update has doc, upsert or doc_as_upsert');
  if (doc === undefined && upsert === undefined)
    throw new SearchError(
      400,
      'action_request_validation_exception',
      'Validation Failed: 1: script or doc is missing;',
    );
  const index = store.writable(given);
  const before = store.get(index, id);
  if (before === undefined) {
    if (options.if_seq_no !== undefined)
      throw conflict(id, index, `required seqNo [${options.if_seq_no}]. but no document was found`);
    const first = upsert ?? (isBoth === true ? doc : undefined);
    if (first !== undefined) return store.put(index, id, first, {});
    if (!store.names().includes(index)) throw noIndex(index);
    throw new SearchError(404, 'document_missing_exception', `[${id}]: document missing`, {
      index_uuid: 'backlot',
      shard: '0',
      index,
    });
  }
  const next = merged(before.source, doc ?? {});
  if (detects && JSON.stringify(next) === JSON.stringify(before.source))
    return { index, version: before.version ?? 1, seq: before.seq ?? 0, result: 'noop' };
  return store.put(index, id, next, options);
}

export function updateDocument(call) {
  const { store, index, id, body, query } = call;
  const made = updateOne(store, index, id, body, query);
  settle(call, [made.index]);
  const wanted = query._source ?? body._source;
  return {
    status: made.result === 'created' ? 201 : 200,
    json: {
      ...written(made, id),
      ...(wanted !== undefined &&
        wanted !== 'false' && { get: found(call, made.index, id, wanted === 'true' ? true : wanted) }),
    },
  };
}

const ACTIONS = ['index', 'create', 'update', 'delete'];

/** Many changes, each with an answer of its own. */
export async function bulk(call) {
  const { store, query } = call;
  const lines = call.lines();
  const items = [];
  const touched = [];
  for (let at = 0; at < lines.length; at += 1) {
    const [action, ...more] = Object.keys(lines[at] ?? {});
    if (!ACTIONS.includes(action) || more.length > 0)
      throw illegal(
        `Malformed action/metadata line [${at + 1}], expected one of [create, delete, index, update] but found [${action}]`,
      );
    const { _index = call.index, _id, ...options } = lines[at][action];
    if (action !== 'delete') at += 1;
    const body = lines[at];
    if (_index === undefined)
      throw new SearchError(
        400,
        'action_request_validation_exception',
        'Validation Failed: 1: index is missing;',
      );
    const id = _id === undefined || _id === null ? store.newId() : String(_id);
    if (items.length % STEP === STEP - 1) await nextTurn();
    try {
      if (call.rejects === true)
        throw new SearchError(
          429,
          'es_rejected_execution_exception',
          'rejected execution of primary operation',
        );
      if (action !== 'delete' && body === undefined)
        throw illegal('The bulk request must be terminated by a newline');
      const made =
        action === 'delete'
          ? store.remove(_index, id, options)
          : action === 'update'
            ? updateOne(store, _index, id, body, options)
            : store.put(_index, id, body, {
                ...options,
                op_type: action === 'create' ? 'create' : options.op_type,
              });
      touched.push(made.index);
      const status = { created: 201, not_found: 404 }[made.result] ?? 200;
      items.push({ [action]: { ...written(made, id), status } });
    } catch (error) {
      if (!(error instanceof SearchError)) throw error;
      const { type, message, fields, status } = error;
      items.push({ [action]: { _index, _id: id, status, error: { type, reason: message, ...fields } } });
    }
  }
  if (touched.length > 0) settle({ store, query }, touched);
  const errors = items.some((item) => Object.values(item)[0].error !== undefined);
  return { json: { took: 1, errors, items } };
}

const summary = {
  took: 1,
  timed_out: false,
  batches: 1,
  version_conflicts: 0,
  noops: 0,
  retries: { bulk: 0, search: 0 },
  throttled_millis: 0,
  requests_per_second: -1,
  throttled_until_millis: 0,
  failures: [],
};

async function hits(call, text, query) {
  const { found: list } = await find(call.store, call.store.resolve(text), query);
  return list;
}

export async function deleteByQuery(call) {
  const { query } = bodyOf(call);
  if (query === undefined)
    throw new SearchError(
      400,
      'action_request_validation_exception',
      'Validation Failed: 1: query is missing;',
    );
  const list = await hits(call, call.index, query);
  for (const { doc } of list) call.store.remove(doc.index, doc.id);
  settle(
    call,
    list.map(({ doc }) => doc.index),
  );
  return { json: { ...summary, total: list.length, deleted: list.length } };
}

export async function updateByQuery(call) {
  if (call.body.script !== undefined)
    throw illegal('scripts are not mocked: _update_by_query without one writes documents again');
  const list = await hits(call, call.index, bodyOf(call).query);
  for (const { doc } of list) call.store.put(doc.index, doc.id, doc.source);
  settle(
    call,
    list.map(({ doc }) => doc.index),
  );
  return { json: { ...summary, total: list.length, updated: list.length, deleted: 0 } };
}

export async function reindex(call) {
  const { source, dest, script } = call.body;
  if (script !== undefined) throw illegal('scripts are not mocked in _reindex');
  if (source?.index === undefined || dest?.index === undefined)
    throw illegal('_reindex needs source.index and dest.index');
  const list = await hits(call, [source.index].flat().join(','), source.query);
  const made = list.map(({ doc }) =>
    call.store.put(dest.index, doc.id, filtered(doc.source, source._source)),
  );
  settle(
    call,
    made.map(({ index }) => index),
  );
  const created = made.filter(({ result }) => result === 'created').length;
  return { json: { ...summary, total: list.length, created, updated: list.length - created, deleted: 0 } };
}
