const LF = 10;

/** A text or bytes as a line: a line feed is added where there is none at the end. */
export function withLineEnd(body: string): string;
export function withLineEnd(body: string | Buffer): string | Buffer;
export function withLineEnd(body: string | Buffer): string | Buffer {
  if (typeof body === 'string') return body.endsWith('\n') ? body : `${body}\n`;
  return body[body.length - 1] === LF ? body : Buffer.concat([body, Buffer.of(LF)]);
}
