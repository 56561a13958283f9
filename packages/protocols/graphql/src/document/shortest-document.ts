import { stripIgnoredCharacters } from 'graphql';

/**
 * A document without what means nothing in it: white space, line ends, commas and comments (GraphQL, section 2.1.7).
 *
 * @throws GraphQLError when it has characters that no document has
 */
export function shortestDocument(text: string): string {
  return stripIgnoredCharacters(text);
}

/** As {@link shortestDocument}; of a text that is no document the text itself. */
export function shortestOrText(text: string): string {
  try {
    return stripIgnoredCharacters(text);
  } catch {
    return text;
  }
}
