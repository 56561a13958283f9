import { invalidRequest } from './errors.mjs';

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
