import { decide, policyFor } from './rules.mjs';
import { checkPassword, LEVELS, sessionOf } from './sessions.mjs';

const PLAIN = { 'Content-Type': 'text/plain; charset=utf-8' };

/** For Traefik, Caddy, HAProxy: the request by `X-Forwarded-...`, and a browser is led to the portal. */
export const forwardAuth = check(
  ({ headers }) => ({
    method: headers['x-forwarded-method'],
    address: joined(headers),
  }),
  { leads: true },
);

/** For nginx: the request by `X-Original-...`, and where to log in stands beside a 401. */
export const authRequest = check(
  ({ headers }) => ({ method: headers['x-original-method'], address: headers['x-original-url'] }),
  { leads: false },
);

/** The endpoint of older configurations, which takes either; without `rd` it answers 401. */
export const verify = check(
  ({ headers }) => ({
    method: headers['x-original-method'] ?? headers['x-forwarded-method'] ?? 'GET',
    address: headers['x-original-url'] ?? joined(headers),
  }),
  { leads: true, isLegacy: true },
);

const CHECKS = { verify, 'forward-auth': forwardAuth, 'auth-request': authRequest };

/** Any of these, when the session of whoever asks is over. */
export const expired = (request, context) =>
  CHECKS[request.path.split('/').at(-1)]({ ...request, cookies: {} }, context);

function joined(headers) {
  const { 'x-forwarded-proto': scheme, 'x-forwarded-host': host, 'x-forwarded-uri': uri = '/' } = headers;
  return scheme === undefined || host === undefined ? undefined : `${scheme}://${host}${uri}`;
}

function check(read, { leads, isLegacy = false }) {
  return (request, context) => {
    const { method, address } = read(request);
    if (address === undefined || !URL.canParse(address) || method === undefined)
      return plain(isLegacy ? 401 : 400);
    const session = basicOf(request, context) ?? sessionOf(request, context);
    const verdict = decide(policyFor(context, { url: new URL(address), method }, session.user), session);
    if (verdict === 'forbidden') return plain(403);
    if (verdict === 'allowed')
      return { status: 200, headers: { ...PLAIN, ...remoteOf(session) }, body: '200 OK' };
    return refuse(request, { address, method, leads, isLegacy });
  };
}

function plain(status, headers = {}) {
  const names = { 302: 'Found', 303: 'See Other', 400: 'Bad Request', 401: 'Unauthorized', 403: 'Forbidden' };
  return { status, headers: { ...PLAIN, ...headers }, body: `${status} ${names[status]}` };
}

function remoteOf({ user }) {
  if (user === undefined) return {};
  const { username, displayname = username, emails = [], groups = [] } = user;
  return {
    'Remote-User': username,
    'Remote-Groups': groups.join(','),
    'Remote-Name': displayname,
    'Remote-Email': emails[0] ?? '',
  };
}

/** Whom the header proves, as scripts log in; a wrong password is nobody. */
function basicOf({ headers }, context) {
  const text = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(
    headers['proxy-authorization'] ?? headers.authorization ?? '',
  )?.[1];
  if (text === undefined) return undefined;
  const [name, ...rest] = Buffer.from(text, 'base64').toString().split(':');
  const user = checkPassword(context, name, rest.join(':'));
  return user === undefined ? { level: LEVELS.anonymous } : { user, level: LEVELS.one_factor };
}

function refuse(request, { address, method, leads, isLegacy }) {
  const { headers, query } = request;
  const portal =
    query.authelia_url ??
    query.rd ??
    (isLegacy ? undefined : `${request.scheme}://${request.host}/authelia/`);
  const wantsHtml = (headers.accept ?? '*/*')
    .split(',')
    .some((type) => /^(text\/html|\*\/\*)/.test(type.trim()));
  if (query.auth === 'basic' || headers.authorization !== undefined)
    return plain(401, { 'WWW-Authenticate': 'Basic realm="Authorization Required"' });
  if (typeof portal !== 'string') return plain(401);
  const location = `${portal}${portal.includes('?') ? '&' : '?'}${new URLSearchParams({ rd: address, rm: method })}`;
  if (!leads) return plain(401, { Location: location });
  if (!wantsHtml || headers['x-requested-with'] === 'XMLHttpRequest') return plain(401);
  return plain(['GET', 'HEAD', 'OPTIONS'].includes(method) ? 302 : 303, { Location: location });
}
