import { invalid, readGivenBytes, type Json } from '@backlot/core/plugin';
import type { Broker } from '../broker/broker.js';
import type { Qos } from '../wire/packet-type.js';
import { topicProblem } from '../wire/topic.js';

const NO_BYTES = Buffer.alloc(0);

/** Publishes a message in a topic; resolves when it was handed on. */
export async function publish(broker: Broker, given: Json): Promise<Json> {
  const { topic, qos = 0, retain = false } = given as { topic: string; qos?: Qos; retain?: boolean };
  const problem = topicProblem(topic);
  if (problem !== undefined) throw invalid(`topic ${problem}`, [{ path: '/topic', message: problem }]);
  const payload = readGivenBytes(given, 'payload');
  await new Promise<void>((resolve) => {
    broker.publish({ topic, payload, properties: NO_BYTES, qos, retain }, undefined, resolve);
  });
  return { status: 'published' };
}
