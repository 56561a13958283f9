/** Pieces of a text as models count and send them: about four letters each, the space before a word with it. */
export function tokensOf(text) {
  return text.match(/\s?[^\s]{1,4}|\s/gu) ?? [];
}

/** How many tokens a value has: of a text its own, of anything else those of its JSON. */
export function countTokens(value) {
  if (value === undefined || value === null) return 0;
  return tokensOf(typeof value === 'string' ? value : JSON.stringify(value)).length;
}
