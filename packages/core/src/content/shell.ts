/** What needs no quotes. A word that begins with a dash is an option wherever it stands, so commands must not take one from a message. */
const PLAIN = /^[\w@%+=:,./-]+$/;
/** Characters that a terminal acts upon when they are pasted. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/u;
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\\']/gu;

/** A text as one word of a shell; control characters are written as escapes, so that a terminal into which it is pasted sees none. */
export function shellWord(text: string): string {
  if (PLAIN.test(text)) return text;
  if (!CONTROL.test(text)) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return `$'${text.replaceAll(CONTROLS, escaped)}'`;
}

/** Words of a command line. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** A command that prints a body as it is: as text, where it is one, else by way of base64. */
export function shellPrint(body: string | Uint8Array): string {
  const bytes = bodyBytes(body);
  const text = bytes.toString('utf8');
  const isText = Buffer.from(text).equals(bytes) && !text.includes('\0');
  return isText
    ? `printf %s ${shellWord(text)}`
    : `printf %s ${shellWord(bytes.toString('base64'))} | base64 -d`;
}

/** The bytes of a body. */
export function bodyBytes(body: string | Uint8Array): Buffer {
  return typeof body === 'string'
    ? Buffer.from(body)
    : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

function escaped(sign: string): string {
  if (sign === '\\' || sign === "'") return `\\${sign}`;
  if (sign === '\n') return String.raw`\n`;
  if (sign === '\r') return String.raw`\r`;
  // The bytes of the character: what stands for one code point in one shell is another thing in the next.
  return Array.from(Buffer.from(sign), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
