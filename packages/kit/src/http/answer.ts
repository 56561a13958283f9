import type { Reply } from '@backlot/core/plugin';
import { makeHeaders, type AnswerHeaders } from './headers.js';
import { HeaderSet, shareHeaders } from './header-set.js';

/** Texts up to this size go out in one write together with the headers. */
const MAX_TEXT = 16 * 1024;

/** The statuses whose answers have no content (RFC 9110, sections 15.2, 15.3.5, 15.3.6, 15.4.5). */
export function hasNoContent(status: number): boolean {
  return status < 200 || status === 204 || status === 205 || status === 304;
}

/**
 * A finished answer: status, headers and body. It never changes, so it can be sent any number of times and shown in the
 * journal.
 */
export class HttpAnswer implements Reply {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly head: HeaderSet;
  /** The body; absent when the answer has none. A text holds ASCII characters only. */
  declare readonly body?: string | Buffer;
  /** An informational status to send before the answer itself. */
  declare readonly interim?: number;

  /** @param headers - all headers; the object is used, not copied, and must not change */
  constructor(status: number, headers: AnswerHeaders | HeaderSet, body?: string | Buffer, interim?: number) {
    this.status = status;
    this.head = headers instanceof HeaderSet ? headers : new HeaderSet(headers);
    this.headers = this.head.record;
    if (body !== undefined) this.body = body;
    if (interim !== undefined) this.interim = interim;
  }

  /** The same answer with further headers; a header that it has already is not replaced. */
  withHeaders(further: Readonly<Record<string, string>>): HttpAnswer {
    const headers = Object.assign(makeHeaders(), this.headers);
    const known = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
    for (const [name, value] of Object.entries(further))
      if (!known.has(name.toLowerCase())) headers[name] = value;
    return new HttpAnswer(this.status, headers, this.body, this.interim);
  }

  /** The same answer without a body, for a body that is sent in another way. */
  withoutBody(): HttpAnswer {
    return this.body === undefined ? this : new HttpAnswer(this.status, this.head);
  }
}

const MAX_SHARED_SIZE = 1024;
const MAX_SHARED = 1000;
const shared = new Map<string, HttpAnswer>();

/**
 * Gives the same answer object for equal answers, since thousands of mocks often answer the same few things, such as
 * `{}` or a bare 204. Answers that are not shared as a whole still share equal headers.
 */
export function shareAnswer({ status, headers, body, interim }: HttpAnswer): HttpAnswer {
  const made = new HttpAnswer(status, shareHeaders(headers), body, interim);
  if (body !== undefined && (typeof body !== 'string' || body.length > MAX_SHARED_SIZE)) return made;
  const key = JSON.stringify([status, interim, made.head.flat, body]);
  const known = shared.get(key);
  if (known !== undefined) return known;
  if (shared.size >= MAX_SHARED) shared.clear();
  shared.set(key, made);
  return made;
}

/** The bytes of an answer's body, not copied where they are bytes already. */
export function bytesOf({ body = '' }: HttpAnswer): Buffer {
  return typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
}

/** Encodes a body in the form that node sends fastest: a text when it is short and ASCII, else bytes. */
export function encodeBody(text: string): string | Buffer {
  const bytes = Buffer.from(text, 'utf8');
  return bytes.length === text.length && bytes.length <= MAX_TEXT ? text : bytes;
}

/** Makes an answer with a JSON body, for what the server answers by itself. */
export function jsonAnswer(
  status: number,
  value: unknown,
  further: AnswerHeaders = makeHeaders(),
): HttpAnswer {
  const body = encodeBody(JSON.stringify(value));
  const headers = Object.assign(makeHeaders(), further);
  headers['Content-Type'] = 'application/json';
  headers['Content-Length'] = body.length;
  return new HttpAnswer(status, headers, body);
}
