import * as delivery from './delivery.mjs';
import { ContentfulError, errorAnswer, notFound, versionMismatch } from './errors.mjs';
import * as management from './management.mjs';
import { Store } from './store.mjs';
import * as webhooks from './webhooks.mjs';

const BASE = '/contentful';
const { types, entries, assets } = management;

/** What the delivery and the preview API know, below an environment. */
const DELIVERY = {
  'GET /': delivery.getSpace,
  'GET /content_types': delivery.listTypes,
  'GET /content_types/{id}': delivery.getType,
  'GET /entries': delivery.listEntries,
  'GET /entries/{id}': delivery.getEntry,
  'GET /assets': delivery.listAssets,
  'GET /assets/{id}': delivery.getAsset,
  'GET /locales': delivery.listLocales,
  'GET /tags': delivery.listTags,
  'GET /sync': delivery.sync,
};

const resource = (name, { list, get, create, put, remove, publish, unpublish, archive, unarchive }) => ({
  [`GET /${name}`]: list,
  [`POST /${name}`]: create,
  [`GET /${name}/{id}`]: get,
  [`PUT /${name}/{id}`]: put,
  [`DELETE /${name}/{id}`]: remove,
  [`PUT /${name}/{id}/published`]: publish,
  [`DELETE /${name}/{id}/published`]: unpublish,
  [`PUT /${name}/{id}/archived`]: archive,
  [`DELETE /${name}/{id}/archived`]: unarchive,
});

const MANAGEMENT = {
  'GET /': management.getEnvironment,
  ...resource('content_types', types),
  ...resource('entries', entries),
  ...resource('assets', assets),
  'PUT /assets/{id}/files/{locale}/process': management.processFile,
  'GET /locales': management.listLocales,
  'POST /locales': management.createLocale,
};

/** What stands below a space and no environment. */
const SPACE = {
  'GET /': management.getSpace,
  'GET /webhook_definitions': webhooks.listWebhooks,
  'POST /webhook_definitions': webhooks.createWebhook,
  'GET /webhook_definitions/{id}': webhooks.getWebhook,
  'DELETE /webhook_definitions/{id}': webhooks.removeWebhook,
};

const APIS = ['delivery', 'preview', 'management'];

function match(table, method, parts) {
  for (const [name, act] of Object.entries(table)) {
    const [verb, path] = name.split(' ');
    const names = path.split('/').slice(1);
    if (verb !== method || names.length !== parts.length) continue;
    if (!names.every((one, at) => one === parts[at] || (one.startsWith('{') && parts[at] !== ''))) continue;
    return { act, id: parts[names.indexOf('{id}')], locale: parts[names.indexOf('{locale}')] };
  }
  return undefined;
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ContentfulError(400, 'BadRequest', `The path has what is not coded well: ${text}`);
  }
}

function routeOf({ method, path }, store) {
  const [api, spaces, space, ...rest] = path
    .slice(BASE.length + 1)
    .replace(/\/+$/, '')
    .split('/')
    .map(decode);
  const isEnvironment = rest[0] === 'environments';
  const [environment, below] = isEnvironment ? [rest[1], rest.slice(2)] : ['master', rest];
  const table = api === 'management' ? (isEnvironment ? MANAGEMENT : SPACE) : DELIVERY;
  const found =
    APIS.includes(api) && spaces === 'spaces'
      ? match(table, method, below.length === 0 ? [''] : below)
      : undefined;
  if (found === undefined) {
    const known = [
      ...Object.keys(DELIVERY).map((one) => `delivery: ${one}`),
      ...Object.keys({ ...MANAGEMENT, ...SPACE }).map((one) => `management: ${one}`),
    ];
    throw new ContentfulError(
      404,
      'NotFound',
      `The resource could not be found: ${method} ${path}. The service contentful knows below ${BASE}/delivery, ${BASE}/preview or ${BASE}/management and /spaces/${store.vars.space}/environments/master: ${known.join(', ')}.`,
    );
  }
  if (space !== store.vars.space) throw notFound('Space', space);
  if (environment !== store.vars.environment) throw notFound('Environment', environment);
  return { ...found, api, space, environment };
}

function checkToken({ headers, query }) {
  const token = /^Bearer (.+)$/i.exec(String(headers.authorization ?? ''))?.[1] ?? query.access_token;
  if (token === undefined || /invalid|expired/.test(token))
    throw new ContentfulError(
      401,
      'AccessTokenInvalid',
      'The access token you sent could not be found or is invalid.',
    );
}

const textOf = (value) => (Array.isArray(value) ? value[0] : value);

function bodyOf({ raw_body: raw, body }) {
  if (raw === undefined || raw.length === 0) return {};
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  throw new ContentfulError(400, 'BadRequest', 'The body you sent is not valid JSON.');
}

function answerWith(options) {
  return (request, context) => {
    const requestId = context.random.uuid();
    try {
      const store = new Store(context);
      const route = routeOf(request, store);
      checkToken(request);
      const call = {
        ...options,
        ...route,
        request,
        store,
        address: `${request.scheme}://${request.host}${BASE}/${route.api}`,
        query: Object.fromEntries(
          Object.entries(request.query).map(([name, value]) => [name, textOf(value)]),
        ),
        body: bodyOf(request),
      };
      const made = route.act(call);
      const { status = 200, json } = Number.isInteger(made.status) ? made : { json: made };
      const type = `application/vnd.contentful.${route.api === 'management' ? 'management' : 'delivery'}.v1+json`;
      const headers = {
        'X-Contentful-Request-Id': requestId,
        ...(json !== undefined && { 'Content-Type': type }),
      };
      return { status, headers, ...(json !== undefined && { json }) };
    } catch (error) {
      const refused =
        error.code === 'too_large'
          ? new ContentfulError(413, 'RequestEntityTooLarge', `There is no room: ${error.message}`)
          : error;
      if (!(refused instanceof ContentfulError)) throw error;
      return errorAnswer(refused, requestId);
    }
  };
}

const fault =
  (error, headers = {}) =>
  (_request, context) =>
    errorAnswer(error, context.random.uuid(), headers);

export const answer = answerWith({});
export const late = answerWith({ late: true });
export const rateLimited = fault(
  new ContentfulError(
    429,
    'RateLimitExceeded',
    'You have exceeded the rate limit of the Organization this Space belongs to by making too many API requests within a short timespan. Please wait a moment before trying the request again.',
  ),
  {
    'X-Contentful-RateLimit-Reset': '1',
    'X-Contentful-RateLimit-Second-Limit': '7',
    'X-Contentful-RateLimit-Second-Remaining': '0',
  },
);
export const outage = fault(new ContentfulError(503, 'ServiceUnavailable', 'The service is not available.'));
export const wrongToken = fault(
  new ContentfulError(
    401,
    'AccessTokenInvalid',
    'The access token you sent could not be found or is invalid.',
  ),
);
export const accessDenied = fault(
  new ContentfulError(403, 'AccessDenied', 'Forbidden', { reasons: 'the token may not do this' }),
);
const conflicts = fault(versionMismatch());
/** Changes are refused as if somebody else had been faster. */
export const versionConflict = (request, context) =>
  request.method === 'PUT' ? conflicts(request, context) : answer(request, context);
