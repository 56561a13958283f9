import type { MqttContext, MqttExchange } from '../session/peer.js';
import { REASON } from '../wire/protocol-error.js';
import type { MqttContract } from './mqtt-contract.js';

/** The reason code for a message that the contract does not allow; `undefined` for one that goes on. */
export function refusalByContract(context: MqttContext, exchange: MqttExchange): number | undefined {
  const { contract } = context;
  if (contract === undefined) return undefined;
  const { document } = contract.loaded as MqttContract;
  const { path, payload } = exchange.message;
  const found = document.checkMessage('request', path, payload, 'topic');
  if (!contract.take(exchange, 'request', found)) return undefined;
  return found.operation === undefined ? REASON.TOPIC_INVALID : REASON.PAYLOAD_FORMAT_INVALID;
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
  const found = (contract.loaded as MqttContract).document.checkMessage('answer', topic, payload, 'topic');
  if (!contract.take(exchange, 'answer', found)) return true;
  const what = found.violations.map(({ path, message }) => `${path} ${message}`).join('; ');
  context.log.warn(`mock "${id}" answers what the contract does not allow: ${what}`);
  return false;
}
