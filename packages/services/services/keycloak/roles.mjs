import { conflict, create, invalid, missing, operation, page, rowOf, rowsOf, update } from './api.mjs';

function shown({ realm: _, ...row }) {
  return row;
}

/** All roles of the realm and of its clients. */
export function rolesById(provider) {
  return rowsOf(provider, 'roles').map(shown);
}

/** The client whose roles are meant: that of the path; the realm itself when there is none. */
function containerOf(provider) {
  const { id } = provider.request.params;
  return id === undefined ? provider.realm : rowOf(provider, 'clients', id, 'Could not find client').id;
}

function rolesHere(provider) {
  const container = containerOf(provider);
  return rowsOf(provider, 'roles').filter(({ containerId }) => containerId === container);
}

function roleOf(provider) {
  const row = rolesHere(provider).find(({ name }) => name === provider.request.params.name);
  if (row === undefined) throw missing('Could not find role');
  return row;
}

export const list = operation((provider) => {
  const { search = '', ...query } = provider.request.query;
  return page(
    rolesHere(provider).filter(({ name }) => name.includes(search)),
    query,
  ).map(shown);
});

/** Adds a role to what `container` is the id of. */
export function addRole(provider, { name, ...given }, container) {
  if (typeof name !== 'string' || name === '') throw invalid('role has no name');
  if (rowsOf(provider, 'roles').some((row) => row.containerId === container && row.name === name))
    throw conflict(`Role with name ${name} already exists`);
  const clientRole = container !== provider.realm;
  return create(provider, 'roles', { composite: false, ...given, name, clientRole, containerId: container });
}

export const add = operation((provider, body) => {
  const container = containerOf(provider);
  const { name } = addRole(provider, body, container);
  const of = container === provider.realm ? '' : `/clients/${container}`;
  return { location: `${provider.realm}${of}/roles/${encodeURIComponent(name)}` };
});

export const retrieve = operation((provider) => shown(roleOf(provider)));

export const retrieveById = operation((provider) =>
  shown(rowOf(provider, 'roles', provider.request.params.role, 'Could not find role with id')),
);

export const change = operation((provider, body) => update(provider, 'roles', roleOf(provider).id, body));

export const remove = operation((provider) => {
  const { id, name, clientRole } = roleOf(provider);
  provider.rows('roles').remove(id);
  if (clientRole) return;
  for (const user of rowsOf(provider, 'users')) {
    if (user.realmRoles?.includes(name) === true)
      provider.rows('users').update(user.id, { realmRoles: user.realmRoles.filter((one) => one !== name) });
  }
});

export const users = operation((provider) => {
  const { name } = roleOf(provider);
  return page(
    rowsOf(provider, 'users').filter(({ realmRoles = [] }) => realmRoles.includes(name)),
    provider.request.query,
  ).map(({ id, username, enabled, email, firstName, lastName }) => ({
    id,
    username,
    enabled,
    email,
    firstName,
    lastName,
  }));
});
