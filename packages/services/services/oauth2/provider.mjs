import { createProvider, directory } from '../../identity/index.mjs';

export const {
  authorize,
  deny,
  devicePage,
  discovery,
  introspect,
  logout,
  preflight,
  revoke,
  startDevice,
  token,
  tokenExpired,
  userinfo,
} = createProvider({
  name: 'oauth2',
  path: '/oauth2',
  endpoints: {
    authorization_endpoint: '/authorize',
    token_endpoint: '/token',
    introspection_endpoint: '/introspect',
    revocation_endpoint: '/revoke',
    device_authorization_endpoint: '/device_authorization',
    device_page: '/device',
    end_session_endpoint: '/logout',
  },
  keys: {},
  directory,
  openid: false,
  opaque: true,
});
