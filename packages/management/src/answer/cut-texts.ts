import { endWithin } from './json-pieces.js';

/** So many characters of a text are shown in a list when nobody asks for another number. */
export const DEFAULT_MAX_TEXT = 1024 * 1024;

/**
 * An item with its long texts cut: those of its own fields, each to a number of characters divisible by four, so that
 * base64 stays such. Its field `truncated` names them with the lengths that they have.
 *
 * @param most - the characters that a text may have
 * @param lengths - the characters of whole texts of which the item has beginnings of more than `most`
 * @returns the item itself when nothing of it is long
 */
export function cutTexts(
  item: unknown,
  most: number,
  lengths: Readonly<Record<string, number>> = {},
): unknown {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
  const long = Object.entries(item).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1].length > most,
  );
  if (long.length === 0) return item;
  return {
    ...item,
    ...Object.fromEntries(
      long.map(([name, text]) => [name, text.slice(0, endWithin(text, most - (most % 4)))]),
    ),
    truncated: Object.fromEntries(long.map(([name, text]) => [name, lengths[name] ?? text.length])),
  };
}
