import { createHash } from 'node:crypto';
import { data } from './answers.mjs';
import { authenticate, isSame } from './clients.mjs';
import { pollDevice } from './device.mjs';
import { OAuthError } from './errors.mjs';
import { needed, paramsOf, scopesOf, wordsOf } from './params.mjs';
import { issue, tokenRow } from './tokens.mjs';

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

const GRANTS = new Map([
  ['authorization_code', byCode],
  ['refresh_token', byRefreshToken],
  ['client_credentials', byClient],
  ['password', byPassword],
  [DEVICE_GRANT, byDevice],
]);

/** The grants that there are, for the discovery document. */
export const GRANT_TYPES = [...GRANTS.keys()];

/** The token endpoint (RFC 6749, section 3.2). */
export function token(provider) {
  const params = paramsOf({ form: provider.request.form });
  const type = needed(params, 'grant_type');
  const give = GRANTS.get(type);
  if (give === undefined)
    throw new OAuthError(
      'unsupported_grant_type',
      `The grant_type "${type}" is not known; there are ${GRANT_TYPES.join(', ')}.`,
    );
  const client = authenticate(provider, params);
  if (!client.grants.includes(type))
    throw new OAuthError(
      'unauthorized_client',
      `The client "${client.id}" may not use ${type}; it has ${client.grants.join(', ')}.`,
    );
  return data(give(provider, client, params));
}

function invalidGrant(description) {
  return new OAuthError('invalid_grant', description);
}

function byCode(provider, client, params) {
  const code = needed(params, 'code');
  const row = provider.find('codes', code);
  if (row === undefined) throw invalidGrant('The code has expired, or was never given.');
  if (row.client !== client.id)
    throw invalidGrant(`The code was given to another client than "${client.id}".`);
  if (row.used === true) {
    // Somebody else may have it (RFC 6749, section 4.1.2).
    provider.revoke('grant', row.grant);
    throw invalidGrant('The code was used before; its tokens are revoked.');
  }
  if (row.redirect_uri !== undefined && params.get('redirect_uri') !== row.redirect_uri)
    throw invalidGrant(`The redirect_uri is not "${row.redirect_uri}", for which the code was given.`);
  checkVerifier(row, params.get('code_verifier'));
  const grant = provider.context.random.string(16);
  provider.rows('codes').update(code, { used: true, grant });
  return issue(provider, {
    id: grant,
    client,
    user: liveUser(provider, row.sub),
    scopes: wordsOf(row.scope),
    nonce: row.nonce,
    authTime: row.auth_time,
    session: row.session,
    refresh: true,
  });
}

/** RFC 7636, section 4.6. */
function checkVerifier({ challenge, method }, verifier) {
  if (challenge === undefined) {
    if (verifier === undefined) return;
    throw invalidGrant('There is a code_verifier, and the authorization request had no code_challenge.');
  }
  if (verifier === undefined) throw invalidGrant('The code_verifier is missing.');
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier))
    throw invalidGrant('The code_verifier has to have 43 to 128 letters, digits and . _ ~ -');
  const made = method === 'S256' ? createHash('sha256').update(verifier).digest('base64url') : verifier;
  if (!isSame(made, challenge)) throw invalidGrant('The code_verifier is not that of the code_challenge.');
}

function liveUser(provider, sub) {
  const user = provider.settings.directory.userById(provider, sub);
  if (user === undefined || !user.enabled)
    throw invalidGrant('The account is disabled, or not there any more.');
  return user;
}

function byRefreshToken(provider, client, params) {
  const given = needed(params, 'refresh_token');
  const row = tokenRow(provider, given, 'refresh');
  if (row === undefined)
    throw invalidGrant('The refresh token has expired, was revoked, or was never given.');
  if (row.client !== client.id)
    throw invalidGrant(`The refresh token was given to another client than "${client.id}".`);
  if (row.used === true) {
    // Of two who have it one has stolen it (RFC 9700, section 4.14.2).
    provider.revoke('grant', row.grant);
    throw invalidGrant('The refresh token was used before; all tokens of its grant are revoked.');
  }
  const had = wordsOf(row.scope);
  const scopes = params.has('scope') ? wordsOf(params.get('scope')) : had;
  const more = scopes.filter((scope) => !had.includes(scope));
  if (more.length > 0)
    throw new OAuthError('invalid_scope', `The grant does not have the scope ${more.join(' ')}.`);
  const user = row.sub === undefined ? undefined : liveUser(provider, row.sub);
  const grant = { id: row.grant, client, user, scopes, authTime: row.auth_time, session: row.session };
  if (provider.options.rotate_refresh_tokens !== true)
    return { ...issue(provider, grant), refresh_token: given };
  provider.rows('tokens').update(row.id, { used: true });
  return issue(provider, { ...grant, refresh: true });
}

function byClient(provider, client, params) {
  if (client.secret === undefined)
    throw new OAuthError(
      'unauthorized_client',
      `The client "${client.id}" is a public one and cannot log in itself.`,
    );
  return issue(provider, { client, scopes: scopesOf(client, params).filter((scope) => scope !== 'openid') });
}

function byPassword(provider, client, params) {
  const user = provider.settings.directory.user(provider, needed(params, 'username'));
  if (user === undefined || !isSame(needed(params, 'password'), user.password))
    throw new OAuthError(
      'invalid_grant',
      provider.settings.wrongPassword ?? 'The name or the password is wrong.',
      {
        status: provider.settings.wrongPasswordStatus,
      },
    );
  if (!user.enabled) throw invalidGrant('The account is disabled.');
  const scopes = scopesOf(client, params);
  return issue(provider, { client, user, scopes, authTime: provider.now, refresh: true });
}

function byDevice(provider, client, params) {
  const row = pollDevice(provider, client, needed(params, 'device_code'));
  return issue(provider, {
    client,
    user: liveUser(provider, row.sub),
    scopes: wordsOf(row.scope),
    authTime: row.auth_time,
    session: row.session,
    refresh: true,
  });
}
