import { isLargeJson } from '../validation/json-size.js';

/**
 * Parses a JSON text that a client has sent, in a list, since `undefined` is not JSON and `null` is. What would take long
 * ({@link isLargeJson}) is not parsed and counts as no JSON.
 *
 * @returns an empty list when it is no JSON
 */
export function parseJson(text: string): readonly [] | readonly [unknown] {
  if (isLargeJson(text)) return [];
  try {
    return [JSON.parse(text) as unknown];
  } catch {
    return [];
  }
}
