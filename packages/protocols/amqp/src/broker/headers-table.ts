import { AmqpError } from '../wire/amqp-error.js';
import type { Field, FieldTable } from '../wire/field-table.js';
import { REPLY } from '../wire/reply-codes.js';
import type { BindingTable, Bound } from './binding-table.js';
import { areSameFields } from './field-equality.js';

/** What a binding of a headers exchange asks for. */
interface Wanted {
  readonly isAny: boolean;
  readonly fields: readonly (readonly [string, Field])[];
}

/** So many bindings are compared in one step. */
const AT_ONCE = 64;

/** The bindings of a headers exchange (AMQP 0-9-1, section 3.1.3.4): a message is compared with each of them. */
export class HeadersTable<B extends Bound> implements BindingTable<B> {
  readonly #bindings = new Map<B, Wanted>();

  add(binding: B): void {
    const how = binding.arguments.get('x-match') ?? 'all';
    if (how !== 'all' && how !== 'any' && how !== 'all-with-x' && how !== 'any-with-x') {
      throw new AmqpError(
        REPLY.preconditionFailed,
        `invalid x-match field value; expected all, any, all-with-x, or any-with-x`,
      );
    }
    const fields = [...binding.arguments].filter(
      ([name]) => name !== 'x-match' && (how.endsWith('-with-x') || !name.startsWith('x-')),
    );
    this.#bindings.set(binding, { isAny: how.startsWith('any'), fields });
  }

  remove(binding: B): void {
    this.#bindings.delete(binding);
  }

  isCostly(): boolean {
    return this.#bindings.size > AT_ONCE;
  }

  match(_routingKey: string, headers: FieldTable | undefined): Iterable<B> {
    const found: B[] = [];
    for (const [binding, wanted] of this.#bindings) if (fits(wanted, headers)) found.push(binding);
    return found;
  }

  *matchInSteps(_routingKey: string, headers: FieldTable | undefined): Generator<undefined, Iterable<B>> {
    const found: B[] = [];
    let compared = 0;
    for (const [binding, wanted] of this.#bindings) {
      if (fits(wanted, headers)) found.push(binding);
      compared += 1;
      if (compared % AT_ONCE === 0) yield;
    }
    return found;
  }
}

function fits({ isAny, fields }: Wanted, headers: FieldTable | undefined): boolean {
  const isThere = ([name, value]: readonly [string, Field]): boolean => {
    if (headers?.has(name) !== true) return false;
    // A header without a value asks only that there is one.
    return value === null || areSameFields(value, headers.get(name));
  };
  return isAny ? fields.some(isThere) : fields.every(isThere);
}
