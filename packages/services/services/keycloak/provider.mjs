import { createPublicKey } from 'node:crypto';
import { createProvider, Provider } from '../../identity/index.mjs';
import { SETTINGS } from './settings.mjs';

export const {
  authorize,
  devicePage,
  discovery,
  introspect,
  keySet,
  keySetNext,
  logout,
  preflight,
  revoke,
  startDevice,
  token,
  tokenAhead,
  tokenExpired,
  tokenNextKey,
  userinfo,
} = createProvider(SETTINGS);

/** What a realm says of itself. */
export function realmInfo(request, context) {
  const { issuer, realm } = new Provider(SETTINGS, request, context);
  if (!context.collection('keycloak:realms').has(realm))
    return { status: 404, json: { error: 'Realm does not exist' } };
  const [jwk] = context.keys.publicKeys(['keycloak:rs256']).keys;
  const key = createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'der' });
  return {
    json: {
      realm,
      public_key: key.toString('base64'),
      'token-service': `${issuer}/protocol/openid-connect`,
      'account-service': `${issuer}/account`,
      'tokens-not-before': 0,
    },
  };
}
