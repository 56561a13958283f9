import { decodePageRequest } from '../operations/paging.js';
import { BerReader } from '../wire/ber-reader.js';
import type { Control } from '../wire/request.js';
import { OID, TAG } from '../wire/tags.js';
import type { ReadAnswer } from './compared.js';
import type { LineAnswer } from './line.js';

/** Searches of one client of which further pages may come. */
const MAX_PAGED = 16;
/** Bytes of all pages that are put together. */
const MAX_SIZE = 2 * 1024 * 1024;

interface Begun {
  readonly answer: ReadAnswer;
  readonly size: number;
}

/** Puts the pages of searches together (RFC 2696), so that all of them are one answer. One for each client. */
export class Pages {
  /** What has come of searches that go on, by the cookie of their next page. */
  readonly #begun = new Map<string, Begun>();

  /** Adds a page. @returns the whole answer once all is there; `undefined` while more is to come */
  add(controls: readonly Control[], { size, ...page }: LineAnswer): ReadAnswer | undefined {
    const asked = cookieOf(controls, (value) => decodePageRequest(value).cookie);
    if (asked === undefined) return page;
    const begun = this.#begun.get(asked);
    this.#begun.delete(asked);
    const next = cookieOf(page.controls, readCookie) ?? '';
    const whole: Begun =
      begun === undefined
        ? { answer: { ...page, isWhole: page.isWhole && asked === '' }, size }
        : join(begun, { answer: page, size });
    if (next === '') return whole.answer;
    this.#begun.set(next, whole);
    const [oldest] = this.#begun.keys();
    if (this.#begun.size > MAX_PAGED && oldest !== undefined) this.#begun.delete(oldest);
    return undefined;
  }
}

/** Whether a request asks for a page after the first. */
export function isFurtherPage(controls: readonly Control[]): boolean {
  return (cookieOf(controls, (value) => decodePageRequest(value).cookie) ?? '') !== '';
}

function join(begun: Begun, { answer, size }: Begun): Begun {
  const total = begun.size + size;
  const isWhole = begun.answer.isWhole && answer.isWhole && total <= MAX_SIZE;
  if (!isWhole) return { answer: { ...answer, entries: [], references: [], isWhole }, size: total };
  return {
    answer: {
      entries: [...begun.answer.entries, ...answer.entries],
      references: [...begun.answer.references, ...answer.references],
      result: answer.result,
      isWhole,
    },
    size: total,
  };
}

function cookieOf(controls: readonly Control[], read: (value: Buffer) => string): string | undefined {
  const value = controls.find(({ oid }) => oid === OID.pagedResults)?.value;
  if (value === undefined) return undefined;
  try {
    return read(value);
  } catch {
    return undefined;
  }
}

function readCookie(value: Buffer): string {
  const reader = new BerReader(value).inside(TAG.sequence);
  reader.integer();
  return reader.bytes(TAG.octets).toString('latin1');
}
