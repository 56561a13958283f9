import type { Entry } from '../data/entry.js';
import { RESULT } from '../result-codes.js';
import { BerReader } from '../wire/ber-reader.js';
import { element, integer, octets, type Result } from '../wire/encode.js';
import { OID, TAG } from '../wire/tags.js';
import type { Found } from './search.js';

/** Searches of one connection whose further pages can be asked for; the oldest is forgotten beyond them. */
const MAX_CURSORS = 16;

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
  /** How many of the entries were sent. */
  readonly sent: number;
  /** Forgets it, when others need the room. */
  readonly drop: () => void;
}

/** Entries that wait for their page, of all connections. */
const MAX_HELD = 1_000_000;

/** The cursors of all connections, oldest first: together they hold so many entries, beyond which the oldest is forgotten. */
export class HeldEntries {
  readonly #cursors = new Set<Cursor>();
  readonly #most: number;
  #count = 0;

  constructor(most = MAX_HELD) {
    this.#most = most;
  }

  /** How many entries are held. */
  get count(): number {
    return this.#count;
  }

  add(cursor: Cursor): void {
    this.#cursors.add(cursor);
    this.#count += cursor.entries.length;
    for (const oldest of this.#cursors) {
      if (this.#count <= this.#most || oldest === cursor) return;
      oldest.drop();
    }
  }

  remove(cursor: Cursor): void {
    if (this.#cursors.delete(cursor)) this.#count -= cursor.entries.length;
  }
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
  readonly #held: HeldEntries;
  #last = 0;

  constructor(held: HeldEntries) {
    this.#held = held;
  }

  /** The first page of what was found. */
  begin({ entries, result }: Found, size: number): Page {
    return this.#cut(entries, result, 0, size === 0 ? entries.length : size);
  }

  /** A further page; `undefined` when the cookie is none of ours. A size of 0 gives up the rest. */
  next({ size, cookie }: PageRequest): Page | undefined {
    const cursor = this.#cursors.get(cookie);
    if (cursor === undefined) return undefined;
    cursor.drop();
    if (size === 0) return { entries: [], result: { code: RESULT.success }, controls: encodeControl('') };
    return this.#cut(cursor.entries, cursor.result, cursor.sent, size);
  }

  /** The connection is gone. */
  clear(): void {
    for (const cursor of [...this.#cursors.values()]) cursor.drop();
  }

  #cut(entries: readonly Entry[], result: Result, from: number, size: number): Page {
    const to = from + size;
    const page = from === 0 && to >= entries.length ? entries : entries.slice(from, to);
    if (to >= entries.length) return { entries: page, result, controls: encodeControl('') };
    const cookie = this.#keep(entries, result, to);
    return { entries: page, result: { code: RESULT.success }, controls: encodeControl(cookie) };
  }

  #keep(entries: readonly Entry[], result: Result, sent: number): string {
    this.#last += 1;
    const cookie = String(this.#last);
    const cursor: Cursor = {
      entries,
      result,
      sent,
      drop: () => {
        this.#cursors.delete(cookie);
        this.#held.remove(cursor);
      },
    };
    this.#cursors.set(cookie, cursor);
    this.#held.add(cursor);
    const [oldest] = this.#cursors.values();
    if (this.#cursors.size > MAX_CURSORS) oldest?.drop();
    return cookie;
  }
}

/** We say no estimate of how many entries there are: 0. */
function encodeControl(cookie: string): Buffer {
  const value = element(TAG.sequence, integer(0), octets(cookie));
  return element(TAG.controls, element(TAG.sequence, octets(OID.pagedResults), octets(value)));
}
