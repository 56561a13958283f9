/**
 * The value in the middle; of an even number the higher one of both.
 *
 * @param {readonly number[]} values
 */
export function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
