import { shorten, visible } from './visible.js';

/** A column is not made narrower than this: what is left of a cell would say nothing. */
const NARROWEST = 8;
const GAP = '  ';

/**
 * The lines of a table for people: aligned columns, the head in capitals; each cell stays on one line. On a terminal the widest
 * columns are cut until a line fits; in a pipe and in a file everything is there.
 *
 * @param width - how long a line may be, in characters; that of the terminal when absent
 */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width = process.stdout.isTTY ? process.stdout.columns : Infinity,
): readonly string[] {
  const lines = [head.map((name) => name.toUpperCase()), ...rows.map((row) => row.map(visible))];
  const widest = head.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  const widths = fitTo(widest, width - GAP.length * (head.length - 1));
  return lines.map((line) =>
    line
      .map((cell, column) => {
        const room = widths[column] ?? 0;
        const cut = shorten(cell, room);
        return column === head.length - 1 ? cut : cut.padEnd(room);
      })
      .join(GAP)
      .trimEnd(),
  );
}

/** The widths with the widest made narrower, as far as it goes, so that together they are no more than that. */
function fitTo(widest: readonly number[], most: number): readonly number[] {
  const sumOf = (limit: number): number => widest.reduce((sum, one) => sum + Math.min(one, limit), 0);
  let limit = Math.max(...widest, NARROWEST);
  while (limit > NARROWEST && sumOf(limit) > most) limit -= 1;
  return widest.map((one) => Math.min(one, limit));
}
