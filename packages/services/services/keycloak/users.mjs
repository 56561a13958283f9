import { conflict, create, invalid, operation, page, rowOf, rowsOf, update } from './api.mjs';
import { rolesById } from './roles.mjs';

const KEPT_BACK = ['password', 'realm', 'realmRoles', 'clientRoles', 'groups'];

function shown(row) {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !KEPT_BACK.includes(name)));
}

function userOf(provider) {
  return rowOf(provider, 'users', provider.request.params.id, 'User not found');
}

const SEARCHED = ['username', 'email', 'firstName', 'lastName'];

function found(provider) {
  const { query } = provider.request;
  const isExact = query.exact === 'true';
  const fits = (value, wanted) =>
    isExact ? value === wanted : (value ?? '').toLowerCase().includes(wanted.toLowerCase());
  const attributes = (query.q ?? '').split(' ').filter((pair) => pair.includes(':'));
  return rowsOf(provider, 'users').filter(
    (row) =>
      row.serviceAccountClientId === undefined &&
      SEARCHED.every((name) => query[name] === undefined || fits(row[name], query[name])) &&
      (query.search === undefined || SEARCHED.some((name) => fits(row[name], query.search))) &&
      (query.enabled === undefined || String(row.enabled) === query.enabled) &&
      attributes.every((pair) => {
        const [name, value] = pair.split(':');
        return (row.attributes?.[name] ?? []).includes(value);
      }),
  );
}

export const list = operation((provider) => page(found(provider), provider.request.query).map(shown));

export const count = operation((provider) => found(provider).length);

/** Adds a user; what is imported with a realm comes this way too. */
export function addUser(provider, { credentials = [], username, ...given }) {
  if (typeof username !== 'string' || username === '')
    throw invalid('error-user-attribute-required', { field: 'username', params: ['username'] });
  checkFree(provider, { username: username.toLowerCase(), email: given.email });
  const password = credentials.find(({ type }) => type === 'password')?.value;
  const { clock } = provider.context;
  return create(provider, 'users', {
    emailVerified: false,
    enabled: false,
    createdTimestamp: clock.now(),
    totp: false,
    realmRoles: [`default-roles-${provider.realm}`],
    ...given,
    username: username.toLowerCase(),
    ...(password === undefined ? {} : { password }),
  });
}

function checkFree(provider, { username, email }, own) {
  for (const row of rowsOf(provider, 'users')) {
    if (row.id === own) continue;
    if (username !== undefined && row.username === username) throw conflict('User exists with same username');
    if (email !== undefined && row.email === email) throw conflict('User exists with same email');
  }
}

export const add = operation((provider, body) => {
  const { id } = addUser(provider, body);
  return { location: `${provider.realm}/users/${id}` };
});

export const retrieve = operation((provider) => shown(userOf(provider)));

export const change = operation((provider, { credentials, ...body }) => {
  const { id } = userOf(provider);
  checkFree(provider, { username: body.username?.toLowerCase(), email: body.email }, id);
  const password = credentials?.find(({ type }) => type === 'password')?.value;
  update(provider, 'users', id, { ...body, ...(password === undefined ? {} : { password }) });
});

export const remove = operation((provider) => {
  const { id } = userOf(provider);
  provider.revoke('user', id);
  provider.rows('users').remove(id);
});

export const resetPassword = operation((provider, { type = 'password', value, temporary = false }) => {
  const { id, requiredActions = [] } = userOf(provider);
  if (type !== 'password' || typeof value !== 'string' || value === '')
    throw invalid('Empty password not allowed');
  const actions = temporary ? [...new Set([...requiredActions, 'UPDATE_PASSWORD'])] : requiredActions;
  provider.rows('users').update(id, { password: value, requiredActions: actions });
});

/** Ends all sessions of a user. */
export const logoutUser = operation((provider) => {
  const { id } = userOf(provider);
  for (const session of rowsOf(provider, 'sessions'))
    if (session.sub === id) provider.remove('sessions', session.id);
  provider.revoke('user', id);
});

export const sessions = operation((provider) => {
  const { id, username } = userOf(provider);
  return rowsOf(provider, 'sessions')
    .filter(({ sub, expires }) => sub === id && expires > provider.now)
    .map((row) => ({
      id: row.id,
      username,
      userId: id,
      start: row.auth_time * 1000,
      lastAccess: row.auth_time * 1000,
    }));
});

export const realmRoles = operation((provider) => {
  const { realmRoles: names = [] } = userOf(provider);
  return rolesById(provider).filter(({ name, clientRole }) => !clientRole && names.includes(name));
});

export const addRealmRoles = operation((provider, body) =>
  setRealmRoles(provider, (names, given) => [...names, ...given], body),
);

export const removeRealmRoles = operation((provider, body) =>
  setRealmRoles(provider, (names, given) => names.filter((name) => !given.includes(name)), body),
);

function namesOf(provider, roles) {
  if (!Array.isArray(roles)) throw invalid('The body has to be a list of roles');
  return roles.map(({ id }) => rowOf(provider, 'roles', id, 'Role not found').name);
}

function setRealmRoles(provider, change_, body) {
  const { id, realmRoles: names = [] } = userOf(provider);
  provider.rows('users').update(id, { realmRoles: [...new Set(change_(names, namesOf(provider, body)))] });
}

function clientIdOf(provider) {
  return rowOf(provider, 'clients', provider.request.params.client, 'Client not found').clientId;
}

export const clientRoles = operation((provider) => {
  const names = userOf(provider).clientRoles?.[clientIdOf(provider)] ?? [];
  const { client } = provider.request.params;
  return rolesById(provider).filter(
    ({ name, containerId }) => containerId === client && names.includes(name),
  );
});

export const addClientRoles = operation((provider, body) =>
  setClientRoles(provider, (names, given) => [...names, ...given], body),
);

export const removeClientRoles = operation((provider, body) =>
  setClientRoles(provider, (names, given) => names.filter((name) => !given.includes(name)), body),
);

function setClientRoles(provider, change_, body) {
  const { id, clientRoles: all = {} } = userOf(provider);
  const client = clientIdOf(provider);
  const names = [...new Set(change_(all[client] ?? [], namesOf(provider, body)))];
  provider.rows('users').update(id, { clientRoles: { ...all, [client]: names } });
}

export const groups = operation((provider) => {
  const { groups: ids = [] } = userOf(provider);
  return rowsOf(provider, 'groups')
    .filter(({ id }) => ids.includes(id))
    .map(({ id, name, path }) => ({ id, name, path, subGroups: [] }));
});

export const joinGroup = operation((provider) =>
  setGroups(provider, (ids, id) => [...new Set([...ids, id])]),
);

export const leaveGroup = operation((provider) =>
  setGroups(provider, (ids, id) => ids.filter((one) => one !== id)),
);

function setGroups(provider, change_) {
  const { id, groups: ids = [] } = userOf(provider);
  const group = rowOf(provider, 'groups', provider.request.params.group, 'Group not found');
  provider.rows('users').update(id, { groups: change_(ids, group.id) });
}
