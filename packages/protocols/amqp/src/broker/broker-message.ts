import type { Field } from '../wire/field-table.js';
import { writeContentHeader, type Properties } from '../wire/properties.js';

/** A message as the broker keeps it; never changes. */
export class BrokerMessage {
  readonly exchange: string;
  readonly routingKey: string;
  readonly properties: Properties;
  readonly body: Buffer;
  #header: Buffer | undefined;

  /** @param header - the payload of its header frame, where it came over the wire and is passed on as it is */
  constructor(exchange: string, routingKey: string, properties: Properties, body: Buffer, header?: Buffer) {
    this.exchange = exchange;
    this.routingKey = routingKey;
    this.properties = properties;
    this.body = body;
    this.#header = header;
  }

  /** The payload of its header frame. */
  get header(): Buffer {
    return (this.#header ??= writeContentHeader(this.properties, this.body.length));
  }

  /** The same message with one header more. */
  withHeader(name: string, value: Field): BrokerMessage {
    const headers = new Map(this.properties.headers).set(name, value);
    return new BrokerMessage(this.exchange, this.routingKey, { ...this.properties, headers }, this.body);
  }

  /** Bytes it holds in memory, roughly, without what it costs to be in a queue. */
  get size(): number {
    return this.header.length + this.body.length + this.routingKey.length;
  }
}
