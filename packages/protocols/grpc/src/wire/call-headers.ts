import { Metadata } from '@grpc/grpc-js';
import type { IncomingHttpHeaders } from 'node:http';
import { plainHost } from '@backlot/kit/http';
import { isMetadata } from './is-metadata.js';
import { TIMEOUT } from './timeout.js';

/** Headers that say how the request is carried, and nothing of the call. */
export const OF_THE_WIRE: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connect-accept-encoding',
  'connect-content-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'grpc-accept-encoding',
  'grpc-encoding',
  TIMEOUT,
  'host',
  'keep-alive',
  'te',
  'transfer-encoding',
]);

/** What names the host of a request, by version of HTTP. */
const AUTHORITY = [':authority', 'host'] as const;

/** The headers of a request, read as metadata when that is asked for, which it never is for most calls. */
export class CallHeaders {
  readonly #headers: IncomingHttpHeaders;
  readonly #isSecure: boolean;
  #metadata: Metadata | undefined;

  /** @param isSecure - whether they came over TLS */
  constructor(headers: IncomingHttpHeaders, isSecure: boolean) {
    this.#headers = headers;
    this.#isSecure = isSecure;
  }

  /** The host that the call is for, in lower case and without the port of its scheme; empty when it names none. */
  get host(): string {
    const { ':authority': authority, host } = this.#headers;
    return plainHost(String(authority ?? host ?? ''), this.#isSecure);
  }

  /** What of them is of the call itself. */
  get metadata(): Metadata {
    return (this.#metadata ??= metadataOf(this.#headers));
  }

  /** As the journal shows it; binary values as base64. @param timeout - the `grpc-timeout` of the call, as it was sent */
  show(timeout: string | undefined): Record<string, string | readonly string[]> {
    const shown = Object.create(null) as Record<string, string | readonly string[]>;
    const { metadata } = this;
    for (const key of Object.keys(metadata.getMap())) {
      const values = metadata
        .get(key)
        .map((value) => (typeof value === 'string' ? value : value.toString('base64')));
      shown[key] = values.length === 1 ? (values[0] ?? '') : values;
    }
    for (const name of AUTHORITY) {
      const value = this.#headers[name];
      if (value !== undefined) shown[name] = value;
    }
    if (timeout !== undefined) shown[TIMEOUT] = timeout;
    return shown;
  }
}

function metadataOf(headers: IncomingHttpHeaders): Metadata {
  const own: Record<string, string | string[]> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && !OF_THE_WIRE.has(name) && isMetadata(name, value)) own[name] = value;
  }
  return Metadata.fromHttp2Headers(own);
}

/**
 * The headers of the last call of a connection. The next one mostly has the same, but for the method and the deadline: then
 * nothing of its own is kept of them, neither in memory, where each would be a string outside of the heap, nor in the journal.
 */
export class LastHeaders {
  #raw: readonly string[] = [];
  #last: CallHeaders | undefined;

  /** @param raw - names and values in turn, as node:http2 gives them beside `headers` */
  of(raw: readonly string[], headers: IncomingHttpHeaders, isSecure: boolean): CallHeaders {
    if (this.#last !== undefined && areSame(raw, this.#raw)) return this.#last;
    this.#raw = raw;
    return (this.#last = new CallHeaders(headers, isSecure));
  }
}

function areSame(some: readonly string[], others: readonly string[]): boolean {
  const { length } = some;
  if (length !== others.length) return false;
  for (let at = 0; at < length; at += 2) {
    const name = some[at];
    if (name !== others[at]) return false;
    if (some[at + 1] !== others[at + 1] && name !== ':path' && name !== TIMEOUT) return false;
  }
  return true;
}
