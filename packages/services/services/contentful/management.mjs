import { array } from './delivery.mjs';
import { ContentfulError, invalidEntity, notFound, versionMismatch } from './errors.mjs';
import { filterOf, orderOf, pageOf, selected } from './filters.mjs';
import { managed, shownLocale } from './shapes.mjs';
import { link } from './store.mjs';
import { tell } from './webhooks.mjs';

const TYPES = [
  'Symbol',
  'Text',
  'RichText',
  'Integer',
  'Number',
  'Date',
  'Boolean',
  'Object',
  'Location',
  'Link',
  'Array',
  'ResourceLink',
];

/** Of a list, items are shown by locale; filters see those of the default locale. */
function list(call, type) {
  const { store } = call;
  const { limit, skip } = pageOf(call);
  const locale = store.defaultLocale;
  const flat = (item) => ({
    ...item,
    ...(type !== 'ContentType' && {
      fields: Object.fromEntries(Object.entries(item.fields).map(([name, values]) => [name, values[locale]])),
    }),
  });
  const test = filterOf(call, type);
  const compare = orderOf(call, type);
  const all = store
    .list(type)
    .map((row) => managed(call, type, row))
    .map((item) => ({ item, flat: flat(item) }))
    .filter((one) => test(one.flat))
    .sort((a, b) => compare(a.flat, b.flat))
    .map(({ item }) => selected(item, call.query.select));
  return array(all.slice(skip, skip + limit), { total: all.length, skip, limit });
}

function checkVersion(call, row) {
  const given = call.request.headers['x-contentful-version'];
  if (Number(given) !== row.version) throw versionMismatch();
}

/** What is wrong with the fields of a content type. */
function checkType({ name, fields = [] }) {
  const errors = [];
  if (typeof name !== 'string' || name === '')
    errors.push({ name: 'required', path: ['name'], details: 'The property "name" is required here' });
  if (!Array.isArray(fields))
    throw invalidEntity('ValidationFailed', [
      { name: 'type', path: ['fields'], details: 'The type of "fields" must be Array' },
    ]);
  for (const [at, field] of fields.entries()) {
    if (typeof field?.id !== 'string')
      errors.push({
        name: 'required',
        path: ['fields', at, 'id'],
        details: 'The property "id" is required here',
      });
    if (!TYPES.includes(field?.type))
      errors.push({
        name: 'in',
        path: ['fields', at, 'type'],
        details: `The type must be one of ${TYPES.join(', ')}`,
        value: field?.type,
        expected: TYPES,
      });
  }
  if (errors.length > 0) throw invalidEntity('ValidationFailed', errors);
}

