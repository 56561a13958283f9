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
import { DeliveredMessage, type NatsMessage } from '../message.js';
import { PublishedBytes, type Published } from '../published.js';
import { encodeHeaders, parseHeaders, type HeaderMap } from '../wire/headers.js';
import { fromWire } from '../wire/subject.js';

/** A longer payload is not looked through, and no mock compares or gives it. */
const MAX_KEPT = 2 * 1024 * 1024;
/** A longer payload of a request is not compared. */
const MAX_COMPARED = 64 * 1024;

/** A message without its secrets. */
export function withoutSecrets(published: Published): Published {
  const { subject, reply, headerBytes, payload } = published;
  const text = payload.length > MAX_KEPT ? undefined : published.readText();
  const redacted = text === undefined ? undefined : runAtOnce(redactStringSteps(text));
  return new PublishedBytes(
    subject,
    reply,
    headerBytes && encodeHeaders(listed(redactHeaders(parseHeaders(headerBytes)))),
    redacted === undefined || redacted === text ? payload : Buffer.from(redacted),
  );
}

/** The message of a delivery, as the journal keeps it. */
export function deliveredMessage(published: Published, remote: string): NatsMessage {
  return new DeliveredMessage(withoutSecrets(published), remote);
}

/** What a recorded mock asks of a request. */
export interface RequestMatch {
  readonly key: string;
  readonly name: string;
  readonly match: Readonly<Record<string, unknown>>;
  readonly patterns: readonly string[];
}

/** Makes what a recorded mock asks of a request; a text says why it can have none. */
export function matchOf(published: Published): RequestMatch | string {
  const text = published.readText();
  if (text === undefined) return 'its payload is not UTF-8, which no pattern matches';
  const subject = fromWire(published.subject);
  // Of JetStream, whose state no mock has.
  if (subject.startsWith('$JS.')) return 'it is a request of JetStream, whose answers belong to its state';
  const patterns: string[] = [];
  const note: PatternNote = (place, rule) => void patterns.push(`${place}: ${rule}`);
  const isLong = text.length > MAX_COMPARED;
  if (isLong) note('payload', 'it is longer than 64 KiB and not compared');
  const match = {
    subject: /[*>{}]|^re:/.test(subject) ? { equals: subject } : subject,
    payload: isLong ? { present: true } : patternOf('payload', '', text, note),
  };
  return { key: JSON.stringify(match), name: redactText(subject), match, patterns };
}

/** The mock that gives an answer; a text says why there is none. */
export function recordingOf(request: RequestMatch, answer: Published): readonly RecordedPair[] | string {
  if (answer.payload.length > MAX_KEPT) return 'it is longer than 2 MiB';
  const { headerBytes } = answer;
  const headers = headerBytes === undefined ? undefined : parseHeaders(headerBytes);
  if (headers?.['Status'] !== undefined) return `it has the status ${String(headers['Status'])} of a server`;
  const kept = withoutSecrets(answer);
  const text = kept.readText();
  const { key, name, match } = request;
  const response = {
    ...(text === undefined
      ? { payload_base64: answer.payload.toString('base64') }
      : { payload: literal(text) }),
    ...(headers === undefined ? {} : { headers: literalHeaders(redactHeaders(headers)) }),
  };
  return [{ key, name, match, answer: response }];
}

/** What of an answer is compared. */
export function comparedOf(answer: Published): { readonly payload: unknown; readonly headers: HeaderMap } {
  const { headerBytes } = answer;
  const kept = withoutSecrets(answer);
  return {
    payload: plain(kept.readText() ?? `base64 ${answer.payload.toString('base64')}`),
    headers: headerBytes === undefined ? {} : redactHeaders(parseHeaders(headerBytes)),
  };
}

function plain(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function redactHeaders(headers: HeaderMap): HeaderMap {
  return Object.fromEntries(
    Object.entries(headers).map(([name, values]) => {
      const redact = (value: string): string => (isSecretName(name) ? REDACTED : redactText(value));
      return [name, typeof values === 'string' ? redact(values) : values.map(redact)];
    }),
  );
}

function literalHeaders(headers: HeaderMap): HeaderMap {
  return Object.fromEntries(
    Object.entries(headers).map(([name, values]) => [
      name,
      typeof values === 'string' ? literal(values) : values.map(literal),
    ]),
  );
}

function listed(headers: HeaderMap): (readonly [string, string])[] {
  return Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, value] as const),
  );
}
