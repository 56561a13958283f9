import { wordsOf } from './params.mjs';

const PROFILE = [
  'name',
  'family_name',
  'given_name',
  'middle_name',
  'nickname',
  'preferred_username',
  'profile',
  'picture',
  'website',
  'gender',
  'birthdate',
  'zoneinfo',
  'locale',
  'updated_at',
];
/** Which scope shows which claims (OpenID Connect Core 1.0, section 5.4). */
const CLAIMS = new Map([
  ...PROFILE.map((claim) => [claim, 'profile']),
  ['email', 'email'],
  ['email_verified', 'email'],
  ['address', 'address'],
  ['phone_number', 'phone'],
  ['phone_number_verified', 'phone'],
]);
const LOCAL = ['http://localhost*', 'http://127.0.0.1*', 'http://[::1]*'];
const ALL_GRANTS = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'urn:ietf:params:oauth:grant-type:device_code',
];

/** Users and clients as rows: clients with the names of RFC 7591, users with the claims of OpenID Connect. */
export const directory = {
  client(provider, id) {
    const rows = provider.rows('clients');
    if (!rows.has(id))
      return provider.options.any_client === true
        ? clientOf({
            client_id: id,
            redirect_uris: ['http*'],
            post_logout_redirect_uris: ['http*'],
            grant_types: ALL_GRANTS,
          })
        : undefined;
    return clientOf(rows.get(id));
  },
  user(provider, name) {
    for (const row of provider.rows('users').values())
      if (row.username === name || (row.email !== undefined && row.email === name)) return userOf(row);
    return undefined;
  },
  userById(provider, sub) {
    const rows = provider.rows('users');
    return rows.has(sub) ? userOf(rows.get(sub)) : undefined;
  },
};

function clientOf(row) {
  const isPublic = row.client_secret === undefined || row.token_endpoint_auth_method === 'none';
  return {
    id: row.client_id,
    name: row.client_name ?? row.client_id,
    secret: isPublic ? undefined : row.client_secret,
    redirects: row.redirect_uris ?? LOCAL,
    logoutRedirects: row.post_logout_redirect_uris ?? row.redirect_uris ?? LOCAL,
    grants: row.grant_types ?? ['authorization_code', 'refresh_token'],
    scopes: row.scope === undefined ? undefined : wordsOf(row.scope),
    consent: row.require_consent === true,
    alg: row.id_token_signed_response_alg,
    audience: row.audience,
    backchannel: row.backchannel_logout_uri,
  };
}

function userOf({ sub, username, password, disabled = false, ...claims }) {
  const all = { preferred_username: username, ...claims };
  return {
    sub,
    username,
    password,
    enabled: disabled !== true,
    claims: (scopes) =>
      Object.fromEntries(
        Object.entries(all).filter(([name]) => !CLAIMS.has(name) || scopes.includes(CLAIMS.get(name))),
      ),
  };
}
