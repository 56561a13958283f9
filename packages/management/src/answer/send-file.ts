import type { ServerResponse } from 'node:http';
import { nextTurn, Slice, type RouteAnswer } from '@backlot/core/plugin';
import { taken } from './send-pieces.js';
import { sendHead } from './send.js';

type FileAnswer = Extract<RouteAnswer, { readonly pieces: unknown }>;

/** So many bytes are gathered before they are written. */
const CHUNK = 64 * 1024;

/**
 * Sends a file as it is made: a piece is asked for when the client has taken those before it, and other work of the process is let in
 * between them. A HEAD request gets the headers once there is a first piece.
 *
 * @throws what making a piece throws; the answer has begun then, unless it was the first
 */
export async function sendFile(
  response: ServerResponse,
  { status = 200, pieces, contentType, headers = {} }: FileAnswer,
  isHead: boolean,
  { stalledAfter }: { readonly stalledAfter: number },
): Promise<void> {
  const slice = new Slice();
  let waiting: (string | Uint8Array)[] = [];
  let size = 0;
  const write = async (): Promise<void> => {
    const bytes = Buffer.concat(
      waiting.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
    );
    waiting = [];
    size = 0;
    if (!response.write(bytes)) await taken(response);
  };
  const begin = (): void => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.writeHead(status, { 'Content-Type': contentType, 'Cache-Control': 'no-store' });
    // The socket's own idle time: it starts anew with every byte that the client takes.
    response.setTimeout(stalledAfter, () => response.destroy());
  };
  try {
    for (;;) {
      const next = pieces.next();
      const step = next instanceof Promise ? await next : next;
      if (response.destroyed) return;
      if (step.done === true) break;
      if (step.value !== undefined && step.value.length > 0) {
        if (isHead) {
          for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
          return sendHead(response, status, contentType);
        }
        waiting.push(step.value);
        size += step.value.length;
      }
      if (size >= CHUNK) {
        if (!response.headersSent) begin();
        await write();
      }
      if (slice.isOver) {
        await nextTurn();
        slice.restart();
      }
    }
    if (!response.headersSent) begin();
    if (isHead || size === 0) {
      response.end();
      return;
    }
    await write();
    response.end();
  } finally {
    await pieces.return?.();
  }
}
