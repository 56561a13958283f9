import { isUtf8 } from 'node:buffer';
import { runAtOnce } from '@backlot/core/plugin';
import {
  isSecretName,
  literal,
  literalJson,
  patternOf,
  REDACTED,
  redactJsonSteps,
  redactStringSteps,
  redactText,
  type PatternNote,
  type RecordedPair,
} from '@backlot/kit/upstream';
import { AmqpMessage, DeliveredMessage } from '../message.js';
import type { Properties } from '../wire/properties.js';

/** A longer body is not looked through, and no mock compares or gives it. */
const MAX_KEPT = 2 * 1024 * 1024;
/** A longer body of a request is not compared. */
const MAX_COMPARED = 64 * 1024;

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
              isSecretName(name) ? REDACTED : typeof value === 'string' ? redactText(value) : value,
            ]),
          ),
        };
  const parts = [exchange, redactText(routingKey), kept, redactBody(body), [], remote] as const;
  return method === 'DELIVER' ? new DeliveredMessage(...parts) : new AmqpMessage(...parts);
}

/** What a recorded mock asks of a message. */
export interface RequestMatch {
  readonly key: string;
  readonly name: string;
  readonly match: Readonly<Record<string, unknown>>;
  readonly patterns: readonly string[];
}

/** Makes what a recorded mock asks of a message; a text says why it can have none. */
export function matchOf({ exchange, routingKey, body }: PassedMessage): RequestMatch | string {
  if (!isUtf8(body)) return 'its body is not UTF-8, which no pattern matches';
  const patterns: string[] = [];
  const note: PatternNote = (place, rule) => void patterns.push(`${place}: ${rule}`);
  const isLong = body.length > MAX_COMPARED;
  if (isLong) note('body', 'it is longer than 64 KiB and not compared');
  const match = {
    exchange: exactly(exchange),
    routing_key: exactly(routingKey),
    body: isLong ? { present: true } : patternOf('body', '', body.toString('utf8'), note),
  };
  return {
    key: JSON.stringify(match),
    name: redactText(`${exchange} ${routingKey}`.trim()),
    match,
    patterns,
  };
}

function exactly(text: string): unknown {
  return text === '' || /[*#{}\\]|^re:/.test(text) ? { equals: text } : text;
}

/** The mock that gives an answer; a text says why there is none. */
export function recordingOf(
  { key, name, match }: RequestMatch,
  answer: PassedMessage,
): readonly RecordedPair[] | string {
  if (answer.body.length > MAX_KEPT) return 'it is longer than 2 MiB';
  const body = redactBody(answer.body);
  const properties = lasting(answer, '');
  const response = {
    ...(isUtf8(body) ? { body: literal(body.toString('utf8')) } : { body_base64: body.toString('base64') }),
    ...(Object.keys(properties).length === 0 ? {} : { properties: literalJson(properties) }),
  };
  return [{ key, name, match, answer: response }];
}

/** What of an answer is compared. */
export function comparedOf(answer: PassedMessage): {
  readonly body: unknown;
  readonly type: string | undefined;
} {
  const body = redactBody(answer.body);
  return {
    body: isUtf8(body) ? plain(body.toString('utf8')) : `base64 ${body.toString('base64')}`,
    type: answer.properties.content_type,
  };
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

function plain(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function redactBody(body: Buffer): Buffer {
  if (body.length > MAX_KEPT || !isUtf8(body)) return Buffer.from(body);
  return Buffer.from(runAtOnce(redactStringSteps(body.toString('utf8'))));
}
