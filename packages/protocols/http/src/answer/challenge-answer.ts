import { jsonAnswer, makeHeaders, type HttpAnswer } from '@backlot/kit/http';
import type { HttpChallenge } from '../auth/index.js';

/** Asks for credentials. */
export function challengeAnswer({ status, headers, reason }: HttpChallenge): HttpAnswer {
  return jsonAnswer(status, { error: reason }, Object.assign(makeHeaders(), headers));
}
