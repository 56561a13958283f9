import type { FieldTable } from '../wire/field-table.js';
import type { Exchange } from './exchange.js';
import type { Owned, Owner } from './owner.js';
import type { BrokerQueue } from './queue-types.js';

/** What an exchange may send messages on to. */
export type Destination = BrokerQueue | Exchange;

/** A binding of a queue or an exchange to an exchange. */
export class Binding implements Owned {
  readonly owners = new Set<Owner>();
  readonly source: Exchange;
  readonly destination: Destination;
  /** Absent in the configuration alone: every routing key. */
  readonly routingKey: string | undefined;
  readonly arguments: FieldTable;

  constructor(source: Exchange, destination: Destination, routingKey: string | undefined, table: FieldTable) {
    this.source = source;
    this.destination = destination;
    this.routingKey = routingKey;
    this.arguments = table;
  }
}
