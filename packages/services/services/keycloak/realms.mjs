import { addClient } from './clients.mjs';
import { conflict, create, invalid, operation, page, rowOf, rowsOf, update } from './api.mjs';
import { addRole } from './roles.mjs';
import { addUser } from './users.mjs';

const KINDS = ['users', 'clients', 'roles', 'groups', 'sessions', 'codes', 'tokens', 'devices', 'consents'];

export const list = operation((provider) => provider.rows('realms').list());

export const add = operation((provider, { users = [], clients = [], roles = {}, groups = [], ...body }) => {
  const { realm: name } = body;
  if (typeof name !== 'string' || name === '') throw invalid('Realm name cannot be empty');
  const rows = provider.rows('realms');
  if (rows.has(name)) throw conflict('Conflict detected. See logs for details');
  rows.create({ id: provider.context.random.uuid(), enabled: false, ...body });
  provider.realm = name;
  addRole(provider, { name: `default-roles-${name}` }, name);
  for (const role of roles.realm ?? []) addRole(provider, role, name);
  for (const client of clients) addClient(provider, client);
  for (const group of groups) addGroup(provider, group);
  for (const user of users) addUser(provider, user);
  return { location: name };
});

export const retrieve = operation((provider) => provider.rows('realms').get(provider.realm));

export const change = operation((provider, { realm: _, ...body }) => {
  provider.rows('realms').update(provider.realm, body);
});

export const remove = operation((provider) => {
  for (const kind of KINDS) for (const { id } of rowsOf(provider, kind)) provider.remove(kind, id);
  provider.rows('realms').remove(provider.realm);
});

function shownGroup({ realm: _, ...row }) {
  return { subGroups: [], ...row };
}

function groupOf(provider) {
  return rowOf(provider, 'groups', provider.request.params.id, 'Could not find group by id');
}

function addGroup(provider, { name, ...given }) {
  if (typeof name !== 'string' || name === '') throw invalid('Group name is missing');
  if (rowsOf(provider, 'groups').some((row) => row.name === name))
    throw conflict(`Top level group named '${name}' already exists.`);
  return create(provider, 'groups', { attributes: {}, realmRoles: [], ...given, name, path: `/${name}` });
}

export const listGroups = operation((provider) => {
  const { search = '', ...query } = provider.request.query;
  return page(
    rowsOf(provider, 'groups').filter(({ name }) => name.includes(search)),
    query,
  ).map(shownGroup);
});

export const createGroup = operation((provider, body) => ({
  location: `${provider.realm}/groups/${addGroup(provider, body).id}`,
}));

export const retrieveGroup = operation((provider) => shownGroup(groupOf(provider)));

export const changeGroup = operation((provider, body) => {
  const { id, name } = groupOf(provider);
  update(provider, 'groups', id, { ...body, path: `/${body.name ?? name}` });
});

export const removeGroup = operation((provider) => {
  provider.rows('groups').remove(groupOf(provider).id);
});

export const groupMembers = operation((provider) => {
  const { id } = groupOf(provider);
  return page(
    rowsOf(provider, 'users').filter(({ groups = [] }) => groups.includes(id)),
    provider.request.query,
  ).map(({ id: user, username, email, enabled }) => ({ id: user, username, email, enabled }));
});
