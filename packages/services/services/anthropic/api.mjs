/** A call that Anthropic refuses, as its SDKs know it by the status. */
export class AnthropicError extends Error {
  constructor(status, message, type = TYPES[status] ?? 'api_error') {
    super(message);
    this.status = status;
    this.type = type;
  }
}

const TYPES = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** What is wrong with a parameter. */
export function invalid(message) {
  return new AnthropicError(400, message);
}

/** What an error is in the body of an answer, in an event of a stream, and in the results of a batch. */
export function shownError({ type, message, details }, requestId) {
  const error = { type, message, ...(details === undefined ? {} : { details }) };
  return { type: 'error', error, request_id: requestId };
}

/** Makes the function of a mock: it checks the key and the version, and answers what `act` throws as Anthropic does. */
export function operation(act) {
  return async (request, context) => {
    const id = `req_${context.random.string(24)}`;
    const headers = { 'request-id': id, 'anthropic-organization-id': '00000000-0000-4000-8000-000000000000' };
    try {
      checkHeaders(request);
      const answer = await act({ body: bodyOf(request), request, context });
      const response = answer.response ?? { json: answer };
      return { ...answer.more, response: { ...response, headers: { ...headers, ...response.headers } } };
    } catch (error) {
      if (!(error instanceof AnthropicError)) throw error;
      return { response: { status: error.status, headers, json: shownError(error, id) } };
    }
  };
}

function bodyOf({ method, body, path }) {
  if (method !== 'POST' || path.endsWith('/cancel')) return {};
  if (isObject(body)) return body;
  throw invalid('The request body is not valid JSON: expected an object.');
}

function checkHeaders({ headers }) {
  const key = headers['x-api-key'] ?? /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
  if (key === undefined || key === '') throw new AnthropicError(401, 'x-api-key header is required');
  if (key.includes('invalid')) throw new AnthropicError(401, 'invalid x-api-key');
  if (headers['anthropic-version'] === undefined) throw invalid('anthropic-version: header is required');
}

/** Whether a value is a JSON object. */
export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The model of a call, as its row. @throws what Anthropic answers when there is none */
export function modelOf({ collection }, { model }) {
  if (model === undefined) throw invalid('model: Field required');
  if (typeof model !== 'string') throw invalid('model: Input should be a valid string');
  const rows = collection('anthropic:models');
  if (rows.has(model)) return rows.get(model);
  throw new AnthropicError(404, `model: ${model}`);
}

/** @throws what a rule says that the service answers in place of a reply */
export function checkFailure({ error }) {
  if (error === undefined) return;
  const { status = 500, message = 'Internal server error', type } = error;
  throw new AnthropicError(status, message, type);
}

/** The event by which a stream that breaks ends. */
export const BROKEN = {
  event: 'error',
  json: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
};

/** A moment as Anthropic writes it. @param time - milliseconds since 1970 */
export function isoTime(time) {
  return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
}

const MAX_PAGE = 1000;

/** A page of rows in their order, as the cursors of Anthropic ask for it. */
export function page(rows, { limit = '20', after_id: after, before_id: before }) {
  const size = Number(limit);
  if (!Number.isInteger(size) || size < 1 || size > MAX_PAGE)
    throw invalid(`limit: Input should be a whole number from 1 to ${MAX_PAGE}, not ${limit}`);
  if (after !== undefined && before !== undefined)
    throw invalid('Only one of before_id and after_id can be given');
  const end = before === undefined ? undefined : placeOf(rows, before, 'before_id');
  const start =
    end === undefined
      ? after === undefined
        ? 0
        : placeOf(rows, after, 'after_id') + 1
      : Math.max(0, end - size);
  const data = rows.slice(start, end ?? start + size);
  const hasMore = end === undefined ? start + data.length < rows.length : start > 0;
  return { data, has_more: hasMore, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}

function placeOf(rows, id, name) {
  const place = rows.findIndex((row) => row.id === id);
  if (place >= 0) return place;
  throw invalid(`${name}: there is nothing with the id '${id}'`);
}
