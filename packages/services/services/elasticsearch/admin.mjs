import { SearchError, illegal } from './errors.mjs';
import { analyze, checkMappings, mergeMappings } from './mappings.mjs';
import { isLike } from './queries.mjs';
import { flat } from './store.mjs';

const done = { json: { acknowledged: true } };

export const info = ({ store }) => ({
  json: {
    name: 'backlot',
    cluster_name: 'backlot',
    cluster_uuid: 'backlot',
    version: {
      number: String(store.vars.version),
      build_flavor: 'default',
      build_type: 'docker',
      build_hash: 'backlot',
      build_date: '2026-01-01T00:00:00.000Z',
      build_snapshot: false,
      lucene_version: '10.0.0',
      minimum_wire_compatibility_version: '8.19.0',
      minimum_index_compatibility_version: '8.0.0',
    },
    tagline: 'You Know, for Search',
  },
});

export function createIndex({ store, index, body }) {
  store.createIndex(index, body);
  return { json: { acknowledged: true, shards_acknowledged: true, index } };
}

const settingsOf = (store, name) => {
  const row = store.index(name);
  return {
    index: {
      number_of_shards: '1',
      number_of_replicas: '1',
      ...Object.fromEntries(
        Object.entries(row?.settings ?? {}).map(([key, value]) => [
          key,
          typeof value === 'object' ? value : String(value),
        ]),
      ),
      uuid: 'backlot',
      creation_date: String(row?.created ?? 0),
      provided_name: name,
    },
  };
};

const each = (store, text, shown) => ({
  json: Object.fromEntries(store.resolve(text).map((name) => [name, shown(name)])),
});

export const getIndex = ({ store, index }) =>
  each(store, index, (name) => ({
    aliases: store.index(name)?.aliases ?? {},
    mappings: store.mappings(name),
    settings: settingsOf(store, name),
  }));

export function deleteIndex({ store, index, query }) {
  if (index.includes('*') || index === '_all')
    throw illegal('Wildcard expressions or all indices are not allowed');
  const names = store.resolve(index, { ignore: query.ignore_unavailable === 'true' });
  for (const name of names) {
    if (!index.split(',').includes(name))
      throw illegal(
        `The provided expression [${index}] matches an alias, specify the corresponding concrete indices instead.`,
      );
    store.removeIndex(name);
  }
  return done;
}

export const getMapping = ({ store, index }) =>
  each(store, index, (name) => ({ mappings: store.mappings(name) }));

export function putMapping({ store, index, body }) {
  checkMappings(body);
  for (const name of store.resolve(index))
    store.indices.update(name, { mappings: mergeMappings(store.mappings(name), body) });
  return done;
}

export const getSettings = ({ store, index }) =>
  each(store, index, (name) => ({ settings: settingsOf(store, name) }));

const FIXED = ['number_of_shards', 'creation_date', 'uuid'];

export function putSettings({ store, index, body }) {
  const settings = flat(body.settings ?? body);
  const fixed = Object.keys(settings).find((name) => FIXED.includes(name) || name.startsWith('analysis'));
  if (fixed !== undefined)
    throw illegal(`Can't update non dynamic settings [[index.${fixed}]] for open indices`);
  for (const name of store.resolve(index)) {
    store.mappings(name);
    store.indices.update(name, { settings: { ...store.index(name).settings, ...settings } });
  }
  return done;
}

export function refresh({ store, index }) {
  const names = store.resolve(index);
  store.refresh(names);
  return { json: { _shards: { total: names.length, successful: names.length, failed: 0 } } };
}

/** The alias and the indices that a path names. */
export function getAlias({ store, index, id }) {
  const shown = {};
  for (const name of store.resolve(index)) {
    const all = Object.entries(store.index(name)?.aliases ?? {});
    const aliases =
      id === undefined ? all : all.filter(([alias]) => id.split(',').some((one) => isLike(alias, one)));
    if (aliases.length > 0 || id === undefined) shown[name] = { aliases: Object.fromEntries(aliases) };
  }
  if (id !== undefined && Object.keys(shown).length === 0)
    return { status: 404, json: { error: `alias [${id}] missing`, status: 404 } };
  return { json: shown };
}

function setAlias(store, name, alias, options) {
  if (store.names().includes(alias))
    throw new SearchError(
      400,
      'invalid_alias_name_exception',
      `Invalid alias name [${alias}]: an index or data stream exists with the same name as the alias`,
      { index: alias },
    );
  store.mappings(name);
  store.indices.replace(name, {
    ...store.index(name),
    aliases: { ...store.index(name).aliases, [alias]: options },
  });
}

function removeAlias(store, name, alias) {
  const row = store.index(name);
  if (row?.aliases?.[alias] === undefined) return false;
  const { [alias]: _alias, ...aliases } = row.aliases;
  store.indices.replace(name, { ...row, aliases });
  return true;
}

export function putAlias({ store, index, id, body }) {
  for (const name of store.resolve(index)) setAlias(store, name, id, body);
  return done;
}

export function deleteAlias({ store, index, id }) {
  const removed = store.resolve(index).map((name) => removeAlias(store, name, id));
  if (!removed.includes(true))
    throw new SearchError(404, 'aliases_not_found_exception', `aliases [${id}] missing`, {
      'resource.type': 'aliases',
      'resource.id': id,
    });
  return done;
}

