import { renderContent } from '@backlot/core/plugin';
import { makeProperties, type AnswerProperties } from '../answer-properties.js';
import type { Broker, Publication } from '../broker/broker.js';
import { isAllowed } from '../contract/gate.js';
import type { CompiledResponse } from '../matcher.js';
import type { MqttMessage } from '../message.js';
import { REASON } from '../wire/protocol-error.js';
import { topicProblem } from '../wire/topic.js';
import type { MqttContext, MqttExchange, MqttMatch } from './peer.js';

/** An answer before it is published. */
export type Answer = Omit<Publication, 'properties'> & { readonly properties: AnswerProperties };

/**
 * Publishes the answer of a mock, once the answer's own delay has passed, and ends the exchange.
 *
 * @returns a promise only when there is a delay
 */
export function publishAnswer(
  context: MqttContext,
  broker: Broker,
  exchange: MqttExchange,
  match: MqttMatch,
): Promise<void> | undefined {
  let response: CompiledResponse | undefined;
  try {
    ({ response } = match.mock.compiled);
  } catch (thrown) {
    context.log.error(`the answer of mock "${match.mock.id}" could not be made`, thrown);
    exchange.done({ status: REASON.UNSPECIFIED });
    return undefined;
  }
  if (response === undefined) {
    exchange.done({ status: REASON.SUCCESS });
    return undefined;
  }
  const delay = match.delayOf(response.delay);
  if (delay === 0) {
    publishNow(context, broker, exchange, match, response);
    return undefined;
  }
  return exchange.wait(delay).then((hasArrived) => {
    if (hasArrived) publishNow(context, broker, exchange, match, response);
  });
}

function publishNow(
  context: MqttContext,
  broker: Broker,
  exchange: MqttExchange,
  match: MqttMatch,
  response: CompiledResponse,
): void {
  let answer: Answer;
  try {
    answer = makeAnswer(exchange, match, response);
  } catch (error) {
    context.log.error(`the answer of mock "${match.mock.id}" could not be rendered`, error);
    exchange.done({ status: REASON.UNSPECIFIED });
    return;
  }
  const { topic, payload, properties } = answer;
  const problem = topicProblem(topic);
  if (problem !== undefined) {
    context.log.warn(
      `mock "${match.mock.id}" answers on topic ${JSON.stringify(topic.slice(0, 200))}: ${problem}`,
    );
    exchange.done({ status: REASON.TOPIC_INVALID });
    return;
  }
  if (!isAllowed(context, exchange, match.mock.id, answer)) {
    exchange.done({ status: REASON.UNSPECIFIED });
    return;
  }
  // An own message goes to the broker directly, past the mocks: it never triggers one.
  broker.publish({ ...answer, properties: properties.bytes }, undefined, () => undefined);
  exchange.done({
    status: REASON.SUCCESS,
    headers: { topic, ...properties.shown },
    body: payload,
  });
}

/**
 * Makes the answer of a mock.
 *
 * @throws Error when it cannot be rendered
 */
export function makeAnswer(
  exchange: MqttExchange,
  match: MqttMatch,
  { topic, payload, constant, qos, retain, expiry, properties }: CompiledResponse,
): Answer {
  const message: MqttMessage = exchange.message;
  return {
    topic: topic === undefined ? (message.responseTopic ?? `${message.path}/response`) : match.render(topic),
    payload: constant ?? renderContent(payload, (template) => match.render(template), message.payload),
    properties: makeProperties(properties, message, (template) => match.render(template)),
    expiry,
    qos,
    // What a reset has overtaken still reaches its client, and leaves nothing behind.
    retain: retain && exchange.isCurrent,
  };
}
