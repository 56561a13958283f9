/** Headers of a message: names in the case they were sent in, with every value in order (NATS ADR-4). */
export type HeaderMap = Readonly<Record<string, string | readonly string[]>>;

const VERSION = 'NATS/1.0';
const LINE_END = '\r\n';
/** What is sent to a client whose message nobody takes. */
export const NO_RESPONDERS = Buffer.from(`${VERSION} 503\r\n\r\n`);

const STATUS_LINE = /^NATS\/1\.0[ \t]+(\d{3})(?:[ \t]+(.*))?$/;
const STATUS = /^\d{3}$/;

/**
 * Reads the bytes of headers. A status in the first line becomes the headers `Status` and `Description`, as client
 * libraries show it. Lines that are no header are left out.
 */
export function parseHeaders(bytes: Buffer): HeaderMap {
  const [first = '', ...lines] = bytes.toString('utf8').split(LINE_END);
  const headers = Object.create(null) as Record<string, string | string[]>;
  const status = STATUS_LINE.exec(first);
  if (status?.[1] !== undefined) {
    headers['Status'] = status[1];
    if (status[2] !== undefined && status[2] !== '') headers['Description'] = status[2];
  }
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon > 0) addValue(headers, line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return headers;
}

/** The same headers by names in lower case. */
export function lowerNames(headers: HeaderMap): HeaderMap {
  const lowered = Object.create(null) as Record<string, string | string[]>;
  for (const [name, values] of Object.entries(headers)) {
    for (const value of typeof values === 'string' ? [values] : values) {
      addValue(lowered, name.toLowerCase(), value);
    }
  }
  return lowered;
}

/**
 * The bytes of headers. `Status` with three digits, and `Description` beside it, go into the first line. Line breaks in
 * values become spaces: they would begin a header.
 */
export function encodeHeaders(headers: readonly (readonly [string, string])[]): Buffer {
  const status = headers.find(([name, value]) => name === 'Status' && STATUS.test(value))?.[1];
  const description = headers.find(([name]) => name === 'Description')?.[1];
  let text = VERSION;
  if (status !== undefined) text += ` ${status}`;
  if (status !== undefined && description !== undefined) text += ` ${toLine(description)}`;
  text += LINE_END;
  for (const [name, value] of headers) {
    if (status !== undefined && (name === 'Status' || name === 'Description')) continue;
    text += `${name}: ${toLine(value)}${LINE_END}`;
  }
  return Buffer.from(text + LINE_END, 'utf8');
}

/** Whether a text can be the name of a header: visible characters other than the colon. */
export function isHeaderName(name: string): boolean {
  return /^[!-9;-~]+$/.test(name);
}

function toLine(value: string): string {
  return value.replace(/[\r\n]+/g, ' ');
}

function addValue(headers: Record<string, string | string[]>, name: string, value: string): void {
  const known = headers[name];
  if (known === undefined) headers[name] = value;
  else if (typeof known === 'string') headers[name] = [known, value];
  else known.push(value);
}
