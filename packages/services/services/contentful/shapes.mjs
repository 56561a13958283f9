import { ContentfulError } from './errors.mjs';
import { link } from './store.mjs';

/** The value of a field in a locale, or in the one that stands in for it. */
function inLocale(values, locale, store) {
  let at = locale;
  for (let count = 0; at !== undefined && at !== null && count < 20; count += 1) {
    if (values[at] !== undefined) return values[at];
    at = store.locales.has(at) ? store.locales.get(at).fallback : undefined;
  }
  return undefined;
}

/** The locale that a call asks for. @throws ContentfulError 400 for one that there is not */
export function localeOf({ query, store }) {
  const { locale } = query;
  if (locale === undefined) return store.defaultLocale;
  if (locale !== '*' && !store.locales.has(locale))
    throw new ContentfulError(400, 'BadRequest', `Unknown locale: ${locale}`);
  return locale;
}

const base = ({ space, environment }, id, type) => ({
  space: link('Space', space),
  id,
  type,
  environment: link('Environment', environment),
});

/** Fields as delivery shows them, in one locale. */
export function fieldsIn(fields = {}, locale, store) {
  if (locale === '*') return fields;
  const entries = Object.entries(fields).map(([name, values]) => [name, inLocale(values, locale, store)]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

const contentType = ({ content_type: id }) =>
  id === undefined ? {} : { contentType: link('ContentType', id) };

/** An entry or asset as delivery shows it. */
export function delivered(call, type, row, locale) {
  const { published } = row;
  return {
    metadata: { tags: [], concepts: [], ...row.metadata },
    sys: {
      ...base(call, row.id, type),
      createdAt: row.created,
      updatedAt: row.updated,
      publishedVersion: published?.version ?? row.version,
      revision: published?.revision ?? 1,
      ...contentType(row),
      ...(locale !== '*' && { locale }),
    },
    fields: fieldsIn(row.fields, locale, call.store),
  };
}

export function deliveredType(call, row) {
  const { name, description = '', displayField = row.fields?.[0]?.id ?? null, fields = [] } = row;
  return {
    sys: {
      ...base(call, row.id, 'ContentType'),
      createdAt: row.created,
      updatedAt: row.updated,
      publishedVersion: row.published.version,
      revision: row.published.revision,
    },
    displayField,
    name: name ?? row.id,
    description,
    fields: fields.map((field) => ({
      localized: false,
      required: false,
      disabled: false,
      omitted: false,
      name: field.id,
      ...field,
    })),
  };
}

/** Anything as the management API shows it. */
export function managed(call, type, row) {
  const { id, content_type: _type, version, created, updated, published, archived, ...content } = row;
  return {
    ...(type === 'ContentType'
      ? { name: id, description: '', displayField: null, fields: [] }
      : { metadata: { tags: [] }, fields: {} }),
    ...content,
    sys: {
      ...base(call, id, type),
      createdAt: created,
      updatedAt: updated,
      version,
      ...contentType(row),
      ...(published !== undefined && {
        publishedAt: published.at,
        firstPublishedAt: published.at,
        publishedVersion: published.version,
        publishedCounter: published.revision,
      }),
      ...(archived !== undefined && { archivedAt: archived, archivedVersion: version }),
    },
  };
}

export const shownLocale = (
  call,
  { id, name = id, default: isDefault = false, fallback = null },
  version = 1,
) => ({
  code: id,
  name,
  default: isDefault,
  fallbackCode: fallback,
  contentDeliveryApi: true,
  contentManagementApi: true,
  optional: false,
  internal_code: id,
  sys: {
    id,
    type: 'Locale',
    version,
    space: link('Space', call.space),
    environment: link('Environment', call.environment),
  },
});
