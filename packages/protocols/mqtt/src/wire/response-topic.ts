import { PROPERTY, type Properties } from './properties.js';
import { ProtocolError, REASON } from './protocol-error.js';
import { topicProblem } from './topic.js';

/** @throws ProtocolError when there is a response topic that nobody can publish to (MQTT 5, section 3.3.2.3.5) */
export function checkResponseTopic(properties: Properties): void {
  const topic = properties.text(PROPERTY.RESPONSE_TOPIC);
  const problem = topic === undefined ? undefined : topicProblem(topic);
  if (problem !== undefined) throw new ProtocolError(REASON.PROTOCOL_ERROR, `the response topic: ${problem}`);
}
