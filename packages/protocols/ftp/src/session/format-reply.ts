/**
 * A reply as it is sent. With several lines the first has the code and a hyphen, the last the code and a space
 * (RFC 959, section 4.2); those between are indented, so that none is taken for the last.
 */
export function formatReply(code: number, lines: readonly string[]): string {
  const last = lines.length - 1;
  const text = lines.map((line, place) => {
    if (place === last) return `${code} ${line}`;
    return place === 0 ? `${code}-${line}` : ` ${line}`;
  });
  return `${text.join('\r\n')}\r\n`;
}

/** Lines beyond which a reply is put together in steps. */
export const LONG_REPLY = 2000;

/** The same of very many lines, as bytes: yields now and then, see `runInSlices`. */
export function* formatLongReply(code: number, lines: readonly string[]): Generator<undefined, Buffer> {
  const pieces: Buffer[] = [];
  const last = lines.length - 1;
  for (let start = 0; start < last; start += LONG_REPLY) {
    const text = lines.slice(start, Math.min(start + LONG_REPLY, last)).join('\r\n ');
    pieces.push(Buffer.from(`${start === 0 ? `${code}-` : ' '}${text}\r\n`));
    yield;
  }
  pieces.push(Buffer.from(`${code} ${lines[last] ?? ''}\r\n`));
  return Buffer.concat(pieces);
}

/** The lines of a long reply as the journal shows them; yields now and then. */
export function* joinLongReply(lines: readonly string[]): Generator<undefined, string> {
  let text = '';
  for (let start = 0; start < lines.length; start += LONG_REPLY) {
    text += `${start === 0 ? '' : '\n'}${lines.slice(start, start + LONG_REPLY).join('\n')}`;
    yield;
  }
  return text;
}
