import { ContentfulError, notFound } from './errors.mjs';
import { filterOf, linksIn, orderOf, pageOf, selected } from './filters.mjs';
import { delivered, deliveredType, localeOf, shownLocale } from './shapes.mjs';
import { link } from './store.mjs';

const MAX_INCLUDE = 10;

/** What there is of a type: what is published, and for the preview everything. */
function rowsOf({ store, api, late }, type) {
  if (api !== 'preview') return store.published(type, late);
  return store.list(type).filter(({ archived }) => archived === undefined);
}

function includeOf({ query }) {
  const depth = Number(query.include ?? 1);
  if (!Number.isInteger(depth) || depth < 0 || depth > MAX_INCLUDE)
    throw new ContentfulError(
      400,
      'BadRequest',
      `include must be a number from 0 to ${MAX_INCLUDE}, and not ${query.include}`,
    );
  return depth;
}

/** What the items link to, so many links away, and which of it there is not. */
function includesOf(call, items, locale) {
  const shown = new Set(items.map(({ sys }) => `${sys.type}/${sys.id}`));
  const found = { Entry: [], Asset: [] };
  const missing = new Map();
  const rows = Object.fromEntries(
    ['Entry', 'Asset'].map((type) => [type, new Map(rowsOf(call, type).map((row) => [row.id, row]))]),
  );
  let from = items;
  for (let left = includeOf(call); left > 0 && from.length > 0; left -= 1) {
    const next = [];
    for (const { sys } of linksIn(from.map(({ fields }) => fields))) {
      const key = `${sys.linkType}/${sys.id}`;
      if (rows[sys.linkType] === undefined || shown.has(key)) continue;
      const row = rows[sys.linkType].get(sys.id);
      if (row === undefined) {
        missing.set(key, {
          sys: { id: 'notResolvable', type: 'error' },
          details: { type: 'Link', linkType: sys.linkType, id: sys.id },
        });
        continue;
      }
      shown.add(key);
      const item = delivered(call, sys.linkType, row, locale);
      found[sys.linkType].push(item);
      next.push(item);
    }
    from = next;
  }
  const includes = Object.fromEntries(Object.entries(found).filter(([, list]) => list.length > 0));
  return {
    ...(missing.size > 0 && { errors: [...missing.values()] }),
    ...(Object.keys(includes).length > 0 && { includes }),
  };
}

export const array = (items, { total = items.length, skip = 0, limit = 100, ...more } = {}) => ({
  sys: { type: 'Array' },
  total,
  skip,
  limit,
  items,
  ...more,
});

function list(call, type) {
  const locale = localeOf(call);
  const { limit, skip } = pageOf(call);
  const all = rowsOf(call, type)
    .map((row) => delivered(call, type, row, locale))
    .filter(filterOf(call, type))
    .sort(orderOf(call, type));
  const page = all.slice(skip, skip + limit).map((item) => selected(item, call.query.select));
  return array(page, {
    total: all.length,
    skip,
    limit,
    ...(type === 'Entry' && includesOf(call, page, locale)),
  });
}

function get(call, type) {
  const row = rowsOf(call, type).find(({ id }) => id === call.id);
  if (row === undefined) throw notFound(type, call.id);
  return delivered(call, type, row, localeOf(call));
}

export const listEntries = (call) => list(call, 'Entry');
export const getEntry = (call) => get(call, 'Entry');
export const listAssets = (call) => list(call, 'Asset');
export const getAsset = (call) => get(call, 'Asset');

export function listTypes(call) {
  const { limit, skip } = pageOf(call);
  const all = call.store.published('ContentType').map((row) => deliveredType(call, row));
  return array(all.slice(skip, skip + limit), { total: all.length, skip, limit });
}

export function getType(call) {
  const row = call.store.published('ContentType').find(({ id }) => id === call.id);
  if (row === undefined) throw notFound('ContentType', call.id);
  return deliveredType(call, row);
}

export const listLocales = (call) => array(call.store.locales.list().map((row) => shownLocale(call, row)));
export const listTags = () => array([]);

export const getSpace = (call) => ({
  sys: { type: 'Space', id: call.space },
  name: call.space,
  locales: call.store.locales.list().map((row) => shownLocale(call, row)),
});

const encode = (token) => Buffer.from(JSON.stringify(token)).toString('base64url');

function decode(text) {
  try {
    const token = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (Number.isInteger(token.since)) return token;
  } catch {
    // What cannot be read was not made here.
  }
  throw new ContentfulError(400, 'BadRequest', 'Cannot decrypt sync token.');
}

/** All that is published, or what has changed since. */
export function sync(call) {
  const { query, store, address } = call;
  const isInitial = query.initial === 'true';
  if (!isInitial && query.sync_token === undefined)
    throw new ContentfulError(400, 'BadRequest', 'A synchronisation needs initial=true or sync_token.');
  const {
    since,
    skip = 0,
    until = store.changes,
    type = 'all',
    content_type: contentType,
    limit: size = 1000,
  } = isInitial
    ? { since: -1, type: query.type, content_type: query.content_type, limit: Number(query.limit ?? 1000) }
    : decode(query.sync_token);
  if (!Number.isInteger(size) || size < 1 || size > 1000)
    throw new ContentfulError(400, 'BadRequest', 'limit must be a number from 1 to 1000');
  const items = [];
  for (const one of ['Entry', 'Asset']) {
    if (type === 'all' || type === one)
      for (const row of store.published(one))
        if (row.published.change > since && (contentType === undefined || row.content_type === contentType))
          items.push(delivered(call, one, row, '*'));
    if (since >= 0 && (type === 'all' || type === one || type === 'Deletion' || type === `Deleted${one}`))
      for (const { id, change, at } of store.removed.list())
        if (change > since && id.startsWith(`${one}/`))
          items.push({
            sys: {
              type: `Deleted${one}`,
              id: id.slice(one.length + 1),
              space: link('Space', call.space),
              environment: link('Environment', call.environment),
              createdAt: at,
              updatedAt: at,
              deletedAt: at,
              revision: 1,
            },
          });
  }
  const rest = { type, content_type: contentType, limit: size };
  const url = (token) =>
    `${address}/spaces/${call.space}/environments/${call.environment}/sync?sync_token=${encode(token)}`;
  const page = items.slice(skip, skip + size);
  const hasMore = skip + size < items.length;
  return {
    sys: { type: 'Array' },
    items: page,
    ...(hasMore
      ? { nextPageUrl: url({ since, skip: skip + size, until, ...rest }) }
      : { nextSyncUrl: url({ since: until, ...rest }) }),
  };
}
