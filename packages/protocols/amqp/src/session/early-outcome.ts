import type { AmqpExchange } from '../shape.js';

/**
 * Whether a mock has matched, which core knows before a delay is over. A message that a mock answers is stored and
 * confirmed at once, as a real broker does, and only the answer waits; one that a fault alone holds back is not.
 */
export function isMatchedAlready(exchange: AmqpExchange): boolean {
  return (exchange as AmqpExchange & { readonly matchedId?: unknown }).matchedId !== undefined;
}
