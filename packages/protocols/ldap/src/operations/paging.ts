import type { Entry } from '../data/entry.js';
import { RESULT } from '../result-codes.js';
import { BerReader } from '../wire/ber-reader.js';
import { element, integer, octets, type Result } from '../wire/encode.js';
import { OID, TAG } from '../wire/tags.js';
import type { Found } from './search.js';

/** Searches of one connection whose further pages can be asked for; the oldest is forgotten beyond them. */
const MOST_CURSORS = 16;

/** What a client asks of paged results (RFC 2696). */
export interface PageRequest {
  readonly size: number;
  readonly cookie: string;
}

/** One page. */
interface Page {
  readonly entries: readonly Entry[];
  readonly result: Result;
  /** The control of the answer, in its list. */
  readonly controls: Buffer;
}

/** What is left of a search. */
interface Cursor {
  readonly entries: readonly Entry[];
  readonly result: Result;
}

/**
 * Reads the value of the control.
 *
 * @throws ProtocolError
 */
export function decodePageRequest(value: Buffer): PageRequest {
  const reader = new BerReader(value).inside(TAG.sequence);
  const size = reader.integer();
  return { size: Math.max(size, 0), cookie: reader.bytes(TAG.octets).toString('latin1') };
}

/** The searches of one connection that are read page by page. */
export class Cursors {
  readonly #cursors = new Map<string, Cursor>();
  #last = 0;

  /** The first page of what was found. */
  begin(found: Found, size: number): Page {
    return this.#cut(found, size === 0 ? found.entries.length : size);
  }

  /** A further page; `undefined` when the cookie is none of ours. A size of 0 gives up the rest. */
  next({ size, cookie }: PageRequest): Page | undefined {
    const cursor = this.#cursors.get(cookie);
    if (cursor === undefined) return undefined;
    this.#cursors.delete(cookie);
    if (size === 0) return { entries: [], result: { code: RESULT.success }, controls: encodeControl('') };
    return this.#cut(cursor, size);
  }

  #cut({ entries, result }: Cursor, size: number): Page {
    if (entries.length <= size) return { entries, result, controls: encodeControl('') };
    this.#last += 1;
    const cookie = String(this.#last);
    this.#cursors.set(cookie, { entries: entries.slice(size), result });
    const [oldest] = this.#cursors.keys();
    if (this.#cursors.size > MOST_CURSORS && oldest !== undefined) this.#cursors.delete(oldest);
    return {
      entries: entries.slice(0, size),
      result: { code: RESULT.success },
      controls: encodeControl(cookie),
    };
  }
}

/** We say no estimate of how many entries there are: 0. */
function encodeControl(cookie: string): Buffer {
  const value = element(TAG.sequence, integer(0), octets(cookie));
  return element(TAG.controls, element(TAG.sequence, octets(OID.pagedResults), octets(value)));
}
