/** A call that PagerDuty refuses. */
export class PagerdutyError extends Error {
  constructor(status, code, message, errors = []) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }
}

export const notFound = () => new PagerdutyError(404, 2100, 'Not Found');
export const invalid = (...errors) => new PagerdutyError(400, 2001, 'Invalid Input Provided', errors);

export const rowsOf = ({ collection }, name) => collection(`pagerduty:${name}`);
export const timeOf = ({ clock }) => new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
export const newId = ({ random }) => `P${random.string(6).toUpperCase()}`;

/** Makes the function of a mock: it checks the token, and answers what `act` throws as PagerDuty does. */
export function operation(act) {
  return (request, context) => {
    try {
      const token = /^(?:Token token=|Bearer )(\S+)$/i.exec(String(request.headers.authorization ?? ''))?.[1];
      if (
        token === undefined ||
        token === 'undefined' ||
        token.includes('invalid') ||
        token.includes('expired')
      )
        throw new PagerdutyError(401, 2006, 'Unauthorized');
      if (token.includes('readonly') && request.method !== 'GET')
        throw new PagerdutyError(403, 2010, 'Access Denied');
      const answer = act({ request, context, params: request.params, query: request.query });
      return { ...answer, headers: { 'X-Request-Id': context.random.uuid(), ...limitsOf(context) } };
    } catch (error) {
      if (!(error instanceof PagerdutyError)) throw error;
      const { status, code, message, errors } = error;
      return { status, json: { error: { message, code, ...(errors.length > 0 ? { errors } : {}) } } };
    }
  };
}

function limitsOf({ vars }) {
  const limit = vars.pagerduty.rate_limit;
  return {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(limit - 1),
    'ratelimit-reset': '60',
  };
}

/** The row with an id. @throws PagerdutyError 404 */
export function find(context, name, id) {
  const rows = rowsOf(context, name);
  if (typeof id === 'string' && rows.has(id)) return rows.get(id);
  throw notFound();
}

/** What the body has under the name of a resource. @throws PagerdutyError 400 */
export function bodyOf({ body }, name) {
  const value = typeof body === 'object' && body !== null ? body[name] : undefined;
  if (typeof value !== 'object' || value === null) throw invalid(`${name} is missing`);
  return value;
}

const MAX_PAGE = 100;

/** A page of a list, by offset. */
export function page({ query }, name, list) {
  const limit = Number(query.limit ?? 25);
  const offset = Number(query.offset ?? 0);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE)
    throw invalid(`Limit must be from 1 to ${MAX_PAGE}`);
  if (!Number.isInteger(offset) || offset < 0) throw invalid('Offset must be a number');
  const more = offset + limit < list.length;
  const total = query.total === 'true' ? list.length : null;
  return { json: { [name]: list.slice(offset, offset + limit), limit, offset, total, more } };
}

/** The values of a parameter of the query that may be repeated, such as `statuses[]`. */
export function valuesOf(query, name) {
  const value = query[`${name}[]`];
  return value === undefined ? [] : [value].flat();
}

const singular = (name) => (name.endsWith('ies') ? `${name.slice(0, -3)}y` : name.slice(0, -1));

/** A row with what PagerDuty adds to each. */
export function shown(name, { integration_keys: _, ...row }) {
  const type = singular(name);
  return {
    ...row,
    type,
    summary: row.summary ?? row.name ?? row.title ?? row.description,
    self: `https://api.pagerduty.com/${name}/${row.id}`,
    html_url: `https://backlot.pagerduty.com/${name}/${row.id}`,
  };
}

/** What other rows say of a row. */
export function referenceTo(context, name, id) {
  const { summary, self, html_url: htmlUrl } = shown(name, find(context, name, id));
  return { id, type: `${singular(name)}_reference`, summary, self, html_url: htmlUrl };
}
