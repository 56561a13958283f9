import type { ContractDesk } from '@backlot/core/plugin';
import type { GraphQLError } from 'graphql';
import type { Failure } from '../answer/failure.js';
import type { Plan } from '../schema/engine.js';
import type { GraphqlContext, GraphqlExchange } from '../shape.js';
import type { GraphqlContract } from './graphql-contract.js';

interface Held {
  readonly desk: ContractDesk;
  readonly document: GraphqlContract;
  readonly plan: Plan;
  readonly operation: string | undefined;
}

/** The operations that fit the contract, until they are answered. */
const held = new WeakMap<GraphqlExchange, Held>();

/** Why the contract does not allow an operation, in the words of GraphQL; `undefined` for one that goes on. */
export function refusalByContract(
  { contract }: GraphqlContext,
  exchange: GraphqlExchange,
): readonly GraphQLError[] | undefined {
  const { message } = exchange;
  if (contract === undefined || message.asksAboutSchema) return undefined;
  const document = contract.loaded as GraphqlContract;
  const { plan, errors, ...found } = document.checkOperation(message);
  if (contract.take(exchange, 'request', found)) return errors;
  if (plan !== undefined) held.set(exchange, { desk: contract, document, plan, operation: found.operation });
  return undefined;
}

/**
 * What is answered in place of a result that the contract does not allow; `undefined` for one that it allows.
 *
 * @param text - the result, as JSON
 */
export function answerRefusal(
  exchange: GraphqlExchange,
  id: string | undefined,
  text: string,
): Failure | undefined {
  const known = held.get(exchange);
  if (known === undefined) return undefined;
  const { desk, document, plan, operation } = known;
  const found = document.checkResult(plan, text);
  if (!desk.take(exchange, 'answer', { operation, ...found })) return undefined;
  const { violations } = found;
  const what = violations.map(({ path, message }) => `${path} ${message}`).join('; ');
  return {
    message: `${id === undefined ? 'the answer is not what the contract allows' : `mock "${id}" answers what the contract does not allow`}: ${what}`,
    extensions: { code: 'CONTRACT_VIOLATION' },
  };
}
