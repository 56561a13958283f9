import { createHash } from 'node:crypto';

const WORD = /[\p{L}\p{N}]+/gu;

/**
 * Numbers that follow from the text, of length 1 together: each word adds a direction of its own, so that texts with the
 * same words are near each other, and the same text always gives the same numbers.
 */
export function embed(text, dimensions) {
  const sums = new Float64Array(dimensions);
  const words = text.toLowerCase().match(WORD) ?? [text];
  for (const word of words) addDirection(sums, word);
  const length = Math.sqrt(sums.reduce((sum, value) => sum + value * value, 0)) || 1;
  return Array.from(sums, (value) => Math.fround(value / length));
}

function addDirection(sums, word) {
  let bytes = createHash('sha256').update(word).digest();
  for (let at = 0; at < sums.length; at += 1) {
    const place = (at * 2) % bytes.length;
    if (at > 0 && place === 0) bytes = createHash('sha256').update(bytes).digest();
    sums[at] += bytes.readInt16BE(place) / 32_768;
  }
}
