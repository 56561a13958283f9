import { nothing, Provider, verifiedClaims } from '../../identity/index.mjs';
import { SETTINGS } from './settings.mjs';

/** A call of the admin API that is refused; its clients read `error` and `errorMessage`. */
export class AdminError extends Error {
  constructor(status, fields) {
    super(fields.error ?? fields.errorMessage);
    this.status = status;
    this.fields = fields;
  }
}

/** What is not there. */
export function missing(text) {
  return new AdminError(404, { error: text });
}

/** What is there already. */
export function conflict(text) {
  return new AdminError(409, { errorMessage: text });
}

/** What is wrong with the body. */
export function invalid(text, fields = {}) {
  return new AdminError(400, { errorMessage: text, ...fields });
}

/**
 * Makes the function of a mock of the admin API: it wants the token of an administrator. What `act` returns is the answer:
 * `undefined` none, and an object with `location` what was made.
 */
export function operation(act) {
  return (request, context) => {
    const provider = new Provider(SETTINGS, request, context);
    try {
      checkToken(provider);
      if (provider.realm !== undefined && !provider.rows('realms').has(provider.realm))
        throw missing('Realm not found.');
      const result = act(provider, bodyOf(request));
      if (result === undefined) return nothing(204);
      if (result?.location === undefined) return { json: result };
      return {
        status: 201,
        headers: { Location: `${provider.origin}/keycloak/admin/realms/${result.location}` },
      };
    } catch (error) {
      if (!(error instanceof AdminError)) throw error;
      return { status: error.status, json: error.fields };
    }
  };
}

function bodyOf({ method, body }) {
  if (method === 'GET') return undefined;
  if (body === undefined || body === '') return {};
  if (Array.isArray(body) && body.every(isObject)) return body;
  if (!isObject(body)) throw new AdminError(400, { error: 'unable to read contents from stream' });
  checkForm(body);
  return body;
}

function checkToken(provider) {
  const token = /^Bearer (.+)$/i.exec(provider.request.headers.authorization ?? '')?.[1];
  const claims = token === undefined ? undefined : verifiedClaims(provider, token);
  const rows = provider.rows('tokens');
  if (claims?.typ !== 'Bearer' || !rows.has(claims.jti))
    throw new AdminError(401, { error: 'HTTP 401 Unauthorized' });
  const { sub, realm } = rows.get(claims.jti);
  const users = provider.rows('users');
  const user = users.has(sub) ? users.get(sub) : {};
  const isAdmin =
    (realm === 'master' && (user.realmRoles ?? []).includes('admin')) ||
    (realm === provider.realm && (user.clientRoles?.['realm-management'] ?? []).includes('realm-admin'));
  if (!isAdmin) throw new AdminError(403, { error: 'HTTP 403 Forbidden' });
}

const TEXTS = ['username', 'email', 'clientId', 'name', 'realm', 'secret'];
const LISTS_OF_OBJECTS = ['credentials', 'users', 'clients', 'groups'];
const LISTS_OF_TEXTS = ['redirectUris', 'webOrigins', 'realmRoles'];

/** What cannot be read as a representation of Keycloak. */
function checkForm(body) {
  const unfit = (name) => new AdminError(400, { error: `Cannot deserialize value of field "${name}"` });
  for (const name of TEXTS) if (typeof (body[name] ?? '') !== 'string') throw unfit(name);
  for (const name of LISTS_OF_TEXTS) {
    const list = body[name] ?? [];
    if (!Array.isArray(list) || list.some((value) => typeof value !== 'string')) throw unfit(name);
  }
  for (const name of LISTS_OF_OBJECTS) {
    const list = body[name] ?? [];
    if (!Array.isArray(list) || list.some((value) => !isObject(value))) throw unfit(name);
    for (const value of list) checkForm(value);
  }
  const roles = body.roles ?? {};
  if (
    !isObject(roles) ||
    !Array.isArray(roles.realm ?? []) ||
    (roles.realm ?? []).some((role) => !isObject(role))
  )
    throw unfit('roles');
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const MOST = 100;

/** A page of rows by `first` and `max`. */
export function page(rows, { first, max }, size = MOST) {
  const [from, count] = [numberOf('first', first, 0), numberOf('max', max, size)];
  return rows.slice(from, count < 0 ? undefined : from + count);
}

function numberOf(name, text, otherwise) {
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (!Number.isInteger(value) || (value < 0 && name === 'first'))
    throw new AdminError(400, { error: `${name} has to be a whole number, not "${text}"` });
  return value;
}

/** The rows of the realm. */
export function rowsOf(provider, kind) {
  return [...provider.rows(kind).values()].filter(({ realm }) => realm === provider.realm);
}

/** The row with an id. @throws AdminError when the realm has none */
export function rowOf(provider, kind, id, text) {
  const row = provider.find(kind, id);
  if (row === undefined) throw missing(text);
  return row;
}

/** Adds a row to the realm. */
export function create(provider, kind, row) {
  return provider
    .rows(kind)
    .create({ ...row, id: row.id ?? provider.context.random.uuid(), realm: provider.realm });
}

/** Puts fields over those of a row, as an update of Keycloak does; fields that are null go. */
export function update(provider, kind, id, { id: _, realm: __, ...fields }) {
  provider.rows(kind).update(id, fields);
}
