import { invalidRequest, OAuthError } from './errors.mjs';

/**
 * The parameters of a request: those of the query and of the form, the query first. Empty ones count as absent (RFC 6749,
 * section 3.1).
 *
 * @throws OAuthError when one is given more than once
 */
export function paramsOf({ query = {}, form = {} }) {
  const params = new Map();
  for (const fields of [form, query]) {
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value !== 'string') throw invalidRequest(`The parameter "${name}" is given more than once.`);
      if (value !== '') params.set(name, value);
    }
  }
  return params;
}

/** The words of a text such as a scope. */
export function wordsOf(text) {
  return [...new Set((text ?? '').split(' ').filter((word) => word !== ''))];
}

/**
 * The value of a parameter.
 *
 * @throws OAuthError when it is absent
 */
export function needed(params, name) {
  const value = params.get(name);
  if (value === undefined) throw invalidRequest(`The parameter "${name}" is missing.`);
  return value;
}

/**
 * The scopes that a request asks for.
 *
 * @throws OAuthError for one that the client does not have
 */
export function scopesOf(client, params) {
  const asked = wordsOf(params.get('scope'));
  const more = client.scopes === undefined ? [] : asked.filter((scope) => !client.scopes.includes(scope));
  if (more.length > 0)
    throw new OAuthError(
      'invalid_scope',
      `The client "${client.id}" may not ask for ${more.join(' ')}; it has ${client.scopes.join(' ')}.`,
    );
  return asked;
}
