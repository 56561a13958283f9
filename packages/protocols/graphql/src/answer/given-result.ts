import type { GraphqlExchange, GraphqlOutcome } from '../shape.js';
import type { GivenResult } from './result.js';

/**
 * What a schema completes: what the mock gives, or nothing when none matches. `undefined` for what has no result to
 * complete: a stream, and a subscription for which there is no source of events.
 *
 * @param makesUnmatched - whether what no mock matches is made
 */
export function givenResult(
  exchange: GraphqlExchange,
  outcome: GraphqlOutcome,
  makesUnmatched: boolean,
): GivenResult | undefined {
  if (outcome.type !== 'matched' && outcome.type !== 'unmatched' && outcome.type !== 'fault')
    return undefined;
  const match = outcome.type === 'unmatched' ? undefined : outcome.type === 'fault' ? outcome.match : outcome;
  if (match === undefined)
    return exchange.message.method === 'subscription' || !makesUnmatched ? undefined : {};
  const { stream, result } = match.mock.compiled;
  return stream === undefined ? result.value(match) : undefined;
}
