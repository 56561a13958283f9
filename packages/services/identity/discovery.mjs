import { published } from './answers.mjs';
import { GRANT_TYPES } from './grants.mjs';

/** Endpoints of pages, which no metadata names. */
const PAGES = ['device_page'];
/** What belongs to OpenID Connect alone. */
const OPENID = ['end_session_endpoint'];

/** What the provider says of itself (OpenID Connect Discovery 1.0, RFC 8414). */
export function discovery(provider) {
  const { endpoints, openid, keys } = provider.settings;
  const urls = Object.keys(endpoints)
    .filter((name) => !PAGES.includes(name) && (openid || !OPENID.includes(name)))
    .map((name) => [name, provider.url(name)]);
  const { next: _, ...algorithms } = keys;
  const methods = ['client_secret_basic', 'client_secret_post'];
  return published({
    issuer: provider.flaw.issuer ?? provider.issuer,
    ...Object.fromEntries(urls),
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'fragment', 'form_post'],
    grant_types_supported: GRANT_TYPES,
    code_challenge_methods_supported: provider.options.pkce_methods,
    token_endpoint_auth_methods_supported: [...methods, 'none'],
    introspection_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: [...methods, 'none'],
    authorization_response_iss_parameter_supported: true,
    ...(openid
      ? {
          scopes_supported: ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: Object.keys(algorithms),
          claims_supported: [
            'sub',
            'iss',
            'aud',
            'exp',
            'iat',
            'auth_time',
            'nonce',
            'sid',
            'name',
            'given_name',
            'family_name',
            'preferred_username',
            'email',
            'email_verified',
          ],
          claims_parameter_supported: false,
          request_parameter_supported: false,
          request_uri_parameter_supported: false,
          backchannel_logout_supported: true,
          backchannel_logout_session_supported: true,
        }
      : {}),
  });
}
