import { invalid, readGivenBytes, type Json } from '@backlot/core/plugin';
import type { Broker } from '../broker/broker.js';
import type { Qos } from '../wire/packet-type.js';
import { encodeBytesProperty, encodeTextProperty, encodeUserProperty } from '../wire/encode-properties.js';
import { PROPERTY } from '../wire/properties.js';
import { topicProblem } from '../wire/topic.js';

const NO_BYTES = Buffer.alloc(0);

/** Publishes a message in a topic; resolves when it was handed on. */
export async function publish(broker: Broker, given: Json): Promise<Json> {
  const { topic, qos = 0, retain = false } = given as { topic: string; qos?: Qos; retain?: boolean };
  const problem = topicProblem(topic);
  if (problem !== undefined) throw invalid(`topic ${problem}`, [{ path: '/topic', message: problem }]);
  const payload = readGivenBytes(given, 'payload');
  const properties = propertiesOf(given);
  await new Promise<void>((resolve) => {
    broker.publish({ topic, payload, properties, qos, retain }, undefined, resolve);
  });
  return { status: 'published' };
}

const TEXTS = [
  [PROPERTY.CONTENT_TYPE, 'content_type', encodeTextProperty],
  [PROPERTY.RESPONSE_TOPIC, 'response_topic', encodeTextProperty],
  // It is binary data, which a text is given for.
  [PROPERTY.CORRELATION_DATA, 'correlation_data', encodeBytesProperty],
] as const;

/** The properties of MQTT 5 that a message has, as bytes. @throws BacklotError `invalid` for one that is too long, holds U+0000 or is no topic */
function propertiesOf(given: Json): Buffer {
  const { response_topic: answers, user_properties: user = {} } = given as {
    readonly response_topic?: string;
    readonly user_properties?: Readonly<Record<string, string | readonly string[]>>;
  };
  const problem = answers === undefined ? undefined : topicProblem(answers);
  if (problem !== undefined)
    throw invalid(`response_topic ${problem}`, [{ path: '/response_topic', message: problem }]);
  const parts: Buffer[] = [];
  const add = (field: string, make: () => Buffer): void => {
    try {
      parts.push(make());
    } catch (thrown) {
      if (!(thrown instanceof RangeError)) throw thrown;
      throw invalid(`${field}: ${thrown.message}`, [{ path: `/${field}`, message: thrown.message }]);
    }
  };
  for (const [id, field, encode] of TEXTS) {
    const text = given[field];
    if (typeof text === 'string') add(field, () => encode(id, text));
  }
  for (const [name, values] of Object.entries(user))
    for (const value of [values].flat()) add('user_properties', () => encodeUserProperty(name, value));
  return parts.length === 0 ? NO_BYTES : Buffer.concat(parts);
}
