import type { MessageContract } from '@backlot/contracts';
import type { KafkaContext, KafkaExchange } from '../shape.js';
import { placesOf } from './form.js';

/** Why the contract does not allow a record that a client has produced; `undefined` for one that goes on. */
export function refusalByContract({ contract }: KafkaContext, exchange: KafkaExchange): string | undefined {
  if (contract === undefined) return undefined;
  const { path, record } = exchange.message;
  const message = { places: placesOf(path), shown: path, payload: record.value ?? undefined };
  return (contract.loaded as MessageContract).refusal(contract, exchange, 'request', message)?.reason;
}

/** Why the contract does not allow what a mock produces, before it is encoded. */
export function refusalOfAnswer(
  { contract }: KafkaContext,
  exchange: KafkaExchange,
  topic: string,
  value: Buffer | null,
): string | undefined {
  if (contract === undefined) return undefined;
  const message = { places: placesOf(topic), shown: topic, payload: value ?? undefined };
  return (contract.loaded as MessageContract).refusal(contract, exchange, 'answer', message)?.reason;
}
