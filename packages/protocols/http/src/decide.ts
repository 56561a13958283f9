import { nextTurn, runInSlices, turns } from '@backlot/core/plugin';
import type { HttpExchange, HttpOutcome } from './shape.js';

/**
 * Asks the mocks what becomes of a request. What they look at of a long body is decoded first, in slices between which
 * other requests are served, and then they are asked again.
 */
export function decide(exchange: HttpExchange): HttpOutcome | Promise<HttpOutcome> {
  if (!exchange.message.isLong) return exchange.resolve();
  const outcome = askEarly(exchange);
  if (outcome instanceof Promise || outcome.type === 'undecided') return decideLater(exchange, outcome);
  return outcome;
}

async function decideLater(
  exchange: HttpExchange,
  first: HttpOutcome | Promise<HttpOutcome>,
): Promise<HttpOutcome> {
  let outcome = await first;
  while (outcome.type === 'undecided' && !exchange.ended) {
    await runInSlices(exchange.message.decode());
    if (!exchange.ended) outcome = await askEarly(exchange);
  }
  // Why nothing has matched is told by asking the mocks once more, which may take as long again.
  if (outcome.type === 'unmatched' && turns.areOver()) await nextTurn();
  return exchange.ended ? { type: 'aborted' } : outcome;
}

/** Asks the mocks while what has not been decoded yet counts as not having arrived. */
function askEarly(exchange: HttpExchange): HttpOutcome | Promise<HttpOutcome> {
  const { message } = exchange;
  message.letWait(true);
  try {
    return exchange.resolve({ final: false });
  } finally {
    message.letWait(false);
  }
}
