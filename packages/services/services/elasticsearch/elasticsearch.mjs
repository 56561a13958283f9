import * as admin from './admin.mjs';
import * as documents from './documents.mjs';
import { SearchError, illegal } from './errors.mjs';
import * as search from './search.mjs';
import { Store } from './store.mjs';

const BASE = '/elasticsearch';

/** What a call does, by its method and its path. */
const ROUTES = `
GET / info
GET,POST /_search search
GET,POST /_search/scroll scroll
GET,POST /_search/scroll/{id} scroll
DELETE /_search/scroll clearScroll
DELETE /_search/scroll/{id} clearScroll
GET,POST /_msearch manySearches
GET,POST /_mget getMany
POST,PUT /_bulk bulk
GET,POST /_count count
POST /_reindex reindex
DELETE /_pit closePit
POST,GET /_refresh refresh
GET,POST /_analyze analyzeText
GET /_mapping getMapping
GET /_settings getSettings
PUT /_settings putSettings
GET /_alias getAlias
GET /_alias/{id} getAlias
POST /_aliases updateAliases
PUT,POST /_index_template/{id} putTemplate
GET /_index_template getTemplate
GET /_index_template/{id} getTemplate
DELETE /_index_template/{id} deleteTemplate
GET /_cat/indices catIndices
GET /_cat/indices/{index} catIndices
GET /_cat/health catHealth
GET /_cat/count catCount
GET /_cat/count/{index} catCount
GET /_cat/aliases catAliases
GET /_cluster/health health
GET /_cluster/health/{index} health
PUT /{index} createIndex
GET /{index} getIndex
DELETE /{index} deleteIndex
GET,POST /{index}/_search search
GET,POST /{index}/_msearch manySearches
GET,POST /{index}/_mget getMany
POST,PUT /{index}/_bulk bulk
GET,POST /{index}/_count count
POST /{index}/_pit openPit
POST,GET /{index}/_refresh refresh
POST /{index}/_flush refresh
GET,POST /{index}/_analyze analyzeText
POST /{index}/_delete_by_query deleteByQuery
POST /{index}/_update_by_query updateByQuery
GET /{index}/_mapping getMapping
PUT,POST /{index}/_mapping putMapping
GET /{index}/_settings getSettings
PUT /{index}/_settings putSettings
GET /{index}/_alias getAlias
GET /{index}/_alias/{id} getAlias
PUT,POST /{index}/_alias/{id} putAlias
DELETE /{index}/_alias/{id} deleteAlias
POST /{index}/_doc indexDocument
PUT,POST /{index}/_doc/{id} indexDocument
GET /{index}/_doc/{id} getDocument
DELETE /{index}/_doc/{id} deleteDocument
PUT,POST /{index}/_create/{id} createDocument
GET /{index}/_source/{id} getSource
POST /{index}/_update/{id} updateDocument
`;

const ACTS = { ...admin, ...documents, ...search };

const routes = ROUTES.trim()
  .split(/\r?\n/)
  .map((line) => {
    const [methods, path, act] = line.split(' ');
    return { methods: methods.split(','), path, parts: path.split('/').slice(1), act: ACTS[act] };
  });

function routeOf(method, parts) {
  const fits = (route) =>
    route.parts.length === parts.length &&
    // A name that begins with `_` is none of an index.
    route.parts.every(
      (part, at) =>
        part === parts[at] ||
        (part === '{id}' && parts[at] !== '') ||
        (part === '{index}' && !(parts[at].startsWith('_') && parts[at] !== '_all') && parts[at] !== ''),
    );
  const found = routes.filter(fits);
  // HEAD asks as GET does, and gets no body.
  const route = found.find(({ methods }) => methods.includes(method === 'HEAD' ? 'GET' : method));
  if (route !== undefined) return route;
  if (found.length > 0) {
    const allowed = [...new Set(found.flatMap(({ methods }) => methods))];
    const uri = `/${parts.join('/')}`;
    throw new Refusal(
      405,
      {
        error: `Incorrect HTTP method for uri [${uri}] and method [${method}], allowed: [${allowed.join(', ')}]`,
        status: 405,
      },
      { Allow: allowed.join(',') },
    );
  }
  const known = routes.map(({ path }) => path);
  throw illegal(
    `no handler found for uri [/${parts.join('/')}] and method [${method}]; the service elasticsearch knows ${[...new Set(known)].join(', ')}`,
  );
}

/** An answer that is no {@link SearchError}. */
class Refusal extends Error {
  constructor(status, json, headers = {}) {
    super(json.error);
    this.answer = { status, json, headers };
  }
}

const textOf = (value) => (Array.isArray(value) ? value.join(',') : value);

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    throw illegal(`the path has what is not coded well: ${text}`);
  }
}

function checkUser({ headers }) {
  const given = String(headers.authorization ?? '');
  const plain = /^(?:Basic|ApiKey) (.+)$/i.exec(given)?.[1];
  const text = plain === undefined ? given : `${plain} ${Buffer.from(plain, 'base64').toString()}`;
  if (/invalid|expired/.test(text)) throw unauthorized();
}

const unauthorized = () => {
  const error = new SearchError(401, 'security_exception', 'unable to authenticate user for REST request', {
    header: { 'WWW-Authenticate': ['Basic realm="security", charset="UTF-8"', 'ApiKey'] },
  });
  error.headers = { 'WWW-Authenticate': 'Basic realm="security", charset="UTF-8"' };
  return error;
};

