/** What an answer of the management API warns of: a text in quotation marks each. @param header - `Backlot-Warning` */
export function readWarnings(header: string | null): readonly string[] {
  return (header?.match(/"(?:[^"\\]|\\.)*"/g) ?? []).map((quoted) => {
    try {
      return decodeURIComponent(JSON.parse(quoted) as string);
    } catch {
      // It is given as it came where it was written in another way.
      return quoted;
    }
  });
}
