import { data } from './answers.mjs';
import { OAuthError } from './errors.mjs';
import { GRANT_TYPES } from './grants.mjs';

const METHODS = ['client_secret_basic', 'client_secret_post', 'none'];

/** Dynamic client registration (RFC 7591). */
export function register(provider) {
  const { body } = provider.request;
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalidMetadata('The body has to be an object of JSON.');
  const { token_endpoint_auth_method: method = METHODS[0], grant_types: grants = ['authorization_code'] } =
    body;
  if (!METHODS.includes(method))
    throw invalidMetadata(
      `The token_endpoint_auth_method "${method}" is not known; there are ${METHODS.join(', ')}.`,
    );
  const other = [grants].flat().find((grant) => !GRANT_TYPES.includes(grant));
  if (other !== undefined)
    throw invalidMetadata(`The grant type "${other}" is not known; there are ${GRANT_TYPES.join(', ')}.`);
  checkFields(provider, body);
  const { redirect_uris: uris = [] } = body;
  if (grants.includes('authorization_code') && uris.length === 0)
    throw new OAuthError('invalid_redirect_uri', 'The client needs redirect_uris.');
  const { random } = provider.context;
  const { client_id: _, client_secret: __, ...given } = body;
  const row = provider.rows('clients').create({
    ...given,
    token_endpoint_auth_method: method,
    grant_types: grants,
    client_id: random.string(16),
    client_id_issued_at: provider.now,
    ...(method === 'none' ? {} : { client_secret: random.string(32), client_secret_expires_at: 0 }),
  });
  return data(row, { status: 201 });
}

const LISTS = ['redirect_uris', 'post_logout_redirect_uris', 'grant_types'];
const TEXTS = ['client_name', 'scope', 'audience'];

function checkFields(provider, body) {
  for (const name of LISTS) {
    const list = body[name] ?? [];
    if (!Array.isArray(list) || list.some((value) => typeof value !== 'string'))
      throw invalidMetadata(`${name} has to be a list of texts.`);
  }
  for (const name of TEXTS)
    if (typeof (body[name] ?? '') !== 'string') throw invalidMetadata(`${name} has to be a text.`);
  const addresses = [...(body.redirect_uris ?? []), ...(body.post_logout_redirect_uris ?? [])];
  const wrong = addresses.find((uri) => !URL.canParse(uri) || uri.includes('#'));
  if (wrong !== undefined)
    throw new OAuthError('invalid_redirect_uri', `"${wrong}" is no address without a fragment.`);
  const { backchannel_logout_uri: told = 'http://localhost', id_token_signed_response_alg: alg = 'RS256' } =
    body;
  if (typeof told !== 'string' || !URL.canParse(told))
    throw invalidMetadata(`The backchannel_logout_uri "${String(told)}" is no address.`);
  if (alg === 'next' || !Object.hasOwn(provider.settings.keys, alg))
    throw invalidMetadata(`The id_token_signed_response_alg "${String(alg)}" is not RS256 or ES256.`);
}

function invalidMetadata(description) {
  return new OAuthError('invalid_client_metadata', description);
}
