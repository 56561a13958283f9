import type { MessageContract, MessageRefusal } from '@backlot/contracts';
import type { AmqpContext, AmqpExchange } from '../shape.js';
import { placesOf } from './form.js';

/** What begins the names that a broker gives to queues, to which answers of clients go. */
const OWN_NAMES = 'amq.';

/** Why the contract does not allow what a client has published; `undefined` for what goes on. */
export function refusalByContract(
  { contract }: AmqpContext,
  exchange: AmqpExchange,
): MessageRefusal | undefined {
  if (contract === undefined) return undefined;
  const { exchange: name, path, queues, body: payload } = exchange.message;
  if (name === '' && path.startsWith(OWN_NAMES)) return undefined;
  const message = { places: placesOf(name, path, queues), shown: path, payload };
  return (contract.loaded as MessageContract).refusal(contract, exchange, 'request', message);
}

/** Why the contract does not allow what a mock answers. */
export function refusalOfAnswer(
  { contract }: AmqpContext,
  exchange: AmqpExchange,
  answer: { readonly exchange: string; readonly routingKey: string; readonly body: Uint8Array },
): MessageRefusal | undefined {
  if (contract === undefined) return undefined;
  const { exchange: name, path, queues } = exchange.message;
  const { exchange: target, routingKey, body: payload } = answer;
  // An address of the client's own is in no document.
  const answers = target === '' ? placesOf(name, path, queues) : undefined;
  const message = { places: placesOf(target, routingKey, []), shown: routingKey, payload, answers };
  return (contract.loaded as MessageContract).refusal(contract, exchange, 'answer', message);
}
