const QUOTABLE = /^[\x20-\x7e\t]*$/;
const MAX_QUOTED = 1000;

/** A string on the wire: in quotes where that is possible, else as a literal. The text is latin1. */
export function writeString(text: string): string {
  if (text.length > MAX_QUOTED || !QUOTABLE.test(text)) return `{${text.length}}\r\n${text}`;
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** A string, or NIL. */
export function writeNullable(text: string | undefined): string {
  return text === undefined ? 'NIL' : writeString(text);
}
