import type { HttpAnswer } from '@backlot/kit/http';
import type { Failure } from './failure.js';
import { resultAnswer, type MediaType } from './result-answer.js';

/** An answer that holds errors alone. */
export function failureAnswer(
  failures: readonly Failure[],
  type: MediaType,
  status: number,
  further?: Readonly<Record<string, string>>,
): HttpAnswer {
  return resultAnswer(JSON.stringify({ errors: failures }), type, status, further);
}
