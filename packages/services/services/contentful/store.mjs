import { notFound } from './errors.mjs';

/** The name of the collection of each type. */
const NAMES = { Entry: 'entries', Asset: 'assets', ContentType: 'content_types' };

export const link = (linkType, id) => ({ sys: { type: 'Link', linkType, id } });

/** The collections of the service, with what each call needs of them. */
export class Store {
  constructor(context) {
    this.context = context;
    this.locales = context.collection('contentful:locales');
    this.removed = context.collection('contentful:removed');
    this.webhooks = context.collection('contentful:webhooks');
  }

  rows(type) {
    return this.context.collection(`contentful:${NAMES[type]}`);
  }

  get vars() {
    return this.context.vars.contentful;
  }

  get now() {
    return new Date(this.context.clock.now()).toISOString();
  }

  newId() {
    return this.context.random.string(22);
  }

  /** The number of a change, by which a synchronisation knows what is newer. */
  next() {
    const { state } = this.context;
    const number = Number(state.get('contentful:changes') ?? 0) + 1;
    state.set('contentful:changes', String(number));
    return number;
  }

  get changes() {
    return Number(this.context.state.get('contentful:changes') ?? 0);
  }

  has(type, id) {
    return this.rows(type).has(id);
  }

  find(type, id) {
    if (!this.has(type, id)) throw notFound(type, id);
    return viewOf(this.rows(type).get(id));
  }

  list(type) {
    return this.rows(type).list().map(viewOf);
  }

  get defaultLocale() {
    const all = this.locales.list();
    return (all.find((one) => one.default === true) ?? all[0]).id;
  }

  /** What is published of a type, the oldest first; with `late` only what is known by now. */
  published(type, late = false) {
    const since = this.context.clock.now() - 1000 * Number(this.vars.late ?? 0);
    return this.list(type)
      .filter(({ published }) => published !== undefined && (!late || Date.parse(published.at) <= since))
      .map((row) => ({ ...row, ...row.published.content, updated: row.published.at }));
  }
}

/** A row with all that it has; one of a configuration that says no version is published as it is. */
export function viewOf(row) {
  if (row.version !== undefined) return row;
  const { id: _id, content_type: _type, ...content } = row;
  const at = '1970-01-01T00:00:00.000Z';
  return {
    ...row,
    version: 2,
    created: at,
    updated: at,
    published: { content, at, version: 1, revision: 1, change: 0 },
  };
}
