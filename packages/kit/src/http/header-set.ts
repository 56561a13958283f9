import type { AnswerHeaders } from './headers.js';
import { flattenHeaders, headersForHttp2 } from './headers.js';

/** The headers of an answer in the forms that sending and showing them need. */
export class HeaderSet {
  readonly record: AnswerHeaders;
  /** Names and values in turn, the form that node sends fastest. */
  readonly flat: readonly string[];
  #http2: AnswerHeaders | undefined = undefined;

  /** @param record - used, not copied; must not change */
  constructor(record: AnswerHeaders) {
    this.record = record;
    this.flat = flattenHeaders(record);
  }

  /** For HTTP/2: names in lower case, without those that concern an HTTP/1.1 connection. */
  get http2(): AnswerHeaders {
    return (this.#http2 ??= headersForHttp2(this.record));
  }
}

const MAX_SHARED = 1000;
const shared = new Map<string, HeaderSet>();

/**
 * Gives the same set for equal headers. Thousands of mocks mostly differ in their bodies only, and headers that they
 * share stay in the processor's cache.
 */
export function shareHeaders(record: AnswerHeaders): HeaderSet {
  const made = new HeaderSet(record);
  const key = JSON.stringify(made.flat);
  const known = shared.get(key);
  if (known !== undefined) return known;
  if (shared.size >= MAX_SHARED) shared.clear();
  shared.set(key, made);
  return made;
}
