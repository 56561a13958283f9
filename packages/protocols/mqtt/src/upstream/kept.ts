import {
  comparedContent,
  literal,
  MessageRecordings,
  redactContent,
  redactNamed,
  redactText,
  type RecordedMatch,
  type RecordedPair,
} from '@backlot/kit/upstream';
import { MqttMessage } from '../message.js';
import { Properties, PROPERTY } from '../wire/properties.js';
import type { PublishFrame } from './publish-frame.js';

/** How recordings of MQTT are made. */
const RECORDINGS = new MessageRecordings({
  content: 'payload',
  special: /[*{}\\]|^re:/,
  bytes: 'which no pattern matches',
});

const TEXTS = [PROPERTY.CONTENT_TYPE, PROPERTY.RESPONSE_TOPIC] as const;

/** A message without its secrets, as the journal keeps it. */
export function keptMessage(
  method: 'PUBLISH' | 'DELIVER',
  frame: PublishFrame,
  from: { readonly remote: string; readonly clientId: string },
): MqttMessage {
  const { topic, qos, retain } = frame;
  return new MqttMessage(method, topic, from, {
    payload: redactContent(frame.payload),
    properties: redactProperties(frame.properties),
    qos,
    retain,
  });
}

/** Makes what a recorded mock asks of a message; a text says why it can have none. */
export function matchOf({ topic, payload }: PublishFrame): RecordedMatch | string {
  return RECORDINGS.matchOf({ topic }, payload);
}

/** The mock that gives an answer; a text says why there is none. */
export function recordingOf(
  { key, name, match }: RecordedMatch,
  asked: PublishFrame,
  answer: PublishFrame,
): readonly RecordedPair[] | string {
  const content = RECORDINGS.answerOf(answer.payload);
  if (typeof content === 'string') return content;
  const { properties } = answer;
  const { user } = redactProperties(properties);
  const contentType = properties.text(PROPERTY.CONTENT_TYPE);
  const [wanted, given] = [asked, answer].map((frame) => frame.properties.binary(PROPERTY.CORRELATION_DATA));
  const response = {
    ...content,
    ...(answer.qos === 0 ? {} : { qos: answer.qos }),
    ...(contentType === undefined ? {} : { content_type: literal(contentType) }),
    ...(user.length === 0 ? {} : { user_properties: collect(user) }),
    // The one of the message comes back by itself.
    ...(wanted !== undefined && given === undefined ? { correlation_data: '' } : {}),
  };
  return [{ key, name, match, answer: response }];
}

/** What of an answer is compared. */
export function comparedOf({ payload, properties }: Pick<PublishFrame, 'payload' | 'properties'>): {
  readonly payload: unknown;
  readonly contentType: string | undefined;
  readonly userProperties: unknown;
} {
  return {
    payload: comparedContent(payload),
    contentType: properties.text(PROPERTY.CONTENT_TYPE),
    userProperties: collect(redactProperties(properties).user),
  };
}

function redactProperties(properties: Properties): Properties {
  const kept = new Properties();
  for (const [name, value] of properties.user) kept.user.push([name, redactNamed(name, value)]);
  for (const id of TEXTS) {
    const text = properties.text(id);
    if (text !== undefined) kept.set(id, redactText(text));
  }
  const correlation = properties.binary(PROPERTY.CORRELATION_DATA);
  if (correlation !== undefined) kept.set(PROPERTY.CORRELATION_DATA, Buffer.from(correlation));
  return kept;
}

function collect(user: Properties['user']): Readonly<Record<string, string | readonly string[]>> {
  const values = new Map<string, string[]>();
  for (const [name, value] of user) values.set(name, [...(values.get(name) ?? []), literal(value)]);
  return Object.fromEntries(
    Array.from(values, ([name, all]) => [name, all.length === 1 ? (all[0] ?? '') : all]),
  );
}
