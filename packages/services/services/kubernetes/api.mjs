import * as discovery from './discovery.mjs';
import { bodyOf, isTrue } from './body.mjs';
import { readLog } from './logs.mjs';
import { methodNotAllowed, noSuchPath, Refusal } from './status.mjs';
import { Store } from './store.mjs';
import * as verbs from './verbs.mjs';
import { watch } from './watch.mjs';

const BASE = '/kubernetes';
const KNOWN =
  '/version, /healthz, /api/v1/..., /apis/GROUP/VERSION/... with the resources that `kubectl api-resources` lists';

const OBJECT = {
  GET: verbs.get,
  HEAD: verbs.get,
  PUT: verbs.replace,
  PATCH: verbs.patch,
  DELETE: verbs.remove,
};
const COLLECTION = { GET: verbs.list, HEAD: verbs.list, POST: verbs.create, DELETE: verbs.removeAll };
const CHANGED = { GET: verbs.get, PUT: verbs.replace, PATCH: verbs.patch };
const SUBRESOURCES = {
  status: CHANGED,
  scale: CHANGED,
  finalize: { PUT: verbs.replace },
  log: { GET: readLog },
  eviction: { POST: verbs.evict },
  token: { POST: makeToken },
};

const textOf = (value) => (Array.isArray(value) ? value.at(-1) : value);

function answerOf(call) {
  const { path } = call;
  const [first = '', ...rest] = path;
  if (['healthz', 'livez', 'readyz'].includes(first))
    return { headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body: 'ok' };
  if (first === 'version' && rest.length === 0) return discovery.versionOf(call);
  if (first === 'openapi') return rest[0] === 'v3' ? discovery.openapi3() : discovery.openapi(call);
  if (first === 'api')
    return rest.length === 0 ? discovery.coreVersions() : inVersion(call, '', rest[0], rest.slice(1));
  if (first !== 'apis') return undefined;
  if (rest.length === 0) return discovery.groups(call);
  if (rest.length === 1) return discovery.group({ ...call, group: rest[0] });
  return inVersion(call, rest[0], rest[1], rest.slice(2));
}

function inVersion(call, group, version, rest) {
  if (rest.length === 0) return discovery.resources({ ...call, group, version });
  const review = discovery.REVIEWS.find(
    (one) => one.group === group && one.version === version && one.plural === rest[0],
  );
  if (review !== undefined && call.request.method === 'POST') return askReview(call, review);
  // Namespaces are found below `namespaces` like all objects of a cluster, and hold what has one.
  const isInside = rest[0] === 'namespaces' && rest.length > 2 && !['status', 'finalize'].includes(rest[2]);
  const [plural, name, sub, ...more] = isInside ? rest.slice(2) : rest;
  const namespace = isInside ? rest[1] : undefined;
  const resource = call.store.resources.find(
    (one) => one.group === group && one.version === version && one.plural === plural,
  );
  if (resource === undefined || more.length > 0) return undefined;
  if (isInside && !resource.isNamespaced) return undefined;
  const isWatch = call.request.method === 'GET' && isTrue(call.query.watch);
  const whole = { ...call, resource, namespace, name, sub };
  if (sub !== undefined) {
    const acts =
      resource.subresources.includes(sub) && Object.hasOwn(SUBRESOURCES, sub) ? SUBRESOURCES[sub] : undefined;
    return acts === undefined ? undefined : act(acts, whole);
  }
  if (isWatch) return watch(whole);
  if (name !== undefined) return resource.isNamespaced && !isInside ? undefined : act(OBJECT, whole);
  if (resource.isNamespaced && !isInside && call.request.method !== 'GET') throw methodNotAllowed();
  return act(COLLECTION, whole);
}

function act(acts, call) {
  const { method } = call.request;
  if (Object.hasOwn(acts, method)) return acts[method](call);
  throw methodNotAllowed();
}

async function askReview(call, { kind }) {
  const body = await bodyOf(call);
  return discovery.review({ kind, body, user: 'backlot' });
}

async function makeToken(call) {
  const { store, resource, namespace, name } = call;
  const body = await bodyOf(call);
  store.get(resource, namespace, name);
  const seconds = body?.spec?.expirationSeconds ?? 3600;
  const end = new Date(call.context.clock.now() + seconds * 1000).toISOString();
  const token = `backlot.${Buffer.from(`system:serviceaccount:${namespace}:${name}`).toString('base64url')}.${store.random.uuid()}`;
  return { status: 201, json: { ...body, status: { token, expirationTimestamp: end } } };
}

