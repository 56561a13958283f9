import { createHash, timingSafeEqual } from 'node:crypto';
import { invalidRequest, OAuthError } from './errors.mjs';

/**
 * The client of a request to the token endpoint and the like: by the secret in the header (RFC 6749, section 2.3.1) or in
 * the form, and by its id alone when it is a public one.
 *
 * @throws OAuthError when it is not known, or does not prove who it is
 */
export function authenticate(provider, params) {
  const header = basicOf(provider.request.headers.authorization);
  if (params.has('client_assertion'))
    throw new OAuthError(
      'invalid_client',
      'Clients prove themselves by a secret here, not by a client_assertion.',
      {
        status: 401,
      },
    );
  const id = header?.id ?? params.get('client_id');
  if (id === undefined) throw refused('The client_id is missing.', header);
  if (header !== undefined && params.has('client_id') && params.get('client_id') !== id)
    throw invalidRequest('The client_id of the form is not that of the header.');
  const client = provider.settings.directory.client(provider, id);
  if (client === undefined) throw refused(`There is no client "${id}".`, header);
  const secret = header?.secret ?? params.get('client_secret');
  if (client.secret === undefined) {
    if (secret !== undefined && secret !== '')
      throw refused(`The client "${id}" is a public one and has no secret.`, header);
    return client;
  }
  if (secret === undefined) throw refused(`The client "${id}" has to give its secret.`, header);
  if (!isSame(secret, client.secret)) throw refused(`The secret is not that of the client "${id}".`, header);
  return client;
}

function refused(description, header) {
  const headers = header === undefined ? {} : { 'WWW-Authenticate': 'Basic realm="clients"' };
  return new OAuthError('invalid_client', description, { status: 401, headers });
}

function basicOf(authorization = '') {
  const text = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(authorization)?.[1];
  if (text === undefined) return undefined;
  const pair = Buffer.from(text, 'base64').toString();
  const colon = pair.indexOf(':');
  if (colon < 0) throw refused('The header Authorization has no client_id and secret.', {});
  return { id: decoded(pair.slice(0, colon)), secret: decoded(pair.slice(colon + 1)) };
}

function decoded(text) {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** Compares as long as it takes, wherever the difference is; what nobody has set is the same as nothing. */
export function isSame(given, wanted) {
  if (typeof wanted !== 'string') return false;
  const [a, b] = [given, wanted].map((text) => createHash('sha256').update(String(text)).digest());
  return timingSafeEqual(a, b);
}

/** Whether one of the addresses of a client is meant; `*` in an address stands for anything. */
export function isRegistered(patterns, address) {
  return patterns.some((pattern) => {
    const [first, ...rest] = pattern.split('*');
    if (rest.length === 0) return pattern === address;
    if (!address.startsWith(first)) return false;
    let at = first.length;
    for (const [index, part] of rest.entries()) {
      const isLast = index === rest.length - 1;
      const found = isLast ? address.length - part.length : address.indexOf(part, at);
      if (found < at || !address.startsWith(part, found)) return false;
      at = found + part.length;
    }
    return true;
  });
}
