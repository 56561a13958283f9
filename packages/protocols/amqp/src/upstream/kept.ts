import { runAtOnce } from '@backlot/core/plugin';
import {
  comparedContent,
  isSecretName,
  literalJson,
  MessageRecordings,
  REDACTED,
  redactContent,
  redactJsonSteps,
  redactNamed,
  redactText,
  type RecordedMatch,
  type RecordedPair,
} from '@backlot/kit/upstream';
import { AmqpMessage, DeliveredMessage } from '../message.js';
import type { Properties } from '../wire/properties.js';

/** How recordings of AMQP are made. */
const RECORDINGS = new MessageRecordings({
  content: 'body',
  special: /[*#{}\\]|^re:/,
  bytes: 'which no pattern matches',
});

/** A message on its way. */
export interface PassedMessage {
  readonly exchange: string;
  readonly routingKey: string;
  readonly properties: Properties;
  readonly body: Buffer;
}

/** A message without its secrets, as the journal keeps it. */
export function keptMessage(
  method: 'PUBLISH' | 'DELIVER',
  { exchange, routingKey, properties, body }: PassedMessage,
  remote: string,
): AmqpMessage {
  const { headers, ...rest } = properties;
  const kept: Properties =
    headers === undefined
      ? rest
      : {
          ...rest,
          headers: new Map(
            Array.from(headers, ([name, value]) => [
              name,
              typeof value === 'string' ? redactNamed(name, value) : isSecretName(name) ? REDACTED : value,
            ]),
          ),
        };
  const parts = [exchange, redactText(routingKey), kept, redactContent(body), [], remote] as const;
  return method === 'DELIVER' ? new DeliveredMessage(...parts) : new AmqpMessage(...parts);
}

/** Makes what a recorded mock asks of a message; a text says why it can have none. */
export function matchOf({ exchange, routingKey, body }: PassedMessage): RecordedMatch | string {
  return RECORDINGS.matchOf({ exchange, routing_key: routingKey }, body);
}

/** The mock that gives an answer; a text says why there is none. */
export function recordingOf(
  { key, name, match }: RecordedMatch,
  answer: PassedMessage,
): readonly RecordedPair[] | string {
  const content = RECORDINGS.answerOf(answer.body);
  if (typeof content === 'string') return content;
  const properties = lasting(answer, '');
  const response = {
    ...content,
    ...(Object.keys(properties).length === 0 ? {} : { properties: literalJson(properties) }),
  };
  return [{ key, name, match, answer: response }];
}

/** What of an answer is compared. */
export function comparedOf(answer: PassedMessage): {
  readonly body: unknown;
  readonly type: string | undefined;
} {
  return { body: comparedContent(answer.body), type: answer.properties.content_type };
}

/** The properties that say something of an answer, and not of its way or of its moment. */
function lasting(answer: PassedMessage, remote: string): Readonly<Record<string, unknown>> {
  const {
    correlation_id: _correlation,
    reply_to: _replyTo,
    message_id: _id,
    timestamp: _timestamp,
    user_id: _user,
    delivery_mode: _mode,
    expiration: _expiration,
    ...properties
  } = keptMessage('DELIVER', answer, remote).propertiesJson;
  return JSON.parse(runAtOnce(redactJsonSteps(JSON.stringify(properties)))) as Readonly<
    Record<string, unknown>
  >;
}
