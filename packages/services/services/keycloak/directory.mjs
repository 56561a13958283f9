const ADDRESSES = ['http*'];

/** Users and clients as Keycloak's own representations have them. */
export const directory = {
  client(provider, id) {
    const row = findRow(provider, 'clients', ({ clientId }) => clientId === id);
    return row === undefined || row.enabled === false ? undefined : clientOf(row);
  },
  user(provider, name) {
    const wanted = name.toLowerCase();
    const row = findRow(
      provider,
      'users',
      ({ username, email }) => username === wanted || email?.toLowerCase() === wanted,
    );
    return row === undefined ? undefined : userOf(row);
  },
  userById(provider, id) {
    const row = provider.find('users', id);
    return row === undefined ? undefined : userOf(row);
  },
};

/** The first row of the realm that fits. */
export function findRow(provider, kind, fits) {
  for (const row of provider.rows(kind).values()) if (row.realm === provider.realm && fits(row)) return row;
  return undefined;
}

function clientOf(row) {
  const grants = [
    row.standardFlowEnabled === false ? [] : ['authorization_code', 'refresh_token'],
    row.directAccessGrantsEnabled === true ? ['password', 'refresh_token'] : [],
    row.serviceAccountsEnabled === true ? ['client_credentials'] : [],
    row.attributes?.['oauth2.device.authorization.grant.enabled'] === 'true'
      ? ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token']
      : [],
  ];
  const redirects = row.redirectUris ?? ADDRESSES;
  return {
    row,
    id: row.clientId,
    name: row.name ?? row.clientId,
    secret: row.publicClient === true ? undefined : row.secret,
    redirects,
    logoutRedirects: redirects,
    grants: [...new Set(grants.flat())],
    consent: row.consentRequired === true,
    backchannel: row.attributes?.['backchannel.logout.url'],
  };
}

function userOf(row) {
  const { id, username, password, enabled = true, email, emailVerified = false, firstName, lastName } = row;
  const name = [firstName, lastName].filter((part) => part !== undefined).join(' ');
  return {
    row,
    sub: id,
    username,
    password,
    enabled,
    // These two scopes are given to all clients, asked for or not.
    claims: () => ({
      preferred_username: username,
      ...(name === '' ? {} : { name }),
      ...(firstName === undefined ? {} : { given_name: firstName }),
      ...(lastName === undefined ? {} : { family_name: lastName }),
      ...(email === undefined ? {} : { email }),
      email_verified: emailVerified,
    }),
  };
}

/** The roles of a user as tokens have them. */
export function rolesOf({ realmRoles = [], clientRoles = {} }) {
  const access = Object.entries(clientRoles).filter(([, roles]) => roles.length > 0);
  return {
    realm_access: { roles: realmRoles },
    ...(access.length === 0
      ? {}
      : { resource_access: Object.fromEntries(access.map(([client, roles]) => [client, { roles }])) }),
  };
}

/** The user that a client is when it logs in itself; made when it is first asked for. */
export function serviceAccountOf(provider, client) {
  const username = `service-account-${client.clientId}`;
  const row = findRow(provider, 'users', (user) => user.username === username);
  if (row !== undefined || client.serviceAccountsEnabled !== true) return row;
  return provider.rows('users').create({
    id: provider.context.random.uuid(),
    realm: client.realm,
    username,
    enabled: true,
    serviceAccountClientId: client.clientId,
    realmRoles: ['default-roles-' + client.realm],
  });
}
