import { BacklotError, invalid, readGivenBytes, runInSlices, type Json } from '@backlot/core/plugin';
import type { Broker } from '../broker/broker.js';
import { BrokerMessage } from '../broker/broker-message.js';
import { tableFromJson } from '../wire/field-json.js';
import type { Properties } from '../wire/properties.js';
import { MAX_SHORT_STRING } from '../wire/short-string.js';

/** Publishes a message; where many queues take it, in slices. */
export async function publish(broker: Broker, given: Json): Promise<Json> {
  const {
    exchange: name = '',
    routing_key: key = '',
    properties = {},
  } = given as {
    exchange?: string;
    routing_key?: string;
    properties?: Json;
  };
  const exchange = broker.registry.exchanges.get(name);
  if (exchange === undefined) throw new BacklotError('not_found', `no exchange "${name}"`);
  const message = new BrokerMessage(name, key, readProperties(properties), readGivenBytes(given, 'body'));
  if (broker.memory.wouldOverflow(message.size)) {
    throw new BacklotError('too_large', `the queues have no room for ${message.size} bytes more`);
  }
  const targets =
    broker.route(exchange, message) ?? (await runInSlices(broker.routeInSteps(exchange, message)));
  const taken: string[] = [];
  const pushing = (function* () {
    for (const target of targets) {
      if (target.push(message)) taken.push(target.name);
      yield;
    }
  })();
  await runInSlices(pushing);
  return { queues: taken };
}

function readProperties({ headers, ...texts }: Json): Properties {
  for (const [name, value] of Object.entries(texts)) {
    if (typeof value !== 'string' || Buffer.byteLength(value) <= MAX_SHORT_STRING) continue;
    const message = `must have at most ${MAX_SHORT_STRING} bytes, got ${Buffer.byteLength(value)}`;
    throw invalid(`${name} ${message}`, [{ path: `/properties/${name}`, message }]);
  }
  return {
    ...texts,
    ...(typeof headers === 'object' && headers !== null && { headers: tableFromJson(headers) }),
  };
}
