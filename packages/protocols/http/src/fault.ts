import { constants } from 'node:http2';
import type { Random } from '@backlot/core/plugin';
import {
  faultAnswer as makeFaultAnswer,
  garbageBytes,
  HttpAnswer,
  loseHttp1Answer,
  truncateHttp1Answer,
  type HttpFaultFields,
  type LostForm,
} from '@backlot/kit/http';
import type { Render } from './answer/compiled-reply.js';
import { isEventStream, renderEvent } from './answer/compiled-stream.js';
import type { FaultFields } from './schemas/fault.js';
import type { HttpMatch, HttpOutcome } from './shape.js';
import type { HttpConnection } from './wire/connection.js';
import { asServerResponse, http2StreamOf, type Incoming, type Outgoing } from './wire/outgoing.js';

type FaultOutcome = Extract<HttpOutcome, { type: 'fault' }>;

/** A reset of an HTTP/2 stream overtakes what was written just before it, so it waits a little, in ms. */
const RESET_AFTER = 20;

/** The answer of a fault; one that only truncates spoils the answer that the mock would have given. */
export function faultAnswer(
  { fault, given }: Pick<FaultOutcome, 'fault' | 'given'>,
  match: HttpMatch | undefined,
  received: Buffer | undefined,
): HttpAnswer {
  return makeFaultAnswer(
    withStatus(fault, given),
    withStatus(given, given),
    () => match && ownAnswer(match, received),
  );
}

/** `status_override` is another word for `status`, and stands above it. */
function withStatus(
  { status_override: _override, ...fields }: FaultFields,
  given: FaultFields,
): HttpFaultFields {
  return given.status_override === undefined ? fields : { ...fields, status: given.status_override };
}

/** What the mock would have answered; of a stream all events at once. */
function ownAnswer(match: HttpMatch, received: Buffer | undefined): HttpAnswer {
  const { replies, stream } = match.mock.compiled;
  const render: Render = (template) => match.render(template);
  const reply = replies.pick(match.call);
  if (stream === undefined) return reply.fixed ?? reply.make(render, received);
  const start = reply.head(render, received);
  const isSse = isEventStream(start);
  const events = stream.events.map((event) => renderEvent(event, isSse, render));
  const body = Buffer.concat([start.body ?? '', ...events].map((part) => Buffer.from(part as string)));
  return new HttpAnswer(start.status, start.headers, body).withHeaders({
    'Content-Length': String(body.length),
  });
}

/** Resets the connection; over HTTP/2 the stream of this request alone, since others share the connection. */
export function abortAnswer(request: Incoming, connection: HttpConnection): void {
  const stream = http2StreamOf(request);
  if (stream === undefined) connection.kit.reset();
  else stream.close(constants.NGHTTP2_INTERNAL_ERROR);
}

/**
 * Ends a request without its answer. Over HTTP/2 `reset` is RST_STREAM; the others end the connection by GOAWAY, with
 * PROTOCOL_ERROR and random bytes as its debug data for `garbage` (RFC 9113, sections 6.4 and 6.8).
 */
export function loseAnswer(
  request: Incoming,
  connection: HttpConnection,
  form: LostForm,
  random: Random,
): void {
  const session = http2StreamOf(request)?.session;
  if (form === 'reset') abortAnswer(request, connection);
  else if (request.httpVersionMajor < 2) loseHttp1Answer(connection.kit, form, random);
  else if (session !== undefined) {
    if (form === 'empty') session.goaway(constants.NGHTTP2_NO_ERROR);
    else session.goaway(constants.NGHTTP2_PROTOCOL_ERROR, 0, garbageBytes(random));
    connection.kit.after(RESET_AFTER, () => connection.kit.destroy());
  }
}

/** Announces the whole body, sends its first bytes and drops the connection. */
export function truncateAnswer(
  request: Incoming,
  response: Outgoing,
  answer: HttpAnswer,
  bytes: number,
  connection: HttpConnection,
): void {
  if (request.httpVersionMajor !== 2) {
    truncateHttp1Answer(asServerResponse(response), answer, bytes, (drop) => connection.kit.after(0, drop));
    return;
  }
  response.writeHead(answer.status, answer.head.http2);
  const part = Buffer.from(answer.body ?? '').subarray(0, bytes);
  if (part.length === 0) response.flushHeaders();
  else response.write(part);
  dropLater(request, response, connection);
}

/** Drops the connection, or the stream of HTTP/2, once what was written to it is on its way. */
export function dropLater(request: Incoming, response: Outgoing, connection: HttpConnection): void {
  if (request.httpVersionMajor < 2) connection.kit.after(0, () => response.destroy());
  else connection.kit.after(RESET_AFTER, () => abortAnswer(request, connection));
}
