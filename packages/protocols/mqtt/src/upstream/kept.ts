import { isUtf8 } from 'node:buffer';
import { runAtOnce } from '@backlot/core/plugin';
import {
  isSecretName,
  literal,
  patternOf,
  REDACTED,
  redactStringSteps,
  redactText,
  type PatternNote,
  type RecordedPair,
} from '@backlot/kit/upstream';
import { MqttMessage } from '../message.js';
import { Properties, PROPERTY } from '../wire/properties.js';
import type { PublishFrame } from './publish-frame.js';

/** A longer payload is not looked through, and no mock compares or gives it. */
const MAX_KEPT = 2 * 1024 * 1024;
/** A longer payload of a request is not compared. */
const MAX_COMPARED = 64 * 1024;
const TEXTS = [PROPERTY.CONTENT_TYPE, PROPERTY.RESPONSE_TOPIC] as const;

/** A message without its secrets, as the journal keeps it. */
export function keptMessage(
  method: 'PUBLISH' | 'DELIVER',
  frame: PublishFrame,
  from: { readonly remote: string; readonly clientId: string },
): MqttMessage {
  const { topic, qos, retain } = frame;
  return new MqttMessage(method, topic, from, {
    payload: redactPayload(frame.payload),
    properties: redactProperties(frame.properties),
    qos,
    retain,
  });
}

/** What a recorded mock asks of a message. */
export interface RequestMatch {
  readonly key: string;
  readonly name: string;
  readonly match: Readonly<Record<string, unknown>>;
  readonly patterns: readonly string[];
}

/** Makes what a recorded mock asks of a message; a text says why it can have none. */
export function matchOf({ topic, payload }: PublishFrame): RequestMatch | string {
  if (!isUtf8(payload)) return 'its payload is not UTF-8, which no pattern matches';
  const patterns: string[] = [];
  const note: PatternNote = (place, rule) => void patterns.push(`${place}: ${rule}`);
  const isLong = payload.length > MAX_COMPARED;
  if (isLong) note('payload', 'it is longer than 64 KiB and not compared');
  const match = {
    topic: /[*{}\\]|^re:/.test(topic) ? { equals: topic } : topic,
    payload: isLong ? { present: true } : patternOf('payload', '', payload.toString('utf8'), note),
  };
  return { key: JSON.stringify(match), name: redactText(topic), match, patterns };
}

/** The mock that gives an answer; a text says why there is none. */
export function recordingOf(
  { key, name, match }: RequestMatch,
  asked: PublishFrame,
  answer: PublishFrame,
): readonly RecordedPair[] | string {
  if (answer.payload.length > MAX_KEPT) return 'it is longer than 2 MiB';
  const payload = redactPayload(answer.payload);
  const { properties } = answer;
  const { user } = redactProperties(properties);
  const contentType = properties.text(PROPERTY.CONTENT_TYPE);
  const [wanted, given] = [asked, answer].map((frame) => frame.properties.binary(PROPERTY.CORRELATION_DATA));
  const response = {
    ...(isUtf8(payload)
      ? { payload: literal(payload.toString('utf8')) }
      : { payload_base64: payload.toString('base64') }),
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
  const kept = redactPayload(payload);
  return {
    payload: isUtf8(kept) ? plain(kept.toString('utf8')) : `base64 ${kept.toString('base64')}`,
    contentType: properties.text(PROPERTY.CONTENT_TYPE),
    userProperties: collect(redactProperties(properties).user),
  };
}

function plain(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function redactPayload(payload: Buffer): Buffer {
  if (payload.length > MAX_KEPT || !isUtf8(payload)) return Buffer.from(payload);
  return Buffer.from(runAtOnce(redactStringSteps(payload.toString('utf8'))));
}

function redactProperties(properties: Properties): Properties {
  const kept = new Properties();
  for (const [name, value] of properties.user)
    kept.user.push([name, isSecretName(name) ? REDACTED : redactText(value)]);
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
