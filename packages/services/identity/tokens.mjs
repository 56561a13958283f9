import { createHash } from 'node:crypto';
import { invalidToken } from './errors.mjs';

/**
 * Makes the answer of the token endpoint, and keeps what it gives.
 *
 * @param grant - `client`, and as far as there are any: `user`, `scopes`, `nonce`, `authTime`, `session`, the `id` of the
 *   grant, which all tokens that follow from each other have, and whether a `refresh` token comes with it
 */
export function issue(provider, grant) {
  const { options, context, settings } = provider;
  const { client, user, scopes } = grant;
  const id = grant.id ?? context.random.string(16);
  const access = accessToken(provider, { ...grant, id });
  const refresh = grant.refresh === true && client.grants.includes('refresh_token');
  return {
    access_token: access,
    token_type: 'Bearer',
    expires_in: options.access_token_seconds,
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
    ...(refresh ? { refresh_token: refreshToken(provider, { ...grant, id }) } : {}),
    ...(settings.openid && user !== undefined && scopes.includes('openid')
      ? { id_token: idToken(provider, grant, access) }
      : {}),
  };
}

/** When a token begins and ends, as the provider's clock is now. */
function times({ now, flaw }, seconds) {
  const start = now + (flaw.seconds ?? 0) - (flaw.expired === true ? seconds + 3600 : 0);
  return { iat: start, exp: start + seconds };
}

function accessToken(provider, { id: grant, client, user, scopes, session }) {
  const { options, context, settings, flaw } = provider;
  const { iat, exp } = times(provider, options.access_token_seconds);
  const sub = user?.sub ?? settings.serviceSubject?.(provider, client) ?? client.id;
  const audience = flaw.audience ?? client.audience ?? settings.audience ?? provider.issuer;
  const row = provider.add('tokens', {
    kind: 'access',
    grant,
    client: client.id,
    sub,
    ...(user === undefined ? {} : { user: user.sub }),
    ...(session === undefined ? {} : { session }),
    scope: scopes.join(' '),
    audience,
    issued: iat,
    expires: exp,
  });
  if (settings.opaque === true) return row.id;
  const claims = {
    iss: flaw.issuer ?? provider.issuer,
    sub,
    aud: audience,
    client_id: client.id,
    jti: row.id,
    iat,
    exp,
    ...(flaw.seconds === undefined ? {} : { nbf: iat }),
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
    ...(session === undefined ? {} : { sid: session }),
    ...settings.accessClaims?.(provider, { client, user, scopes }),
  };
  return context.keys.sign(provider.keyFor(), claims, settings.accessType);
}

function refreshToken(provider, { id: grant, client, user, scopes, session, authTime }) {
  const { context, settings, now, issuer } = provider;
  const scope = scopes.join(' ');
  const expires = now + provider.options.refresh_token_seconds;
  const row = {
    kind: 'refresh',
    grant,
    client: client.id,
    ...(user === undefined ? {} : { sub: user.sub, user: user.sub }),
    ...(session === undefined ? {} : { session }),
    ...(authTime === undefined ? {} : { auth_time: authTime }),
    scope,
    issued: now,
    expires,
  };
  const { id } = provider.add('tokens', row, 48);
  if (settings.signedRefresh !== true) return id;
  const claims = {
    exp: expires,
    iat: now,
    jti: id,
    iss: issuer,
    aud: issuer,
    sub: user?.sub,
    typ: 'Refresh',
  };
  return context.keys.sign(provider.keyFor(), { ...claims, azp: client.id, sid: session, scope });
}

function idToken(provider, { client, user, scopes, nonce, authTime, session }, access) {
  const { options, context, settings, flaw } = provider;
  const { iat, exp } = times(provider, options.id_token_seconds);
  const claims = {
    ...user.claims(scopes),
    ...settings.idClaims?.(provider, { client, user, scopes }),
    iss: flaw.issuer ?? provider.issuer,
    sub: user.sub,
    aud: flaw.audience ?? client.id,
    azp: client.id,
    iat,
    exp,
    ...(flaw.seconds === undefined ? {} : { nbf: iat }),
    ...(authTime === undefined ? {} : { auth_time: authTime }),
    ...(nonce === undefined ? {} : { nonce }),
    ...(session === undefined ? {} : { sid: session }),
    at_hash: halfHash(access),
  };
  return context.keys.sign(provider.keyFor(client.alg), claims);
}

/** The left half of a hash (OpenID Connect Core 1.0, section 3.1.3.6); all algorithms here hash with SHA-256. */
function halfHash(text) {
  return createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');
}

/**
 * What a token stands for: its row; `undefined` when it is none, has expired or was revoked.
 *
 * @param kind - `access` or `refresh`; either when absent
 */
export function tokenRow(provider, token, kind) {
  const isSigned = provider.settings.opaque !== true && token.includes('.');
  const id = isSigned ? verifiedClaims(provider, token)?.jti : token;
  const row = provider.find('tokens', id);
  // The id within a signed access token is no token itself.
  if (row === undefined || (row.kind === 'access' && !isSigned && provider.settings.opaque !== true))
    return undefined;
  return kind === undefined || row.kind === kind ? row : undefined;
}

/** The claims of a token that one of the keys has signed. */
export function verifiedClaims(provider, token, leeway = 0) {
  for (const name of provider.allKeyNames) {
    const { claims } = provider.context.keys.verify(name, token, leeway);
    if (claims !== undefined) return claims;
  }
  return undefined;
}

/**
 * The row of the access token that a request carries.
 *
 * @throws OAuthError when it carries none that counts
 */
export function bearerOf(provider, params) {
  const { authorization = '' } = provider.request.headers;
  const token = /^Bearer ([^ ]+)$/i.exec(authorization)?.[1] ?? params.get('access_token');
  if (token === undefined) throw invalidToken('The request carries no access token');
  const row = tokenRow(provider, token, 'access');
  if (row === undefined) throw invalidToken('The access token has expired, was revoked or was never given');
  return row;
}
