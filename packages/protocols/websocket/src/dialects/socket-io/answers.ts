import { HttpAnswer, jsonAnswer } from '@backlot/kit/http';

/** What engine.io answers to requests that it cannot serve, with the codes of its server. */
const ERRORS = {
  transport: { code: 0, message: 'Transport unknown' },
  session: { code: 1, message: 'Session ID unknown' },
  method: { code: 2, message: 'Bad handshake method' },
  request: { code: 3, message: 'Bad request' },
  version: { code: 5, message: 'Unsupported protocol version' },
} as const;

/** A request that cannot be served, and why. */
export function refusal(reason: keyof typeof ERRORS): HttpAnswer {
  return jsonAnswer(400, ERRORS[reason]);
}

/** A request that cannot be served where it comes. */
export function badRequest(): HttpAnswer {
  return refusal('request');
}

/** An answer with packets. */
export function textAnswer(text: string): HttpAnswer {
  return answerOf('text/plain; charset=UTF-8', text);
}

/** Says that packets have come. */
export function okAnswer(): HttpAnswer {
  return answerOf('text/html', 'ok');
}

function answerOf(type: string, text: string): HttpAnswer {
  const body = Buffer.from(text);
  return new HttpAnswer(
    200,
    { 'Content-Type': type, 'Content-Length': body.length, 'Cache-Control': 'no-store' },
    body,
  );
}
