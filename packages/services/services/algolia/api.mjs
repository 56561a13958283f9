import { eachInSlices } from '../../waiting/slices.mjs';

/** A call that Algolia refuses, as its SDK knows it by the status and the message. */
export class AlgoliaError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export const invalid = (message) => new AlgoliaError(400, message);
export const noIndex = (name) => new AlgoliaError(404, `Index ${name} does not exist`);

/**
 * Makes the function of a mock: it checks the key, and answers what `act` throws as Algolia does.
 *
 * @param acl - what the key must be allowed, such as `search`
 * @param act - takes a {@link Call} and returns JSON
 */
export function operation(acl, act, { late = false } = {}) {
  return async (request, context) => {
    try {
      const call = new Call(request, context, late);
      checkKey(call, acl);
      return { json: await act(call) };
    } catch (error) {
      // Of all services together, not of Algolia.
      if (error.code === 'too_large')
        return refusal(new AlgoliaError(413, `Record quota exceeded: ${error.message}`));
      if (!(error instanceof AlgoliaError)) throw error;
      return refusal(error);
    }
  };
}

function refusal({ status, message }) {
  return { status, json: { message, status } };
}

const READS = ['search', 'browse', 'listIndexes', 'settings'];

function checkKey({ request, rows }, acl) {
  const of = (name) => String(request.headers[name] ?? request.query[name] ?? '');
  const key = of('x-algolia-api-key');
  if (key === '' || of('x-algolia-application-id') === '' || /invalid|expired/.test(key))
    throw new AlgoliaError(403, 'Invalid Application-ID or API key');
  const keys = rows('keys');
  const allowed = keys.has(key) ? keys.get(key).acl : key.includes('search') ? READS.slice(0, 1) : undefined;
  if (allowed !== undefined && !allowed.includes(acl))
    throw new AlgoliaError(403, 'Method not allowed with this API key');
}

/** One call, with what is there for it. */
export class Call {
  constructor(request, context, late) {
    this.request = request;
    this.context = context;
    this.late = late;
    this.rows = (name) => context.collection(`algolia:${name}`);
  }

  get index() {
    return this.request.params.index;
  }

  get id() {
    return this.request.params.id;
  }

  get query() {
    return this.request.query;
  }

  /** The body: a JSON object, or the list that some calls take. */
  get body() {
    const { body, raw_body: raw } = this.request;
    if (raw === undefined || raw.length === 0) return {};
    if (typeof body !== 'object' || body === null) throw invalid('Invalid JSON: the body must be an object');
    return body;
  }

  get now() {
    return new Date(this.context.clock.now()).toISOString();
  }

  /** The objects of an index, oldest first; with `late` only those that searches know of already. */
  async objects(index) {
    const found = [];
    const begin = `${index}/`;
    await eachInSlices(this.rows('objects').list(), (row) => {
      if (row.id.startsWith(begin) && this.isSeen(row))
        found.push({ ...row.object, objectID: row.id.slice(begin.length) });
    });
    return found;
  }

  /** One object of an index; `undefined` when there is none, or when searches do not know of it yet. */
  object(index, id) {
    const rows = this.rows('objects');
    const key = `${index}/${id}`;
    const row = rows.has(key) ? rows.get(key) : undefined;
    return row === undefined || !this.isSeen(row) ? undefined : { ...row.object, objectID: id };
  }

  isSeen({ written = 0 }) {
    return (
      !this.late || written <= this.context.clock.now() - 1000 * Number(this.context.vars.algolia.late ?? 0)
    );
  }

  exists(index) {
    if (this.rows('indexes').has(index)) return true;
    for (const { id } of this.rows('objects').values()) if (id.startsWith(`${index}/`)) return true;
    return false;
  }

  /** What an index is set to do. */
  settings(index) {
    const rows = this.rows('indexes');
    return rows.has(index) ? (rows.get(index).settings ?? {}) : {};
  }

  checkName(index) {
    if (index === undefined || index === '' || index === '*' || index.length > 256)
      throw invalid(`indexName is not valid: ${index}`);
  }

  /** Makes sure of an index, and gives it the settings that are told. */
  touch(index, settings) {
    this.checkName(index);
    const rows = this.rows('indexes');
    if (!rows.has(index))
      rows.create({ id: index, created: this.now, updated: this.now, settings: settings ?? {} });
    else rows.replace(index, { ...rows.get(index), updated: this.now, ...(settings && { settings }) });
  }

  /** The number of a task that stands for a change, with when it was made. */
  task() {
    const { state } = this.context;
    const number = Number(state.get('algolia:tasks') ?? 1000) + 1;
    state.set('algolia:tasks', String(number));
    this.rows('tasks').create({ id: String(number), made: this.context.clock.now() });
    return number;
  }
}

/** A list of a body, of at most so many. */
export function listOf(value, name) {
  if (!Array.isArray(value)) throw invalid(`${name} must be an array`);
  return value;
}

export function textOf(value, name) {
  if (typeof value !== 'string' || value === '') throw invalid(`${name} must be a text that is not empty`);
  return value;
}
