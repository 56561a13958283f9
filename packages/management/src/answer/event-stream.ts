import type { ServerResponse } from 'node:http';
import { afterThisTurn, type EventSink } from '@backlot/core/plugin';
import type { Settings } from '../options.js';

/** Answers server-sent events until the client leaves or the connection ends. The headers are sent at once. */
export function sendEvents(
  response: ServerResponse,
  open: (sink: EventSink) => () => void,
  settings: Pick<Settings, 'commentAfter' | 'maxWaitingBytes'>,
): void {
  response.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
  });
  response.flushHeaders();
  const onReady: (() => void)[] = [];
  const isOpen = (): boolean => !response.destroyed && !response.writableEnded;
  const tellReady = (): void => {
    for (const callback of onReady) callback();
  };
  // What is sent within one turn leaves together: a write of its own for each of many events costs more than the events.
  let waiting = '';
  const isReady = (): boolean =>
    isOpen() && response.writableLength + waiting.length < settings.maxWaitingBytes;
  const flush = (): void => {
    const text = waiting;
    const wasFull = !isReady();
    waiting = '';
    if (!isOpen()) return;
    // Where the response has taken all of it, it tells of nothing later; what it holds may still be more than may wait here.
    let isLate = false;
    const isTaken = response.write(text, () => {
      if (isLate) tellReady();
    });
    if (!isTaken || !wasFull) return;
    if (isReady()) tellReady();
    else isLate = true;
  };
  const write = (text: string): void => {
    if (waiting === '') afterThisTurn(flush);
    waiting += text;
  };
  const sink: EventSink = {
    get ready() {
      return isReady();
    },
    send(event) {
      write(formatEvent(event));
    },
    comment(text) {
      write(formatComment(text));
    },
    end() {
      afterThisTurn(() => response.end());
    },
    onReady(callback) {
      onReady.push(callback);
    },
  };
  response.on('drain', tellReady);
  const close = open(sink);
  response.on('close', close);
  // The socket's own idle time: it starts anew with every byte that is sent.
  response.setTimeout(settings.commentAfter, () => {
    if (isReady()) sink.comment('keep-alive');
  });
}

/** One event of a stream as the standard writes it; each line of the data has a line of its own. */
export function formatEvent(event: { id?: string; event?: string; data: string }): string {
  const id = event.id === undefined ? '' : `id: ${oneLine(event.id)}\n`;
  const name = event.event === undefined ? '' : `event: ${oneLine(event.event)}\n`;
  const data = event.data
    .split(/\r\n|\r|\n/)
    .map((line) => `data: ${line}\n`)
    .join('');
  return `${id}${name}${data}\n`;
}

function formatComment(text: string): string {
  return `: ${oneLine(text)}\n\n`;
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\0]+/g, ' ');
}
