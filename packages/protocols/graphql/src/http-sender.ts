import {
  corsHeaders,
  HttpAnswer,
  makeHeaders,
  preflightHeaders,
  type DecodeFailure,
} from '@backlot/kit/http';
import { failureAnswer } from './answer/failure-answer.js';
import type { HttpCall as Call } from './http-call.js';
import type { Settings } from './settings.js';

/** Sends answers over HTTP, those of operations and refusals. */
export class HttpSender {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Sends an answer. */
  send({ head, reply }: Call, answer: HttpAnswer): void {
    const further = this.#settings.hasCors ? corsHeaders(head) : undefined;
    reply.send(further === undefined ? answer : answer.withHeaders(further));
  }

  /** Refuses what is no operation, so that it is no exchange either. */
  refuse(call: Call, status: number, message: string, headers: Readonly<Record<string, string>> = {}): void {
    this.send(call, failureAnswer([{ message }], call.type, status, headers));
  }

  /** The answer to a body that is too large or cannot be decoded. */
  bodyRefusal(call: Call, failure: DecodeFailure): HttpAnswer {
    const message =
      failure.status === 400
        ? failure.error
        : `the request body is larger than ${this.#settings.maxBody} bytes, the limit of max_body_bytes`;
    return failureAnswer([{ message }], call.type, failure.status, { Connection: 'close' });
  }

  /** Answers what a browser asks before it sends a request. */
  answerPreflight(call: Call): void {
    const headers = Object.assign(makeHeaders(), preflightHeaders(call.head));
    this.send(call, new HttpAnswer(204, headers));
  }
}
