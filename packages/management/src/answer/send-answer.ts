import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PagesDeclaration, RouteAnswer, RouteRequest } from '@backlot/core/plugin';
import type { Settings } from '../options.js';
import { sendEvents } from './event-stream.js';
import { isSmall, jsonPieces, listPieces, objectPieces, withinPieces } from './json-pieces.js';
import { pageOf } from './pages.js';
import { sendFile } from './send-file.js';
import { sendPieces } from './send-pieces.js';
import { sendHead, sendJson, sendText } from './send.js';

/** What an answer depends on beside itself. */
interface Asked {
  readonly pages?: PagesDeclaration | undefined;
  readonly query?: RouteRequest['query'];
  readonly settings: Settings;
}

/**
 * Sends the answer of a route, of a HEAD request its headers alone: a list, and any other JSON that is long, as it is read.
 *
 * @throws BacklotError `invalid` for a page that there is not, and what making the answer throws
 */
export async function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: RouteAnswer,
  { pages, query = {}, settings }: Asked,
): Promise<void> {
  const isHead = request.method === 'HEAD';
  if ('events' in answer) {
    if (isHead) sendHead(response, 200, 'text/event-stream; charset=utf-8');
    else sendEvents(response, answer.events, settings);
    return;
  }
  const { status = 200 } = answer;
  if ('text' in answer) {
    for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
    sendText(response, status, answer.text, answer.contentType);
  } else if ('bytes' in answer) {
    for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
    sendText(response, status, answer.bytes, answer.contentType);
  } else if ('pieces' in answer) {
    await sendFile(response, answer, isHead, settings);
  } else if ('list' in answer) {
    const { within } = answer;
    const items = await pageOf(answer, pages, query);
    const pieces = within === undefined ? listPieces(items) : withinPieces(within.fields, within.name, items);
    await sendPieces(response, { status, isHead }, pieces, settings);
  } else if ('entries' in answer) {
    await sendPieces(response, { status, isHead }, objectPieces(answer.entries), settings);
  } else {
    for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
    if (isSmall(answer.body)) return sendJson(response, status, answer.body);
    await sendPieces(response, { status, isHead }, jsonPieces(answer.body), settings);
  }
}
