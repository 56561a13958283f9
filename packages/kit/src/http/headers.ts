import { plainRecord } from './plain-record.js';

/** The headers of one request. */
export interface HeaderView {
  /** The values by name in lower case; those of a repeated header are joined. */
  readonly joined: Readonly<Record<string, string>>;
  /** The values of headers that came more than once, by name; undefined when none did. */
  readonly repeated: ReadonlyMap<string, readonly string[]> | undefined;
  /** The values by name in lower case, with a list for each header that came more than once. */
  readonly byLine: Readonly<Record<string, string | readonly string[]>>;
}

// RFC 9110, section 5.3: these hold one value, so that joining two would make a third that nobody sent.
const SINGLE: ReadonlySet<string> = new Set([
  'age',
  'authorization',
  'content-length',
  'content-type',
  'etag',
  'expires',
  'from',
  'host',
  'if-modified-since',
  'if-unmodified-since',
  'last-modified',
  'location',
  'max-forwards',
  'proxy-authorization',
  'referer',
  'retry-after',
  'server',
  'user-agent',
]);

/**
 * Reads the headers of a request from names and values in turn. Unlike node's own `headers` it keeps a header named
 * `__proto__`. The pseudo headers of HTTP/2 are left out, except that `:authority` stands for a missing `host` (RFC
 * 9113, section 8.3.1).
 */
export function readHeaders(raw: readonly string[]): HeaderView {
  const joined = plainRecord<string>();
  let repeated: Map<string, string[]> | undefined;
  let authority: string | undefined;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = (raw[index] ?? '').toLowerCase();
    const value = raw[index + 1] ?? '';
    if (name.charCodeAt(0) === 58) {
      if (name === ':authority') authority = value;
      continue;
    }
    const known = joined[name];
    if (known === undefined) {
      joined[name] = value;
      continue;
    }
    repeated ??= new Map();
    const values = repeated.get(name);
    if (values === undefined) repeated.set(name, [known, value]);
    else values.push(value);
    if (!SINGLE.has(name)) joined[name] = `${known}${name === 'cookie' ? '; ' : ', '}${value}`;
  }
  if (authority !== undefined && joined['host'] === undefined) joined['host'] = authority;
  const byLine =
    repeated === undefined
      ? joined
      : Object.assign(plainRecord<string | readonly string[]>(), joined, Object.fromEntries(repeated));
  return { joined, repeated, byLine };
}

/**
 * The headers of an answer. {@link makeHeaders} makes one in which a name such as `__proto__` is a header like any
 * other.
 */
export type AnswerHeaders = Record<string, string | number | readonly string[]>;

/** Makes an empty set of headers. */
export function makeHeaders(): AnswerHeaders {
  return plainRecord<string | number | readonly string[]>();
}

/** Headers as names and values in turn, the form that node sends fastest. */
export function flattenHeaders(headers: AnswerHeaders): readonly string[] {
  const flat: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'object') for (const each of value) flat.push(name, each);
    else flat.push(name, String(value));
  }
  return flat;
}

/** Headers, in lower case, that are about one connection and go no further (RFC 9110, section 7.6.1; RFC 9113, section 8.2.2). */
export const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'te',
]);

/** The same headers for HTTP/2: names in lower case, those about one HTTP/1.1 connection left out. */
export function headersForHttp2(headers: AnswerHeaders): AnswerHeaders {
  const kept = makeHeaders();
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (!CONNECTION_HEADERS.has(lower)) kept[lower] = value;
  }
  return kept;
}

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// What a field value cannot hold (RFC 9110, section 5.5).
const FORBIDDEN = /[\u0000-\u0008\u000a-\u001f\u007f]+/;
const FORBIDDEN_RUNS = /[\u0000-\u0008\u000a-\u001f\u007f]+/g;
const BEYOND_ASCII = /[^\u0000-\u007f]/;

/** Whether a text is a token, as header names and methods are (RFC 9110, section 5.6.2). */
export function isHeaderName(name: string): boolean {
  return NAME.test(name);
}

/** Whether a text can be sent as a header value without a change. */
export function isHeaderValue(value: string): boolean {
  return !FORBIDDEN.test(value);
}

/** A value that can be sent: line breaks and other control characters become a space, the rest is sent as UTF-8. */
export function cleanHeaderValue(value: string): string {
  const clean = FORBIDDEN.test(value) ? value.replace(FORBIDDEN_RUNS, ' ').trim() : value;
  // Node writes one byte per character, so the bytes of UTF-8 are given to it as characters.
  return BEYOND_ASCII.test(clean) ? Buffer.from(clean, 'utf8').toString('latin1') : clean;
}
