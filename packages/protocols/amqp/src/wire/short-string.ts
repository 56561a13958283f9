/** Most bytes of a short string (section 4.2.5.3). */
export const MAX_SHORT_STRING = 255;

/** Cuts a text so that it fits into a short string, between two characters. */
export function clipShortString(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= MAX_SHORT_STRING) return text;
  let end = MAX_SHORT_STRING;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
