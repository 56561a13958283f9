/** A call that Resend refuses, as its SDKs know it by the name. */
export class ResendError extends Error {
  constructor(status, name, message) {
    super(message);
    this.status = status;
    this.code = name;
  }
}

/** What is wrong with a field. */
export function invalid(message, name = 'validation_error') {
  return new ResendError(422, name, message);
}

const KEPT = 'resend:idempotency';
const MAX_KEY = 256;

/**
 * Makes the function of a mock: it checks the key, gives the first answer again for an idempotency key, and answers what
 * `act` throws as Resend does.
 */
export function operation(act) {
  return (request, context) => {
    const headers = { 'ratelimit-limit': '2', 'ratelimit-remaining': '1', 'ratelimit-reset': '1' };
    try {
      checkKey(request);
      const again = replay(request, context);
      if (again !== undefined) return { headers, json: again };
      const json = act({ body: request.body, request, context });
      keep(request, context, json);
      return { headers, json };
    } catch (error) {
      if (!(error instanceof ResendError)) throw error;
      const { status, code, message } = error;
      return { status, headers, json: { statusCode: status, name: code, message } };
    }
  };
}

function checkKey({ headers }) {
  const key = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
  if (key === undefined) throw new ResendError(401, 'missing_api_key', 'Missing API Key');
  if (key.includes('invalid')) throw new ResendError(403, 'invalid_api_key', 'API key is invalid');
}

function keyOf({ method, headers }) {
  const key = method === 'POST' ? headers['idempotency-key'] : undefined;
  if (key !== undefined && (key === '' || key.length > MAX_KEY))
    throw new ResendError(
      400,
      'invalid_idempotency_key',
      `The idempotency key must be between 1-${MAX_KEY} characters.`,
    );
  return key;
}

function askedBy({ path, raw_body: body = '' }) {
  return `${path} ${String(body)}`;
}

function replay(request, { collection }) {
  const key = keyOf(request);
  if (key === undefined || !collection(KEPT).has(key)) return undefined;
  const { asked, json } = collection(KEPT).get(key);
  if (asked === askedBy(request)) return json;
  throw new ResendError(
    409,
    'invalid_idempotent_request',
    'Same idempotency key used with a different request payload.',
  );
}

function keep(request, { collection }, json) {
  const key = keyOf(request);
  if (key !== undefined) collection(KEPT).create({ id: key, asked: askedBy(request), json });
}

/** The row with an id. @throws what Resend answers when there is none */
export function find({ collection }, name, id, title) {
  const rows = collection(`resend:${name}`);
  if (rows.has(id)) return rows.get(id);
  throw new ResendError(404, 'not_found', `${title} not found`);
}

const MAX_PAGE = 100;

/** A page of rows, newest first, as the cursors of Resend ask for it. */
export function page(rows, { limit = '20', after, before }) {
  const size = Number(limit);
  if (!Number.isInteger(size) || size < 1 || size > MAX_PAGE)
    throw invalid(`The limit must be a whole number from 1 to ${MAX_PAGE}, not ${limit}.`);
  if (after !== undefined && before !== undefined)
    throw invalid('The `after` and `before` parameters cannot be used together.');
  const all = [...rows].reverse();
  if (before !== undefined) {
    const end = placeOf(all, before, 'before');
    const start = Math.max(0, end - size);
    return { object: 'list', has_more: start > 0, data: all.slice(start, end) };
  }
  const start = after === undefined ? 0 : placeOf(all, after, 'after') + 1;
  return { object: 'list', has_more: start + size < all.length, data: all.slice(start, start + size) };
}

function placeOf(rows, id, name) {
  const place = rows.findIndex((row) => row.id === id);
  if (place >= 0) return place;
  throw invalid(`The \`${name}\` parameter is the id of nothing: '${id}'.`);
}