const KINDS = {
  Symbol: (value) => typeof value === 'string' && value.length <= 256,
  Text: (value) => typeof value === 'string',
  Integer: Number.isInteger,
  Number: (value) => typeof value === 'number',
  Boolean: (value) => typeof value === 'boolean',
  Date: (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
  Link: (value) => value?.sys?.type === 'Link',
  Array: Array.isArray,
};

/** What is wrong with the fields of an entry; with `whole` also what is not there. */
function checkEntry({ store }, { content_type: id, fields = {} }, whole) {
  const known = store.find('ContentType', id).fields ?? [];
  const errors = [];
  for (const [name, values] of Object.entries(fields)) {
    const field = known.find((one) => one.id === name);
    if (field === undefined) {
      errors.push({
        name: 'unknown',
        path: ['fields', name],
        details: `The property "${name}" is not expected`,
      });
      continue;
    }
    if (typeof values !== 'object' || values === null || Array.isArray(values)) {
      errors.push({
        name: 'type',
        path: ['fields', name],
        details: 'The type of "value" is incorrect, expected type: Object',
        value: values,
      });
      continue;
    }
    for (const [locale, value] of Object.entries(values)) {
      if (!store.locales.has(locale))
        errors.push({
          name: 'unknown',
          path: ['fields', name, locale],
          details: `The property "${locale}" is not expected`,
        });
      if (value !== null && value !== undefined && KINDS[field.type]?.(value) === false)
        errors.push({
          name: 'type',
          path: ['fields', name, locale],
          details: `The type of "value" is incorrect, expected type: ${field.type}`,
          value,
          type: field.type,
        });
    }
  }
  if (whole)
    for (const { id: name, required, omitted } of known)
      if (required === true && omitted !== true && (fields[name]?.[store.defaultLocale] ?? null) === null)
        errors.push({
          name: 'required',
          path: ['fields', name, store.defaultLocale],
          details: `The property "${name}" is required here`,
        });
  if (errors.length > 0) throw invalidEntity('InvalidEntry', errors);
}

function contentOf(call, type) {
  const { body, store } = call;
  if (type === 'ContentType') {
    const { name, description, displayField, fields = [] } = body;
    checkType(body);
    return {
      name,
      fields,
      ...(description !== undefined && { description }),
      ...(displayField !== undefined && { displayField }),
    };
  }
  const { fields = {}, metadata } = body;
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    throw invalidEntity('ValidationFailed', [
      { name: 'type', path: ['fields'], details: 'The type of "fields" must be Object' },
    ]);
  const content = { fields, ...(metadata !== undefined && { metadata }) };
  if (type === 'Asset') return content;
  const id = store.has(type, call.id)
    ? store.find(type, call.id).content_type
    : call.request.headers['x-contentful-content-type'];
  if (id === undefined || !store.has('ContentType', id))
    throw new ContentfulError(422, 'UnknownContentType', 'The content type of the entry is not known.', {
      contentType: id ?? null,
    });
  checkEntry(call, { ...content, content_type: id }, false);
  return { ...content, content_type: id };
}

/** The calls of a type. */
function resource(type) {
  const shown = (call, row) => managed(call, type, row);
  const save = (call, row, action) => {
    const rows = call.store.rows(type);
    if (rows.has(row.id)) rows.replace(row.id, row);
    else rows.create(row);
    const json = shown(call, row);
    tell(call, type, action, json);
    return json;
  };
  /** Leaves what delivery knew of a row behind for synchronisations. */
  const leave = ({ store }, { id, published }) => {
    const key = `${type}/${id}`;
    if (published === undefined || type === 'ContentType') return;
    const row = { id: key, change: store.next(), at: store.now };
    if (store.removed.has(key)) store.removed.replace(key, row);
    else store.removed.create(row);
  };
  return {
    list: (call) => list(call, type),
    get: (call) => shown(call, call.store.find(type, call.id)),
    create(call) {
      const { store } = call;
      const row = {
        ...contentOf(call, type),
        id: store.newId(),
        version: 1,
        created: store.now,
        updated: store.now,
      };
      return { status: 201, json: save(call, row, 'create') };
    },
    put(call) {
      const { store } = call;
      const before = store.has(type, call.id) ? store.find(type, call.id) : undefined;
      if (before !== undefined) checkVersion(call, before);
      if (before?.archived !== undefined)
        throw new ContentfulError(400, 'BadRequest', 'Cannot edit archived');
      const content = contentOf(call, type);
      const { published, created = store.now, version = 0 } = before ?? {};
      const row = {
        ...content,
        id: call.id,
        version: version + 1,
        created,
        updated: store.now,
        ...(published !== undefined && { published }),
      };
      return {
        status: before === undefined ? 201 : 200,
        json: save(call, row, before === undefined ? 'create' : 'save'),
      };
    },
    remove(call) {
      const row = call.store.find(type, call.id);
      if (row.published !== undefined)
        throw new ContentfulError(400, 'BadRequest', `Cannot delete published`);
      call.store.rows(type).remove(call.id);
      tell(call, type, 'delete', { sys: { ...shown(call, row).sys, type: `Deleted${type}` } });
      return { status: 204 };
    },
    publish(call) {
      const { store } = call;
      const row = store.find(type, call.id);
      checkVersion(call, row);
      if (row.archived !== undefined) throw new ContentfulError(400, 'BadRequest', 'Cannot publish archived');
      if (type === 'Entry') checkEntry(call, row, true);
      if (type === 'Asset') checkFiles(row);
      const {
        id: _id,
        content_type: _type,
        version,
        created: _created,
        updated: _updated,
        published,
        ...content
      } = row;
      const next = {
        content,
        at: store.now,
        version,
        revision: (published?.revision ?? 0) + 1,
        change: store.next(),
      };
      if (store.removed.has(`${type}/${call.id}`)) store.removed.remove(`${type}/${call.id}`);
      return save(call, { ...row, version: version + 1, updated: store.now, published: next }, 'publish');
    },
    unpublish(call) {
      const row = call.store.find(type, call.id);
      if (row.published === undefined) throw new ContentfulError(400, 'BadRequest', 'Not published');
      leave(call, row);
      const { published: _published, ...rest } = row;
      return save(call, { ...rest, version: row.version + 1, updated: call.store.now }, 'unpublish');
    },
    archive(call) {
      const row = call.store.find(type, call.id);
      if (row.published !== undefined)
        throw new ContentfulError(400, 'BadRequest', 'Cannot archive published');
      return save(call, { ...row, version: row.version + 1, archived: call.store.now }, 'archive');
    },
    unarchive(call) {
      const { archived, ...row } = call.store.find(type, call.id);
      if (archived === undefined) throw new ContentfulError(400, 'BadRequest', 'Not archived');
      return save(call, { ...row, version: row.version + 1 }, 'unarchive');
    },
  };
}

export const types = resource('ContentType');
export const entries = resource('Entry');
export const assets = resource('Asset');

function checkFiles({ fields = {} }) {
  const errors = Object.entries(fields.file ?? {}).filter(([, file]) => file.url === undefined);
  if (errors.length > 0)
    throw invalidEntity(
      'InvalidEntry',
      errors.map(([locale]) => ({
        name: 'required',
        path: ['fields', 'file', locale, 'url'],
        details: 'The asset has to be processed before it is published',
      })),
    );
}

/** Makes of an upload the file that is delivered. */
export function processFile(call) {
  const { store, id, locale } = call;
  const row = store.find('Asset', id);
  const file = row.fields?.file?.[locale];
  if (file?.upload === undefined) throw notFound('File', `${id}/${locale}`);
  checkVersion(call, row);
  const { upload, uploadFrom: _from, ...rest } = file;
  const made = { ...rest, url: upload.replace(/^https?:/, ''), details: { size: 0 } };
  store.rows('Asset').replace(id, {
    ...row,
    version: row.version + 1,
    updated: store.now,
    fields: { ...row.fields, file: { ...row.fields.file, [locale]: made } },
  });
  return { status: 204 };
}

export const listLocales = (call) => array(call.store.locales.list().map((row) => shownLocale(call, row)));

export function createLocale(call) {
  const { code, name, fallbackCode } = call.body;
  if (typeof code !== 'string' || typeof name !== 'string')
    throw invalidEntity('ValidationFailed', [
      { name: 'required', path: ['code', 'name'], details: 'A locale has a code and a name' },
    ]);
  if (call.store.locales.has(code))
    throw invalidEntity('ValidationFailed', [{ name: 'taken', path: ['code'], value: code }]);
  const row = call.store.locales.create({
    id: code,
    name,
    ...(typeof fallbackCode === 'string' && { fallback: fallbackCode }),
  });
  return { status: 201, json: shownLocale(call, row) };
}

export const getSpace = ({ space }) => ({ sys: { type: 'Space', id: space, version: 1 }, name: space });
export const getEnvironment = ({ space, environment }) => ({
  sys: {
    type: 'Environment',
    id: environment,
    version: 1,
    space: link('Space', space),
    status: link('Status', 'ready'),
  },
  name: environment,
});