export function updateAliases({ store, body }) {
  if (!Array.isArray(body.actions)) throw illegal('[actions] is required');
  for (const one of body.actions) {
    const [[action, { index, indices = [index], alias, aliases = [alias], ...options }]] =
      Object.entries(one);
    if (!['add', 'remove', 'remove_index'].includes(action))
      throw illegal(`unknown action [${action}]: it is add, remove or remove_index`);
    for (const name of store.resolve(indices.flat().join(',')))
      if (action === 'remove_index') store.removeIndex(name);
      else
        for (const own of aliases.flat()) {
          if (action === 'add') setAlias(store, name, own, options);
          else if (!removeAlias(store, name, own) && options.must_exist !== false)
            throw new SearchError(404, 'aliases_not_found_exception', `aliases [${own}] missing`);
        }
  }
  return done;
}

export function putTemplate({ store, id, body }) {
  const { index_patterns: patterns } = body;
  if (patterns === undefined) throw illegal('[index_patterns] is required');
  if (body.composed_of?.length > 0) throw illegal('[composed_of] is not mocked');
  checkMappings(body.template?.mappings ?? {});
  const row = { ...body, id, index_patterns: [patterns].flat() };
  if (store.templates.has(id)) store.templates.replace(id, row);
  else store.templates.create(row);
  return done;
}

const noTemplate = (id) =>
  new SearchError(404, 'resource_not_found_exception', `index template matching [${id}] not found`);

export function getTemplate({ store, id }) {
  const found = store.templates.list().filter((row) => id === undefined || isLike(row.id, id));
  if (found.length === 0 && id !== undefined && !id.includes('*')) throw noTemplate(id);
  return { json: { index_templates: found.map(({ id: name, ...row }) => ({ name, index_template: row })) } };
}

export function deleteTemplate({ store, id }) {
  if (!store.templates.has(id)) throw noTemplate(id);
  store.templates.remove(id);
  return done;
}

function counted(store) {
  const counts = new Map();
  for (const { id } of store.documents.values()) {
    const name = id.slice(0, id.indexOf('/'));
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return (name) => counts.get(name) ?? 0;
}

/** A table for people, or a list of objects with `format=json`. */
function table({ query, request }, rows) {
  const wanted = typeof query.h === 'string' ? query.h.split(',') : undefined;
  const shown =
    wanted === undefined
      ? rows
      : rows.map((row) => Object.fromEntries(wanted.map((name) => [name, row[name] ?? null])));
  const accepts = String(request.headers.accept ?? '');
  if (query.format === 'json' || (query.format === undefined && accepts.includes('json')))
    return { json: shown };
  const names = wanted ?? Object.keys(rows[0] ?? {});
  const head = query.v === undefined || query.v === 'false' ? [] : [names.join(' ')];
  const lines = [...head, ...shown.map((row) => names.map((name) => row[name] ?? '').join(' '))];
  return {
    headers: { 'Content-Type': 'text/plain; charset=UTF-8' },
    body: lines.map((line) => `${line}\n`).join(''),
  };
}

export function catIndices(call) {
  const { store } = call;
  const countOf = counted(store);
  const rows = store.resolve(call.index).map((name) => ({
    health: 'green',
    status: 'open',
    index: name,
    uuid: 'backlot',
    pri: '1',
    rep: '0',
    'docs.count': String(countOf(name)),
    'docs.deleted': '0',
    'store.size': '1kb',
    'pri.store.size': '1kb',
  }));
  return table(call, rows);
}

export const catHealth = (call) =>
  table(call, [
    {
      epoch: String(Math.floor(call.store.now / 1000)),
      cluster: 'backlot',
      status: 'green',
      'node.total': '1',
    },
  ]);

export function catCount(call) {
  const countOf = counted(call.store);
  const total = call.store.resolve(call.index).reduce((sum, name) => sum + countOf(name), 0);
  return table(call, [{ epoch: String(Math.floor(call.store.now / 1000)), count: String(total) }]);
}

export const catAliases = (call) =>
  table(
    call,
    call.store
      .names()
      .flatMap((index) =>
        Object.keys(call.store.index(index)?.aliases ?? {}).map((alias) => ({ alias, index })),
      ),
  );

export const health = ({ store, index }) => {
  const names = store.resolve(index);
  return {
    json: {
      cluster_name: 'backlot',
      status: 'green',
      timed_out: false,
      number_of_nodes: 1,
      number_of_data_nodes: 1,
      active_primary_shards: names.length,
      active_shards: names.length,
      relocating_shards: 0,
      initializing_shards: 0,
      unassigned_shards: 0,
      number_of_pending_tasks: 0,
      active_shards_percent_as_number: 100,
    },
  };
};

export function analyzeText({ body }) {
  const { text, analyzer = 'standard' } = body;
  if (analyzer !== 'standard')
    throw illegal(`failed to find global analyzer [${analyzer}]: only standard is mocked`);
  if (text === undefined) throw illegal('text is missing');
  const tokens = [text].flat().flatMap((one) => analyze(one));
  return {
    json: {
      tokens: tokens.map(({ token, start, end }, position) => ({
        token,
        start_offset: start,
        end_offset: end,
        type: '<ALPHANUM>',
        position,
      })),
    },
  };
}
