import {
  comparedContent,
  literal,
  MessageRecordings,
  redactContent,
  redactNamed,
  type RecordedMatch,
  type RecordedPair,
} from '@backlot/kit/upstream';
import { DeliveredMessage, type NatsMessage } from '../message.js';
import { PublishedBytes, type Published } from '../published.js';
import { encodeHeaders, parseHeaders, type HeaderMap } from '../wire/headers.js';
import { fromWire } from '../wire/subject.js';

/** How recordings of NATS are made. */
const RECORDINGS = new MessageRecordings({
  content: 'payload',
  special: /[*>{}]|^re:/,
  bytes: 'which no pattern matches',
});

/** A message without its secrets. */
export function withoutSecrets(published: Published): Published {
  const { subject, reply, headerBytes, payload } = published;
  return new PublishedBytes(
    subject,
    reply,
    headerBytes && encodeHeaders(listed(redactHeaders(parseHeaders(headerBytes)))),
    redactContent(payload),
  );
}

/** The message of a delivery, as the journal keeps it. */
export function deliveredMessage(published: Published, remote: string): NatsMessage {
  return new DeliveredMessage(withoutSecrets(published), remote);
}

/** Makes what a recorded mock asks of a request; a text says why it can have none. */
export function matchOf({ subject: wire, payload }: Published): RecordedMatch | string {
  const subject = fromWire(wire);
  // Of JetStream, whose state no mock has.
  if (subject.startsWith('$JS.')) return 'it is a request of JetStream, whose answers belong to its state';
  return RECORDINGS.matchOf({ subject }, payload);
}

/** The mock that gives an answer; a text says why there is none. */
export function recordingOf(request: RecordedMatch, answer: Published): readonly RecordedPair[] | string {
  const content = RECORDINGS.answerOf(answer.payload);
  if (typeof content === 'string') return content;
  const { headerBytes } = answer;
  const headers = headerBytes === undefined ? undefined : parseHeaders(headerBytes);
  if (headers?.['Status'] !== undefined) return `it has the status ${String(headers['Status'])} of a server`;
  const { key, name, match } = request;
  const response = {
    ...content,
    ...(headers === undefined ? {} : { headers: literalHeaders(redactHeaders(headers)) }),
  };
  return [{ key, name, match, answer: response }];
}

/** What of an answer is compared. */
export function comparedOf(answer: Published): { readonly payload: unknown; readonly headers: HeaderMap } {
  const { headerBytes } = answer;
  return {
    payload: comparedContent(answer.payload),
    headers: headerBytes === undefined ? {} : redactHeaders(parseHeaders(headerBytes)),
  };
}

function redactHeaders(headers: HeaderMap): HeaderMap {
  return Object.fromEntries(
    Object.entries(headers).map(([name, values]) => {
      const redact = (value: string): string => redactNamed(name, value);
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
