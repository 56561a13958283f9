import type { ServerResponse } from 'node:http';
import { Slice, nextTurn } from '@backlot/core/plugin';
import { JSON_TYPE, sendHead, sendText } from './send.js';

/** So many characters are gathered before they are written. */
const CHUNK = 64 * 1024;

/** Settings of an answer that is written in pieces. */
interface PieceSettings {
  /** Milliseconds for which a client may read nothing before it is given up. */
  readonly stalledAfter: number;
}

/**
 * Answers JSON in pieces: a piece is asked for when its client has taken those before it, and other work of the process
 * is let in between them. An answer that is short is sent at once, with its length; of a long one a HEAD request gets the
 * headers without it.
 *
 * @returns when all was handed to the system, or the client left, or read nothing for too long; the rest of the pieces is
 * given up then
 * @throws what making a piece throws; the answer has begun then, unless it was the first pieces
 */
export async function sendPieces(
  response: ServerResponse,
  { status, isHead }: { readonly status: number; readonly isHead: boolean },
  pieces: Iterator<string>,
  { stalledAfter }: PieceSettings,
): Promise<void> {
  try {
    const slice = new Slice();
    let text = '';
    for (let piece = pieces.next(); ; piece = pieces.next()) {
      if (piece.done !== true) text += piece.value;
      else if (!response.headersSent) return sendText(response, status, text, JSON_TYPE);
      else break;
      if (text.length >= CHUNK) {
        if (isHead) return sendHead(response, status, JSON_TYPE);
        if (!response.headersSent) begin(response, status, stalledAfter);
        const isTaken = response.write(text);
        text = '';
        if (!isTaken) await taken(response);
      }
      if (slice.isOver) {
        await nextTurn();
        slice.restart();
      }
      if (response.destroyed) return;
    }
    response.end(text);
  } finally {
    pieces.return?.();
  }
}

function begin(response: ServerResponse, status: number, stalledAfter: number): void {
  response.writeHead(status, { 'Content-Type': JSON_TYPE, 'Cache-Control': 'no-store' });
  // The socket's own idle time: it starts anew with every byte that the client takes.
  response.setTimeout(stalledAfter, () => response.destroy());
}

/** Resolves when the client takes more, or has left. */
export function taken(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      response.off('drain', end).off('close', end);
      resolve();
    };
    response.on('drain', end).on('close', end);
    if (response.destroyed) end();
  });
}
