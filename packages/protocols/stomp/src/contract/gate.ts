import type { MessageContract } from '@backlot/contracts';
import type { Context, ExchangeFor } from '@backlot/core/plugin';
import type { StompShape } from '../shape.js';
import { placesOf } from './form.js';

/** Destinations that clients have for themselves, to which they answer. */
const OWN_DESTINATIONS = /^\/(?:temp-queue|temp-topic|reply-queue)\//;

/** Why the contract does not allow what a client has sent; `undefined` for what goes on. */
export function refusalByContract(
  { contract }: Context<StompShape>,
  exchange: ExchangeFor<StompShape>,
): string | undefined {
  if (contract === undefined) return undefined;
  const { path, body } = exchange.message;
  if (OWN_DESTINATIONS.test(path)) return undefined;
  const message = { places: placesOf(path), shown: path, payload: Buffer.from(body) };
  return (contract.loaded as MessageContract).refusal(contract, exchange, 'request', message)?.reason;
}

/** Why the contract does not allow what a mock answers. */
export function refusalOfAnswer(
  { contract }: Context<StompShape>,
  exchange: ExchangeFor<StompShape>,
  { destination, body: payload }: { readonly destination: string; readonly body: Buffer },
): string | undefined {
  if (contract === undefined) return undefined;
  const { path, sent } = exchange.message;
  // The header reply-to names a destination of the client's own, which is in no document.
  const answers = destination === sent['reply-to'] ? placesOf(path) : undefined;
  const message = { places: placesOf(destination), shown: destination, payload, answers };
  return (contract.loaded as MessageContract).refusal(contract, exchange, 'answer', message)?.reason;
}
