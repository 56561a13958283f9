import { isLargeJson } from '../validation/json-size.js';

/**
 * Parses a JSON text that a client has sent. A text that would take long to parse ({@link isLargeJson}) is treated as
 * one that is not JSON.
 *
 * @returns a list with the value, which may be `null`; an empty list when the text is not JSON
 */
export function parseJson(text: string): readonly [] | readonly [unknown] {
  if (isLargeJson(text)) return [];
  try {
    return [JSON.parse(text) as unknown];
  } catch {
    return [];
  }
}
