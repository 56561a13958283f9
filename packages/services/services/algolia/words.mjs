/** The words of a text, in lower case and without accents, each with where it stands. */
export function wordsOf(text) {
  const found = [];
  for (const { 0: word, index } of String(text).matchAll(/[\p{L}\p{N}]+/gu))
    found.push({ word: plain(word), start: index, end: index + word.length });
  return found;
}

const plain = (word) => word.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '');

/** How many letters have to change for a word to be another; `Infinity` beyond `most`. */
function typosBetween(one, other, most) {
  if (Math.abs(one.length - other.length) > most) return Infinity;
  let before = Array.from({ length: other.length + 1 }, (_, at) => at);
  let earlier = before;
  for (let row = 1; row <= one.length; row += 1) {
    const now = [row];
    for (let at = 1; at <= other.length; at += 1) {
      const same = one[row - 1] === other[at - 1];
      now[at] = Math.min(before[at] + 1, now[at - 1] + 1, before[at - 1] + (same ? 0 : 1));
      if (row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1])
        now[at] = Math.min(now[at], earlier[at - 2] + 1);
    }
    earlier = before;
    before = now;
  }
  return before[other.length] <= most ? before[other.length] : Infinity;
}

/** How many typos a word may have, as `minWordSizefor1Typo` and `minWordSizefor2Typos` say. */
const allowed = (length, { one, two }) => (length >= two ? 2 : length >= one ? 1 : 0);

/**
 * How a word of a query meets one of an object.
 *
 * @returns typos, and whether it is the whole word; `undefined` when it does not
 */
export function meet(wanted, word, { isPrefix, typos }) {
  if (word === wanted) return { typos: 0, exact: true };
  if (isPrefix && word.startsWith(wanted)) return { typos: 0, exact: false };
  const most = allowed(wanted.length, typos);
  if (most === 0) return undefined;
  const whole = typosBetween(wanted, word, most);
  const part =
    isPrefix && word.length > wanted.length
      ? typosBetween(wanted, word.slice(0, wanted.length), most)
      : Infinity;
  const count = Math.min(whole, part);
  return count === Infinity ? undefined : { typos: count, exact: false };
}
