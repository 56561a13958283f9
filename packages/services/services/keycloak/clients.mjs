import { conflict, create, invalid, missing, operation, page, rowOf, rowsOf, update } from './api.mjs';
import { serviceAccountOf } from './directory.mjs';

function shown({ realm: _, ...row }) {
  return row;
}

function clientOf(provider) {
  return rowOf(provider, 'clients', provider.request.params.id, 'Could not find client');
}

export const list = operation((provider) => {
  const { clientId, search, ...query } = provider.request.query;
  const rows = rowsOf(provider, 'clients').filter(
    (row) =>
      clientId === undefined ||
      (search === 'true' ? row.clientId.includes(clientId) : row.clientId === clientId),
  );
  return page(rows, query).map(shown);
});

/** Adds a client; what is imported with a realm comes this way too. */
export function addClient(provider, { clientId, ...given }) {
  if (typeof clientId !== 'string' || clientId === '') throw invalid('Client ID is missing');
  if (rowsOf(provider, 'clients').some((row) => row.clientId === clientId))
    throw conflict(`Client ${clientId} already exists`);
  const isPublic = given.publicClient === true || given.bearerOnly === true;
  return create(provider, 'clients', {
    enabled: true,
    protocol: 'openid-connect',
    publicClient: false,
    bearerOnly: false,
    standardFlowEnabled: true,
    directAccessGrantsEnabled: false,
    serviceAccountsEnabled: false,
    consentRequired: false,
    redirectUris: [],
    webOrigins: [],
    attributes: {},
    ...(isPublic ? {} : { secret: provider.context.random.string(32) }),
    ...given,
    clientId,
  });
}

export const add = operation((provider, body) => {
  const { id } = addClient(provider, body);
  return { location: `${provider.realm}/clients/${id}` };
});

export const retrieve = operation((provider) => shown(clientOf(provider)));

export const change = operation((provider, body) => {
  const { id } = clientOf(provider);
  const isTaken = rowsOf(provider, 'clients').some((row) => row.id !== id && row.clientId === body.clientId);
  if (isTaken) throw conflict(`Client ${body.clientId} already exists`);
  update(provider, 'clients', id, body);
});

export const remove = operation((provider) => {
  const { id, clientId } = clientOf(provider);
  for (const role of rowsOf(provider, 'roles'))
    if (role.containerId === id) provider.rows('roles').remove(role.id);
  provider.revoke('client', clientId);
  provider.rows('clients').remove(id);
});

export const secret = operation((provider) => {
  const { secret: value } = clientOf(provider);
  return value === undefined ? { type: 'secret' } : { type: 'secret', value };
});

export const newSecret = operation((provider) => {
  const value = provider.context.random.string(32);
  provider.rows('clients').update(clientOf(provider).id, { secret: value });
  return { type: 'secret', value };
});

export const serviceAccount = operation((provider) => {
  const client = clientOf(provider);
  const row = serviceAccountOf(provider, client);
  if (row === undefined) throw missing(`Service account not enabled for the client '${client.clientId}'`);
  const { id, username, enabled } = row;
  return { id, username, enabled };
});
