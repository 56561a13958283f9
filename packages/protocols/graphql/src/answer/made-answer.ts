import type { HttpAnswer } from '@backlot/kit/http';
import type { HttpCall } from '../http-call.js';
import { writePayloads } from '../incremental/payloads.js';
import { untypedResult } from '../incremental/untyped-result.js';
import type { SchemaEngine } from '../schema/engine.js';
import { PartedAnswer } from './parted-answer.js';
import { resultAnswer } from './result-answer.js';
import type { GivenResult } from './result.js';

/** Completes what a mock gives by the schema, where there is one, and splits it where the client has put parts off. */
export function* madeAnswer(
  call: HttpCall,
  engine: SchemaEngine | undefined,
  given: GivenResult,
): Generator<undefined, HttpAnswer> {
  const { plan, incremental, type } = call;
  if (incremental === undefined)
    return resultAnswer(plan && engine ? yield* engine.answer(plan, given) : JSON.stringify(given), type);
  const { format, channel, text, name, variables } = incremental;
  const { data, errors = [], extensions } = given;
  const payloads =
    plan && engine
      ? yield* engine.payloads(plan, given, format)
      : 'data' in given
        ? yield* writePayloads(
            yield* untypedResult(text, name, variables, data),
            { errors, extensions },
            format,
          )
        : [JSON.stringify(given)];
  const [only = ''] = payloads;
  return payloads.length === 1 ? resultAnswer(only, type) : new PartedAnswer(channel.framing, payloads);
}
