import type { MessageContract } from '@backlot/contracts';
import type { MqttContext, MqttExchange } from '../session/peer.js';
import { REASON } from '../wire/protocol-error.js';
import { placesOf } from './form.js';

/** The reason code for a message that the contract does not allow; `undefined` for one that goes on. */
export function refusalByContract(context: MqttContext, exchange: MqttExchange): number | undefined {
  const { contract } = context;
  if (contract === undefined) return undefined;
  const { path, payload } = exchange.message;
  const message = { places: placesOf(path), shown: path, payload };
  const found = (contract.loaded as MessageContract).refusal(contract, exchange, 'request', message);
  if (found === undefined) return undefined;
  return found.isUnknown ? REASON.TOPIC_INVALID : REASON.PAYLOAD_FORMAT_INVALID;
}

/** Whether the contract allows an answer; what it does not allow is in the log. */
export function isAllowed(
  context: MqttContext,
  exchange: MqttExchange,
  id: string,
  { topic, payload }: { readonly topic: string; readonly payload: Buffer },
): boolean {
  const { contract } = context;
  if (contract === undefined) return true;
  const { path, responseTopic } = exchange.message;
  const answers = topic === responseTopic ? placesOf(path) : undefined;
  const message = { places: placesOf(topic), shown: topic, payload, answers };
  const found = (contract.loaded as MessageContract).refusal(contract, exchange, 'answer', message);
  if (found === undefined) return true;
  context.log.warn(`mock "${id}" answers what the contract does not allow: ${found.reason}`);
  return false;
}