function checkUser({ headers }) {
  if (/invalid|expired/.test(String(headers.authorization ?? ''))) throw unauthorizedError();
}

const unauthorizedError = () => new Refusal(401, 'Unauthorized', 'Unauthorized');

function pathOf({ path }) {
  const parts = path
    .slice(BASE.length)
    .split('/')
    .filter((part) => part !== '');
  try {
    return parts.map(decodeURIComponent);
  } catch {
    throw noSuchPath(path, KNOWN);
  }
}

function answerWith(options) {
  return async (request, context) => {
    try {
      checkUser(request);
      const query = Object.fromEntries(
        Object.entries(request.query).map(([name, value]) => [name, textOf(value)]),
      );
      const call = { request, context, options, query, path: pathOf(request), store: new Store(context) };
      const made = await answerOf(call);
      if (made === undefined) throw noSuchPath(request.path.slice(BASE.length), KNOWN);
      return made;
    } catch (error) {
      if (error.code === 'too_large')
        return new Refusal(413, 'RequestEntityTooLarge', `etcdserver: request is too large: ${error.message}`)
          .answer;
      if (!(error instanceof Refusal)) throw error;
      return error.answer;
    }
  };
}

const refusal = (make) => (request) => make(request).answer;

export const answer = answerWith({});
export const answerPending = answerWith({ pods: 'Pending' });
export const answerCrashing = answerWith({ pods: 'CrashLoopBackOff' });
export const answerExpired = answerWith({ isExpired: true });
export const answerCut = answerWith({ isCut: true });
export const answerConflict = answerWith({ conflicts: true });
export const unauthorized = refusal(unauthorizedError);
export const rateLimited = refusal(
  () =>
    new Refusal(429, 'TooManyRequests', 'Too many requests, please try again later.', {
      headers: { 'Retry-After': '1' },
      details: { retryAfterSeconds: 1 },
    }),
);
export const outage = refusal(
  () =>
    new Refusal(503, 'ServiceUnavailable', 'the server is currently unable to handle the request', {
      details: { causes: [{ reason: 'UnexpectedServerResponse', message: 'service unavailable' }] },
    }),
);
export const timedOut = refusal(
  () =>
    new Refusal(
      504,
      'Timeout',
      'Timeout: request did not complete within requested timeout - context deadline exceeded',
      {
        details: {},
      },
    ),
);
export const noSpdy = refusal(
  () =>
    new Refusal(
      400,
      'BadRequest',
      'SPDY is not spoken here: use a client that runs commands over WebSocket (v5.channel.k8s.io or v4.channel.k8s.io)',
    ),
);

const resourceIn = ({ path }) => {
  const found = /\/(?:api\/v1|apis\/(?<group>[^/]+)\/[^/]+)\/(?:namespaces\/[^/]+\/)?(?<plural>[^/]+)/.exec(
    path,
  )?.groups;
  return { plural: found?.plural ?? 'unknown', group: found?.group ?? '' };
};
const VERBS = { GET: 'get', POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

export const denied = refusal((request) => {
  const { plural, group } = resourceIn(request);
  const verb = VERBS[request.method] ?? 'get';
  return new Refusal(
    403,
    'Forbidden',
    `${group === '' ? plural : `${plural}.${group}`} is forbidden: User "backlot" cannot ${verb} resource "${plural}" in API group "${group}"`,
    { details: { kind: plural, ...(group === '' ? {} : { group }) } },
  );
});
export const overQuota = refusal(
  (request) =>
    new Refusal(
      403,
      'Forbidden',
      `${resourceIn(request).plural} is forbidden: exceeded quota: backlot, requested: ${resourceIn(request).plural}=1, used: ${resourceIn(request).plural}=1, limited: ${resourceIn(request).plural}=1`,
      { details: { kind: resourceIn(request).plural } },
    ),
);
export const admissionDenied = refusal(
  () =>
    new Refusal(
      400,
      'BadRequest',
      'admission webhook "policy.backlot.test" denied the request: the policy does not allow it',
    ),
);
