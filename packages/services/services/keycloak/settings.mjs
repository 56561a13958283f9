import { OAuthError } from '../../identity/index.mjs';
import { directory, rolesOf, serviceAccountOf } from './directory.mjs';

const PROTOCOL = '/protocol/openid-connect';

/** Keycloak as a provider: one for each realm. */
export const SETTINGS = {
  name: 'keycloak',
  path: '/keycloak',
  pathOf: ({ params: { realm } }) => `/keycloak${below(realm)}`,
  below: ({ params: { realm } }) => below(realm),
  endpoints: {
    authorization_endpoint: `${PROTOCOL}/auth`,
    token_endpoint: `${PROTOCOL}/token`,
    introspection_endpoint: `${PROTOCOL}/token/introspect`,
    userinfo_endpoint: `${PROTOCOL}/userinfo`,
    end_session_endpoint: `${PROTOCOL}/logout`,
    jwks_uri: `${PROTOCOL}/certs`,
    revocation_endpoint: `${PROTOCOL}/revoke`,
    device_authorization_endpoint: `${PROTOCOL}/auth/device`,
    device_page: '/device',
  },
  keys: { RS256: 'rs256', ES256: 'es256', next: 'next' },
  directory,
  openid: true,
  signedRefresh: true,
  audience: 'account',
  wrongPassword: 'Invalid user credentials',
  wrongPasswordStatus: 401,
  page: { submit: 'kc-login', form: 'kc-form-login', title: 'Sign in to your account' },
  check(provider) {
    const { realm } = provider.request.params;
    const rows = provider.rows('realms');
    if (!rows.has(realm) || rows.get(realm).enabled === false)
      throw new OAuthError('Realm does not exist', `There is no realm "${realm}".`, { status: 404 });
  },
  answerFields: ({ id }) => ({ session_state: id }),
  serviceSubject: (provider, client) => serviceAccountOf(provider, client.row)?.id,
  accessClaims(provider, { client, user, scopes }) {
    const row = user?.row ?? serviceAccountOf(provider, client.row);
    return {
      typ: 'Bearer',
      azp: client.id,
      acr: '1',
      'allowed-origins': client.row.webOrigins ?? [],
      ...(row === undefined ? {} : rolesOf(row)),
      ...(user === undefined ? { preferred_username: row?.username } : user.claims(scopes)),
    };
  },
  idClaims: () => ({ typ: 'ID', acr: '1' }),
};

function below(realm) {
  return `/realms/${encodeURIComponent(realm)}`;
}
