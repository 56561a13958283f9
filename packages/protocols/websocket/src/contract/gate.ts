import type { MessageContract, MessageRefusal } from '@backlot/contracts';
import type { WebsocketContext, WebsocketExchange } from '../shape.js';
import { placesOf } from './form.js';

/** An answer that the contract does not allow. */
export class AnswerNotAllowed extends Error {}

/** Why the contract does not allow a client to connect, or what it sends; `undefined` for what goes on. */
export function refusalByContract(
  { contract }: WebsocketContext,
  exchange: WebsocketExchange,
): MessageRefusal | undefined {
  if (contract === undefined) return undefined;
  const { path, body } = exchange.message;
  const payload = body === undefined ? undefined : Buffer.from(body);
  const message = { places: placesOf(path), shown: path, payload };
  return (contract.loaded as MessageContract).refusal(contract, exchange, 'request', message);
}

/** @throws AnswerNotAllowed when the contract does not allow what a mock sends */
export function checkAnswer(
  { contract }: WebsocketContext,
  exchange: WebsocketExchange,
  body: string | Buffer,
): void {
  if (contract === undefined) return;
  const { path } = exchange.message;
  const message = { places: placesOf(path), shown: path, payload: Buffer.from(body) };
  const found = (contract.loaded as MessageContract).refusal(contract, exchange, 'answer', message);
  if (found !== undefined) throw new AnswerNotAllowed(`the contract does not allow it: ${found.reason}`);
}
