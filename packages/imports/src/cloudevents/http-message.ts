/** A request of HTTP as a text. */
export interface HttpMessage {
  readonly method: string;
  readonly target: string;
  /** Values by names in small letters. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

const START = /^([A-Z]{1,20}) (\S{1,8000}) HTTP\/[\d.]{1,3}\r?\n/;

/** Reads a request as it goes over a connection; `undefined` for what is none. */
export function readHttpMessage(text: string): HttpMessage | undefined {
  const start = START.exec(text.trimStart());
  if (start === null) return undefined;
  const rest = text.trimStart().slice(start[0].length);
  const gap = /^\r?\n|\r?\n\r?\n/.exec(rest);
  const head = gap === null ? rest : rest.slice(0, gap.index);
  const headers = new Map<string, string>();
  for (const line of head.split(/\r?\n/).slice(0, 1000)) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  const body = gap === null ? '' : rest.slice(gap.index + gap[0].length);
  return { method: start[1] ?? '', target: start[2] ?? '', headers, body };
}
