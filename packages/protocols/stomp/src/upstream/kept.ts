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
import { StompMessage } from '../message.js';
import type { Headers } from '../wire/frame.js';

/** A longer body is not looked through, and no mock gives it. */
const MAX_KEPT = 2 * 1024 * 1024;
/** A longer body of a message is not compared. */
const MAX_COMPARED = 64 * 1024;

/** What says something of the way of a message or of its moment, and is of the server where it stands. */
const OF_THE_WAY: ReadonlySet<string> = new Set([
  ...['destination', 'content-type', 'content-length', 'message-id', 'subscription', 'ack', 'redelivered'],
  ...['receipt', 'transaction', 'reply-to', 'timestamp', 'expires', 'expiration', 'persistent', 'user-id'],
]);

/** A message on its way, in either direction. */
export interface PassedMessage {
  readonly destination: string;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** How the upstream has answered a message: with another one, or with an ERROR frame. */
export type Answered = { readonly message: PassedMessage } | { readonly error: string };

/** A message without its secrets, as the journal keeps it. */
export function keptMessage(
  method: StompMessage['method'],
  { destination, headers, body }: PassedMessage,
  remote: string,
): StompMessage {
  return new StompMessage(method, redactText(destination), keptHeaders(headers), redactBody(body), remote);
}

/** What a recorded mock asks of a message. */
export interface RequestMatch {
  readonly key: string;
  readonly name: string;
  readonly match: Readonly<Record<string, unknown>>;
  readonly patterns: readonly string[];
}

/** Makes what a recorded mock asks of a message; a text says why it can have none. */
export function matchOf({ destination, body }: PassedMessage): RequestMatch | string {
  if (!isUtf8(body)) return 'its body is not UTF-8, and what is compared then is base64';
  const patterns: string[] = [];
  const note: PatternNote = (place, rule) => void patterns.push(`${place}: ${rule}`);
  const isLong = body.length > MAX_COMPARED;
  if (isLong) note('body', 'it is longer than 64 KiB and not compared');
  const match = {
    destination: /[*{}\\]|^re:/.test(destination) ? { equals: destination } : destination,
    body: isLong ? { present: true } : patternOf('body', '', body.toString('utf8'), note),
  };
  return { key: JSON.stringify(match), name: redactText(destination), match, patterns };
}

/** The mock that gives an answer; a text says why there is none. */
export function recordingOf(
  { key, name, match }: RequestMatch,
  asked: PassedMessage,
  answer: Answered,
): readonly RecordedPair[] | string {
  if ('error' in answer)
    return [{ key, name, match, answer: { fault: { message: redactText(answer.error) } } }];
  const { headers, body } = answer.message;
  if (body.length > MAX_KEPT) return 'it is longer than 2 MiB';
  const kept = redactBody(body);
  const { 'content-type': contentType } = headers;
  const lasting: Record<string, string> = {};
  for (const [header, value] of Object.entries(keptHeaders(headers)))
    if (!OF_THE_WAY.has(header))
      lasting[header] =
        header === 'correlation-id' && value === asked.headers[header]
          ? '{{request.headers.correlation-id}}'
          : literal(value);
  const response = {
    ...(isUtf8(kept) ? { body: literal(kept.toString('utf8')) } : { body_base64: kept.toString('base64') }),
    ...(contentType === undefined ? {} : { content_type: literal(contentType) }),
    ...(Object.keys(lasting).length === 0 ? {} : { headers: lasting }),
  };
  return [{ key, name, match, answer: { response } }];
}

/** What of an answer is compared. */
export function comparedOf(answer: Answered): { readonly body: unknown; readonly type: string | undefined } {
  if ('error' in answer) return { body: `an ERROR frame: ${answer.error}`, type: undefined };
  const { headers, body } = answer.message;
  const kept = redactBody(body);
  return {
    body: isUtf8(kept) ? plain(kept.toString('utf8')) : `base64 ${kept.toString('base64')}`,
    type: headers['content-type'],
  };
}

/** What the journal shows of an answer. */
export function replyOf(answer: Answered): {
  readonly status?: string;
  readonly headers?: Headers;
  readonly body: string | Buffer;
} {
  if ('error' in answer) return { status: 'ERROR', body: redactText(answer.error) };
  const { destination, headers, body } = answer.message;
  return { headers: { destination, ...keptHeaders(headers) }, body: redactBody(body) };
}

function keptHeaders(headers: Headers): Headers {
  const kept = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(headers))
    kept[name] = isSecretName(name) ? REDACTED : redactText(value);
  return kept;
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
