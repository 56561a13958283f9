import type { MessageContract, MessageRefusal } from '@backlot/contracts';
import type { Context, ExchangeFor } from '@backlot/core/plugin';
import type { NatsShape } from '../shape.js';
import { fromWire } from '../wire/subject.js';
import { placesOf } from './form.js';

type NatsContext = Context<NatsShape>;
type NatsExchange = ExchangeFor<NatsShape>;

/** Subjects that are the protocol's own, and inboxes, to which clients answer requests. */
const OWN_SUBJECTS = /^(?:\$|_INBOX\.|_R_\.)/;

/** Why the contract does not allow what a client has published; `undefined` for what goes on. */
export function refusalByContract(
  { contract }: NatsContext,
  exchange: NatsExchange,
): MessageRefusal | undefined {
  if (contract === undefined) return undefined;
  const { path, body } = exchange.message;
  if (OWN_SUBJECTS.test(path)) return undefined;
  const message = { places: placesOf(path), shown: path, payload: Buffer.from(body) };
  return (contract.loaded as MessageContract).refusal(contract, exchange, 'request', message);
}

/** Why the contract does not allow what a mock answers. @param subject - as it is on the wire */
export function refusalOfAnswer(
  { contract }: NatsContext,
  exchange: NatsExchange,
  { subject, payload }: { readonly subject: string; readonly payload: Buffer },
): MessageRefusal | undefined {
  if (contract === undefined) return undefined;
  const { path, reply } = exchange.message;
  const target = fromWire(subject);
  // An inbox is in no document.
  const answers = target === reply ? placesOf(path) : undefined;
  const message = { places: placesOf(target), shown: target, payload, answers };
  return (contract.loaded as MessageContract).refusal(contract, exchange, 'answer', message);
}
