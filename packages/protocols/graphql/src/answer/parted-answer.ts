import { encodeBody, HttpAnswer, makeHeaders, type AnswerHeaders } from '@backlot/kit/http';
import type { Framing } from '../wire/framing.js';

/** An answer of which parts may be sent later. As it is, it holds them all. */
export class PartedAnswer extends HttpAnswer {
  /** The payloads, as JSON. */
  readonly payloads: readonly string[];

  constructor(framing: Framing, payloads: readonly string[]) {
    const { opening, result, ending, type } = framing;
    const body = encodeBody(`${opening}${payloads.map(result).join('')}${ending}`);
    const headers: AnswerHeaders = makeHeaders();
    headers['Content-Type'] = type;
    headers['Content-Length'] = body.length;
    super(200, headers, body);
    this.payloads = payloads;
  }
}
