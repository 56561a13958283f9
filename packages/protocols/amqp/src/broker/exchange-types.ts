import { AmqpError } from '../wire/amqp-error.js';
import type { FieldTable } from '../wire/field-table.js';
import { REPLY } from '../wire/reply-codes.js';
import { TABLE_TYPES, type TableType } from './binding-tables.js';

/** The type of exchanges that hold back messages with an `x-delay`. */
export const DELAYED = 'x-delayed-message';

/** The types of exchanges. */
const EXCHANGE_TYPES = [...TABLE_TYPES, DELAYED] as const;
export type ExchangeType = (typeof EXCHANGE_TYPES)[number];

/** @throws AmqpError 503 when there is no such type */
export function readExchangeType(type: string): ExchangeType {
  return find(EXCHANGE_TYPES, type);
}

/**
 * How an exchange finds its bindings: as its type says, or for one that holds back messages its `x-delayed-type`.
 *
 * @throws AmqpError 406 when that is not said, 503 when it is no type
 */
export function tableTypeOf(type: ExchangeType, table: FieldTable): TableType {
  if (type !== DELAYED) return type;
  const inner = table.get('x-delayed-type');
  if (typeof inner === 'string') return find(TABLE_TYPES, inner);
  throw new AmqpError(
    REPLY.preconditionFailed,
    `invalid argument 'x-delayed-type': it must be an existing exchange type, such as 'direct'`,
  );
}

function find<T extends string>(known: readonly T[], type: string): T {
  const found = known.find((each) => each === type);
  if (found !== undefined) return found;
  throw new AmqpError(REPLY.commandInvalid, `unknown exchange type '${type}'`);
}
