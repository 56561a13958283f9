import type { FieldTable } from '../wire/field-table.js';

/** What a table looks at of a binding. */
export interface Bound {
  /** Absent: every routing key. */
  readonly routingKey: string | undefined;
  readonly arguments: FieldTable;
}

/** The bindings of one exchange, and which of them a message follows. */
export interface BindingTable<B extends Bound> {
  add(binding: B): void;
  remove(binding: B): void;
  match(routingKey: string, headers: FieldTable | undefined): Iterable<B>;
  /** Whether {@link match} may take long, or find so many that following them does. */
  isCostly(routingKey: string): boolean;
  /** {@link match} in steps between which others may be let in; bindings that come or go meanwhile may be found or not. */
  matchInSteps(routingKey: string, headers: FieldTable | undefined): Iterator<undefined, Iterable<B>>;
}
