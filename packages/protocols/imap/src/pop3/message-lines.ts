const DOT = 0x2e;
const LINE_DOT = Buffer.from('\r\n.');
const END = Buffer.from('\r\n');
const HEADER_END = Buffer.from('\r\n\r\n');
/** So many dots are doubled before other work is let in. */
const STEP = 1000;

/** A message as RETR sends it: with dots at the beginning of lines doubled, and a last dot (RFC 1939, 3). Yields now and then. */
export function* messageLines(raw: Buffer): Generator<undefined, Buffer> {
  const places: number[] = raw[0] === DOT ? [0] : [];
  let at = raw.indexOf(LINE_DOT);
  while (at >= 0) {
    places.push(at + 2);
    if (places.length % STEP === 0) yield;
    at = raw.indexOf(LINE_DOT, at + 2);
  }
  const isEnded = raw.length === 0 || raw.subarray(-2).equals(END);
  const tail = isEnded ? '.\r\n' : '\r\n.\r\n';
  const lines = Buffer.allocUnsafe(raw.length + places.length + tail.length);
  let to = 0;
  let from = 0;
  for (const [index, place] of places.entries()) {
    to += raw.copy(lines, to, from, place);
    lines[to++] = DOT;
    from = place;
    if (index % STEP === STEP - 1) yield;
  }
  to += raw.copy(lines, to, from);
  lines.write(tail, to, 'latin1');
  return lines;
}

/** The header of a message with the empty line after it, and that many lines of its body. Yields now and then. */
export function* topOf(raw: Buffer, lines: number): Generator<undefined, Buffer> {
  const header = raw.indexOf(HEADER_END);
  if (header < 0) return raw;
  let end = header + HEADER_END.length;
  for (let count = 0; count < lines; count += 1) {
    const next = raw.indexOf(END, end);
    if (next < 0) return raw;
    end = next + END.length;
    if (count % STEP === STEP - 1) yield;
  }
  return raw.subarray(0, end);
}
