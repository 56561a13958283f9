import { rowsOf } from './api.mjs';

/** A flag or a segment as SDKs have it: without what the REST API alone shows. */
function shown({ name: _name, description: _description, tags: _tags, created: _created, ...data }) {
  return data;
}

/** What is told for the rows of a collection, by their keys. */
function byKey(rows) {
  const all = {};
  for (const row of rows.values())
    Object.defineProperty(all, row.key, {
      value: shown(row),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  return all;
}

/** All flags and segments, as a server SDK gets them. */
export function allData(context) {
  return { flags: byKey(rowsOf(context, 'flags')), segments: byKey(rowsOf(context, 'segments')) };
}

/**
 * What happens to flags and segments: SDKs take a change whose version is greater alone, so that a row that was changed
 * without one gets the next.
 *
 * @returns `{ kind, key, data, version }` of a row that has changed, without `data` when it was removed; `{}` when all may be others
 */
export function changesOf(context) {
  // It begins here, so that nothing is lost between what is read first and this.
  return toldOf(context, context.changes('launchdarkly:flags', 'launchdarkly:segments'));
}

async function* toldOf(context, changes) {
  for await (const { type, collection, key, row, before } of changes) {
    const kind = collection.replace('launchdarkly:', '');
    if (type === 'replaced') yield {};
    else if (type === 'removed') yield { kind, key, version: Number(before.version) + 1 };
    else if (type === 'changed' && row.version <= before.version) raise(rowsOf(context, kind), key, row);
    else yield { kind, key, data: shown(row), version: row.version };
  }
}

/** Gives a row the next version, unless somebody has done that: the change is told then. */
function raise(rows, key, { version }) {
  if (rows.has(key) && rows.get(key).version <= version) rows.update(key, { version: version + 1 });
}
