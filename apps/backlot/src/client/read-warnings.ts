const HEADER = 'backlot-warning';

/** What an answer of the management API warns of, by its header `Backlot-Warning`: a text in quotation marks each. */
export function readWarnings(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): string[] {
  const given = headers[HEADER];
  if (typeof given !== 'string') return [];
  return (given.match(/"(?:[^"\\]|\\.)*"/g) ?? []).map(readText);
}

function readText(quoted: string): string {
  try {
    return decodeURIComponent(JSON.parse(quoted) as string);
  } catch {
    // It is shown as it came where it was written in another way.
    return quoted;
  }
}
