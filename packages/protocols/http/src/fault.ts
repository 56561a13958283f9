import { constants } from 'node:http2';
import { Answer, encodeBody, hasNoContent } from './answer/answer.js';
import type { Render } from './answer/compiled-reply.js';
import { isEventStream, renderEvent } from './answer/compiled-stream.js';
import type { HttpMatch, HttpOutcome } from './shape.js';
import { cleanHeaderValue, makeHeaders, type AnswerHeaders } from './wire/headers.js';
import type { HttpConnection } from './wire/http-connection.js';
import { http2StreamOf, type Incoming, type Outgoing } from './wire/outgoing.js';

type FaultOutcome = Extract<HttpOutcome, { type: 'fault' }>;

/** A reset of an HTTP/2 stream overtakes what was written just before it, so it waits a little, in ms. */
const RESET_AFTER = 20;

/** What fires when a fault says nothing of its own. */
export const DEFAULT_FAULT = { status: 503, body: '{"error":"fault injected"}' } as const;

/** The answer of a fault; one that only truncates spoils the answer that the mock would have given. */
export function faultAnswer(
  { fault, given }: Pick<FaultOutcome, 'fault' | 'given'>,
  match: HttpMatch | undefined,
): Answer {
  const status = given.status_override ?? fault.status ?? DEFAULT_FAULT.status;
  const isSpoiling = given.truncate_body !== undefined && given.body === undefined;
  if (isSpoiling && match !== undefined) {
    const answer = ownAnswer(match);
    const isOwnStatus = given.status === undefined && given.status_override === undefined;
    const merged = new Answer(isOwnStatus ? answer.status : status, answer.headers, answer.body);
    return given.headers === undefined ? merged : addHeaders(given.headers, merged);
  }
  const text = fault.body ?? DEFAULT_FAULT.body;
  const body = text === '' || hasNoContent(status) ? undefined : encodeBody(text);
  const headers = makeHeaders();
  if (body !== undefined)
    headers['Content-Type'] = isJson(text) ? 'application/json' : 'text/plain; charset=utf-8';
  if (!hasNoContent(status)) headers['Content-Length'] = body?.length ?? 0;
  const answer = new Answer(status, headers, body);
  return given.headers === undefined ? answer : addHeaders(given.headers, answer);
}

/** What the mock would have answered; of a stream all events at once. */
function ownAnswer(match: HttpMatch): Answer {
  const { replies, stream } = match.mock.compiled;
  const render: Render = (template) => match.render(template);
  const reply = replies.pick(match.call);
  if (stream === undefined) return reply.fixed ?? reply.make(render);
  const start = reply.head(render);
  const isSse = isEventStream(start);
  const events = stream.events.map((event) => renderEvent(event, isSse, render));
  const body = Buffer.from(`${start.body?.toString() ?? ''}${events.join('')}`);
  return new Answer(start.status, start.headers, body).withHeaders({ 'Content-Length': String(body.length) });
}

/** The fault's headers over those of the answer. */
function addHeaders(given: Readonly<Record<string, string | readonly string[]>>, answer: Answer): Answer {
  const headers: AnswerHeaders = makeHeaders();
  const names = new Set(Object.keys(given).map((name) => name.toLowerCase()));
  for (const [name, value] of Object.entries(answer.headers))
    if (!names.has(name.toLowerCase())) headers[name] = value;
  for (const [name, value] of Object.entries(given)) {
    headers[name] = typeof value === 'string' ? cleanHeaderValue(value) : value.map(cleanHeaderValue);
  }
  return new Answer(answer.status, headers, answer.body);
}

/** Resets the connection; over HTTP/2 the stream of this request alone, since others share the connection. */
export function abortAnswer(request: Incoming, connection: HttpConnection): void {
  const stream = http2StreamOf(request);
  if (stream === undefined) connection.kit.reset();
  else stream.close(constants.NGHTTP2_INTERNAL_ERROR);
}

/** Announces the whole body, sends its first bytes and drops the connection. */
export function truncateAnswer(
  request: Incoming,
  response: Outgoing,
  answer: Answer,
  bytes: number,
  connection: HttpConnection,
): void {
  const isHttp2 = request.httpVersionMajor === 2;
  response.writeHead(answer.status, isHttp2 ? answer.head.http2 : answer.head.flat);
  const whole = answer.body === undefined ? Buffer.alloc(0) : Buffer.from(answer.body);
  const part = whole.subarray(0, bytes);
  const drop = (): void => {
    if (isHttp2) abortAnswer(request, connection);
    else response.destroy();
  };
  if (part.length === 0) response.flushHeaders();
  else if (!isHttp2) {
    response.write(part, 'latin1', drop);
    return;
  } else response.write(part);
  connection.kit.after(isHttp2 ? RESET_AFTER : 0, drop);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
