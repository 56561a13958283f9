/** A command as it came. */
export interface CommandLine {
  /** In upper case. */
  readonly verb: string;
  /** What follows the space after the verb, as it is; empty when there is none. */
  readonly argument: string;
  /** The line without the Telnet commands in front of it. */
  readonly text: string;
}

const FIRST_TELNET_COMMAND = 0xf0;
const TAB = 9;
const SPACE = 32;
const DELETE = 127;

/** Reads a line; `undefined` when it holds what no command can. */
export function parseCommandLine(line: Uint8Array): CommandLine | undefined {
  let start = 0;
  // IAC IP and IAC DM come before an ABOR (RFC 959, section 4.1.3).
  while ((line[start] ?? 0) >= FIRST_TELNET_COMMAND) start += 1;
  const bytes = line.subarray(start);
  if (bytes.some((byte) => (byte < SPACE && byte !== TAB) || byte === DELETE)) return undefined;
  const text = Buffer.from(bytes).toString('utf8');
  const space = text.indexOf(' ');
  return space < 0
    ? { verb: text.trim().toUpperCase(), argument: '', text }
    : { verb: text.slice(0, space).toUpperCase(), argument: text.slice(space + 1), text };
}
