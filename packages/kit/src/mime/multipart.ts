/** A part of a multipart body. */
export interface Part {
  /** Its header lines. */
  readonly head: Buffer;
  readonly content: Buffer;
}

/** Further parts are left out. */
const MAX_PARTS = 1000;
/** A part whose header lines are longer, in bytes, is left out. */
const MAX_HEAD = 8 * 1024;
const BLANK_LINE = '\r\n\r\n';
const CR = 0x0d;
const LF = 0x0a;
const DASH = 0x2d;

/**
 * Takes a multipart body apart (RFC 2046, section 5.1.1). A delimiter is a line of its own that consists of `--`, the
 * boundary and perhaps white space; the same bytes within a line are content. What stands before the first delimiter and
 * behind the last is ignored, and a part that no delimiter ends is left out.
 */
export function* splitParts(body: Buffer, boundary: string): Generator<Part> {
  const line = Buffer.from(`\r\n--${boundary}`);
  let open = delimiterAt(body, line, -2) ?? nextDelimiter(body, line, 0);
  for (let count = 0; open !== undefined && !open.isLast && count < MAX_PARTS; count += 1) {
    // The line break of a delimiter is that of the next one when nothing stands between.
    const next = nextDelimiter(body, line, open.end - 2);
    if (next === undefined) return;
    const part = body.subarray(open.end, Math.max(next.start, open.end));
    open = next;
    // A part without header lines begins with the blank line.
    if (part[0] === CR && part[1] === LF) {
      yield { head: part.subarray(0, 0), content: part.subarray(2) };
      continue;
    }
    const blank = part.indexOf(BLANK_LINE);
    if (blank < 0 || blank > MAX_HEAD) continue;
    yield { head: part.subarray(0, blank), content: part.subarray(blank + BLANK_LINE.length) };
  }
}

interface Delimiter {
  /** Where its leading line break stands. */
  readonly start: number;
  /** Where the part behind it begins. */
  readonly end: number;
  readonly isLast: boolean;
}

function nextDelimiter(body: Buffer, line: Buffer, from: number): Delimiter | undefined {
  for (let at = body.indexOf(line, from); at >= 0; at = body.indexOf(line, at + line.length)) {
    const found = delimiterAt(body, line, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The delimiter whose line break stands here; the body may begin behind it. */
function delimiterAt(body: Buffer, line: Buffer, start: number): Delimiter | undefined {
  if (start < 0 && !body.subarray(0, line.length + start).equals(line.subarray(-start))) return undefined;
  let at = start + line.length;
  if (body[at] === DASH && body[at + 1] === DASH) return { start, end: at + 2, isLast: true };
  while (body[at] === 0x20 || body[at] === 0x09) at += 1;
  return body[at] === CR && body[at + 1] === LF ? { start, end: at + 2, isLast: false } : undefined;
}
