/**
 * Makes a reader of lines for `explained.line`: words in order, each a field of the entry; the last one takes what is left
 * of the line. Fields beyond the words that there are stay out.
 *
 * @param verbs - the only words that the first field can be; without one of them it stays out
 */
export function readWords(
  fields: readonly string[],
  verbs?: readonly string[],
): (line: string) => Readonly<Record<string, unknown>> {
  return (line) => {
    const [first = ''] = line.split(/\s/, 1);
    const isVerb = verbs?.includes(first.toUpperCase()) ?? true;
    const names = isVerb ? fields : fields.slice(1);
    const entry: Record<string, unknown> = {};
    let rest = line;
    for (const [index, name] of names.entries()) {
      if (rest === '') break;
      const end = index === names.length - 1 ? -1 : rest.search(/\s/);
      entry[name] = end < 0 ? rest : rest.slice(0, end);
      rest = end < 0 ? '' : rest.slice(end).trimStart();
    }
    if (verbs !== undefined && isVerb && fields[0] !== undefined) entry[fields[0]] = first.toUpperCase();
    return entry;
  };
}
