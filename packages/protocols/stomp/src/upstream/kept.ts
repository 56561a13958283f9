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
import { StompMessage } from '../message.js';
import type { Headers } from '../wire/frame.js';

/** How recordings of STOMP are made. */
const RECORDINGS = new MessageRecordings({
  content: 'body',
  special: /[*{}\\]|^re:/,
  bytes: 'and what is compared then is base64',
});

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
  return new StompMessage(method, redactText(destination), keptHeaders(headers), redactContent(body), remote);
}

/** Makes what a recorded mock asks of a message; a text says why it can have none. */
export function matchOf({ destination, body }: PassedMessage): RecordedMatch | string {
  return RECORDINGS.matchOf({ destination }, body);
}

/** The mock that gives an answer; a text says why there is none. */
export function recordingOf(
  { key, name, match }: RecordedMatch,
  asked: PassedMessage,
  answer: Answered,
): readonly RecordedPair[] | string {
  if ('error' in answer)
    return [{ key, name, match, answer: { fault: { message: redactText(answer.error) } } }];
  const { headers, body } = answer.message;
  const content = RECORDINGS.answerOf(body);
  if (typeof content === 'string') return content;
  const { 'content-type': contentType } = headers;
  const lasting: Record<string, string> = {};
  for (const [header, value] of Object.entries(keptHeaders(headers)))
    if (!OF_THE_WAY.has(header))
      lasting[header] =
        header === 'correlation-id' && value === asked.headers[header]
          ? '{{request.headers.correlation-id}}'
          : literal(value);
  const response = {
    ...content,
    ...(contentType === undefined ? {} : { content_type: literal(contentType) }),
    ...(Object.keys(lasting).length === 0 ? {} : { headers: lasting }),
  };
  return [{ key, name, match, answer: { response } }];
}

/** What of an answer is compared. */
export function comparedOf(answer: Answered): { readonly body: unknown; readonly type: string | undefined } {
  if ('error' in answer) return { body: `an ERROR frame: ${answer.error}`, type: undefined };
  const { headers, body } = answer.message;
  return { body: comparedContent(body), type: headers['content-type'] };
}

/** What the journal shows of an answer. */
export function replyOf(answer: Answered): {
  readonly status?: string;
  readonly headers?: Headers;
  readonly body: string | Buffer;
} {
  if ('error' in answer) return { status: 'ERROR', body: redactText(answer.error) };
  const { destination, headers, body } = answer.message;
  return { headers: { destination, ...keptHeaders(headers) }, body: redactContent(body) };
}

function keptHeaders(headers: Headers): Headers {
  const kept = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(headers)) kept[name] = redactNamed(name, value);
  return kept;
}