/** Reads the body: a JSON object, or what stands in its lines. */
function bodyOf({ raw_body: raw, body }) {
  if (raw === undefined || raw.length === 0) return {};
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  throw new SearchError(400, 'parse_exception', 'request body is required to be a JSON object');
}

function linesOf({ raw_body: raw }) {
  const lines = String(raw ?? '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '');
  if (lines.length === 0) throw new SearchError(400, 'parse_exception', 'request body is required');
  return lines.map((line, at) => {
    try {
      return JSON.parse(line);
    } catch {
      throw illegal(
        `Malformed content, found extra data or no JSON in line [${at + 1}]: ${line.slice(0, 100)}`,
      );
    }
  });
}

/** Leaves of an answer what `filter_path` names. */
function pathFilter(value, text) {
  const patterns = text.split(',').map((one) => one.split('.'));
  const walk = (one, left) => {
    if (left.some((parts) => parts.length === 0)) return one;
    if (Array.isArray(one)) {
      const list = one.map((each) => walk(each, left)).filter((each) => each !== undefined);
      return list.length > 0 ? list : undefined;
    }
    if (typeof one !== 'object' || one === null) return undefined;
    const entries = Object.entries(one)
      .map(([name, each]) => {
        const next = left.flatMap((parts) => {
          if (parts[0] === '**')
            return [parts, parts.slice(1)].flatMap((rest) =>
              rest[0] === name ? [rest.slice(1)] : rest[0] === '**' ? [rest] : [],
            );
          return parts[0] === name || parts[0] === '*' ? [parts.slice(1)] : [];
        });
        return [name, next.length === 0 ? undefined : walk(each, next)];
      })
      .filter(([, each]) => each !== undefined);
    return entries.length > 0 ? Object.fromEntries(entries) : undefined;
  };
  return walk(value, patterns) ?? {};
}

function headersOf({ headers }) {
  const version = /compatible-with=(\d+)/.exec(String(headers.accept ?? ''))?.[1];
  const type =
    version === undefined
      ? 'application/json'
      : `application/vnd.elasticsearch+json;compatible-with=${version}`;
  const opaque = headers['x-opaque-id'];
  return {
    'X-elastic-product': 'Elasticsearch',
    'Content-Type': type,
    ...(opaque !== undefined && { 'X-Opaque-Id': String(opaque) }),
  };
}

function answerWith(options) {
  return async (request, context) => {
    const usual = headersOf(request);
    try {
      checkUser(request);
      const path = request.path.slice(BASE.length).replace(/\/+$/, '');
      const raw = path.split('/').slice(1);
      const parts = (raw.length === 0 ? [''] : raw).map(decode);
      const { parts: names, act } = routeOf(request.method, parts);
      const of = (name) => parts[names.indexOf(name)];
      const query = Object.fromEntries(
        Object.entries(request.query).map(([name, value]) => [name, textOf(value)]),
      );
      const isLines = act === documents.bulk || act === search.manySearches;
      const call = {
        ...options,
        act,
        request,
        query,
        index: of('{index}'),
        id: of('{id}'),
        store: new Store(context, options),
        body: isLines ? {} : bodyOf(request),
        hasBody: (request.raw_body?.length ?? 0) > 0,
        lines: () => linesOf(request),
      };
      if (options.slow !== undefined) await search.takeTime(call, options.slow, context.clock);
      const made = await act(call);
      const json =
        made.json !== undefined && query.filter_path !== undefined
          ? pathFilter(made.json, query.filter_path)
          : made.json;
      return { ...made, ...(json !== undefined && { json }), headers: { ...usual, ...made.headers } };
    } catch (error) {
      if (error instanceof Refusal)
        return { ...error.answer, headers: { ...usual, ...error.answer.headers } };
      const refused =
        error.code === 'too_large'
          ? new SearchError(429, 'circuit_breaking_exception', `[parent] Data too large: ${error.message}`, {
              durability: 'TRANSIENT',
            })
          : error;
      if (!(refused instanceof SearchError)) throw error;
      return { status: refused.status, headers: { ...usual, ...refused.headers }, json: refused.body };
    }
  };
}

const fault = (make) => (request) => {
  const error = make();
  return { status: error.status, headers: { ...headersOf(request), ...error.headers }, json: error.body };
};

export const answer = answerWith({});
export const answerLate = answerWith({ late: true });
export const answerSlow = answerWith({ slow: 5000 });
export const answerTimedOut = answerWith({ timedOut: true });
export const bulkRejected = answerWith({ rejects: true });
export const rateLimited = fault(() => {
  const error = new SearchError(
    429,
    'es_rejected_execution_exception',
    'rejected execution of coordinating operation [coordinating_and_primary_bytes=0]',
  );
  error.headers = { 'Retry-After': '1' };
  return error;
});
export const outage = fault(
  () => new SearchError(503, 'master_not_discovered_exception', 'the cluster has no master'),
);
export const wrongCredentials = fault(unauthorized);
const blocked = fault(
  () =>
    new SearchError(
      403,
      'cluster_block_exception',
      'index [backlot] blocked by: [FORBIDDEN/12/index read-only / allow delete (api)];',
    ),
);
export const tooLarge = fault(
  () =>
    new SearchError(
      429,
      'circuit_breaking_exception',
      '[parent] Data too large, data for [<http_request>] would be larger than the limit',
      { bytes_wanted: 1, bytes_limit: 0, durability: 'TRANSIENT' },
    ),
);
/** Changes are refused, and what only reads is answered. */
export const readOnly = (request, context) =>
  request.method === 'GET' || request.method === 'HEAD' ? answer(request, context) : blocked(request);
