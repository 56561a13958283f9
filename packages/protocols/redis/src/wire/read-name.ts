/** Longest name that is kept. */
const MAX_LENGTH = 32;
/** How many are kept; a power of two. */
const PLACES = 64;
/** Names of commands that were seen: the same few come again and again. */
const NAMES = new Array<string>(PLACES).fill('');

/** The text of a short name; one that was just seen is not made anew. */
export function readName(buffer: Buffer, begin: number, length: number): string {
  const end = begin + length;
  const first = buffer[begin] ?? 0;
  const last = buffer[end - 1] ?? 0;
  const place = (length * 7 + first * 3 + last) & (PLACES - 1);
  const known = NAMES[place] ?? '';
  if (known.length === length) {
    let at = begin;
    while (at < end && known.charCodeAt(at - begin) === buffer[at]) at += 1;
    if (at === end) return known;
  }
  const name = buffer.toString('latin1', begin, end);
  if (length <= MAX_LENGTH) NAMES[place] = name;
  return name;
}
