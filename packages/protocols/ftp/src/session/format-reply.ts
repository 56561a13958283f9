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
