import type { Reply } from '@backlot/core/plugin';
import { headersForHttp2, makeHeaders, type AnswerHeaders } from '../wire/headers.js';

/** Texts up to this size go out in one write together with the headers. */
const LARGEST_TEXT = 16 * 1024;

/** The statuses whose answers have no content (RFC 9110, sections 15.2, 15.3.5, 15.3.6, 15.4.5). */
export function hasNoContent(status: number): boolean {
  return status < 200 || status === 204 || status === 205 || status === 304;
}

/** A finished answer: it can be sent any number of times. */
export class Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** Absent when the answer has none; a text holds ASCII only. */
  readonly body: string | Buffer | undefined;
  /** What the journal shows. */
  readonly reply: Reply;
  /** An informational status to send before the answer itself. */
  readonly interim: number | undefined;
  #http2Headers: AnswerHeaders | undefined;

  /** @param headers - all of them; taken over, not copied */
  constructor(status: number, headers: AnswerHeaders, body?: string | Buffer, interim?: number) {
    this.status = status;
    this.headers = Object.freeze(headers);
    this.body = body;
    this.interim = interim;
    this.reply = body === undefined ? { status, headers } : { status, headers, body };
  }

  get http2Headers(): AnswerHeaders {
    return (this.#http2Headers ??= headersForHttp2(this.headers));
  }

  /** The same answer with further headers; those it has already win. */
  withHeaders(further: Readonly<Record<string, string>>): Answer {
    const headers = Object.assign(makeHeaders(), this.headers);
    const known = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
    for (const [name, value] of Object.entries(further)) if (!known.has(name.toLowerCase())) headers[name] = value;
    return new Answer(this.status, headers, this.body, this.interim);
  }
}

/** A body in the form that is quickest to send. */
export function encodeBody(text: string): string | Buffer {
  const bytes = Buffer.from(text, 'utf8');
  return bytes.length === text.length && bytes.length <= LARGEST_TEXT ? text : bytes;
}

/** An answer of our own, in JSON. */
export function jsonAnswer(status: number, value: unknown, further: AnswerHeaders = makeHeaders()): Answer {
  const body = encodeBody(JSON.stringify(value));
  const headers = Object.assign(makeHeaders(), further);
  headers['Content-Type'] = 'application/json';
  headers['Content-Length'] = body.length;
  return new Answer(status, headers, body);
}
