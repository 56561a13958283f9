import { data, published } from './answers.mjs';
import { authenticate } from './clients.mjs';
import { invalidRequest, invalidToken, OAuthError } from './errors.mjs';
import { needed, paramsOf, wordsOf } from './params.mjs';
import { bearerOf, tokenRow } from './tokens.mjs';

/** The userinfo endpoint (OpenID Connect Core 1.0, section 5.3). */
export function userinfo(provider) {
  const row = bearerOf(provider, paramsOf(provider.request));
  const scopes = wordsOf(row.scope);
  const user = row.user === undefined ? undefined : provider.settings.directory.userById(provider, row.user);
  if (user === undefined) throw invalidToken('The access token is of no user');
  if (provider.settings.openid && !scopes.includes('openid'))
    throw new OAuthError('insufficient_scope', 'The access token does not have the scope openid', {
      status: 403,
      headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope", scope="openid"' },
    });
  return data({ sub: user.sub, ...user.claims(scopes) });
}

/** Token introspection (RFC 7662). */
export function introspect(provider) {
  const params = paramsOf({ form: provider.request.form });
  const asking = authenticate(provider, params);
  if (asking.secret === undefined)
    throw new OAuthError(
      'invalid_client',
      `The client "${asking.id}" is a public one and may not ask about tokens.`,
      {
        status: 401,
      },
    );
  const row = tokenRow(provider, needed(params, 'token'));
  if (row === undefined || row.used === true) return data({ active: false });
  const user = row.user === undefined ? undefined : provider.settings.directory.userById(provider, row.user);
  return data({
    active: true,
    ...(row.scope === '' ? {} : { scope: row.scope }),
    client_id: row.client,
    ...(user === undefined ? {} : { username: user.username }),
    token_type: row.kind === 'access' ? 'Bearer' : 'refresh_token',
    exp: row.expires,
    iat: row.issued,
    sub: row.sub ?? row.client,
    ...(row.audience === undefined ? {} : { aud: row.audience }),
    iss: provider.issuer,
    jti: row.id,
  });
}

/**
 * Token revocation (RFC 7009): with a refresh token go all tokens of its grant. No client looks at the body, but some want
 * it to be JSON.
 */
export function revoke(provider) {
  const params = paramsOf({ form: provider.request.form });
  const client = authenticate(provider, params);
  const row = tokenRow(provider, needed(params, 'token'));
  if (row === undefined) return data({});
  if (row.client !== client.id)
    throw invalidRequest(`The token was given to another client than "${client.id}".`);
  if (row.kind === 'refresh') provider.revoke('grant', row.grant);
  else provider.remove('tokens', row.id);
  return data({});
}

/** The key set (RFC 7517, section 5). */
export function keySet(provider) {
  return published(provider.context.keys.publicKeys(provider.keyNames));
}
