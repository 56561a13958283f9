/** A table for people: aligned columns, the head in capitals; control characters are shown as they would be written. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head.map((name) => name.toUpperCase()), ...rows.map((row) => row.map(visible))];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => (column === head.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A text on one line, without anything that a terminal would act on. */
export function visible(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (character) => {
    const escaped = JSON.stringify(character).slice(1, -1);
    return escaped === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : escaped;
  });
}

/** A text of at most so many characters. */
export function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 3)}...`;
}
