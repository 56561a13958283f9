import type { Readable } from 'node:stream';
import type { EventSink } from '@backlot/core/plugin';

/** Characters of one event: an entry of the log has less. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

/**
 * Passes on the events that another server sends. While nobody takes them they wait there, so that it is the other that counts what it
 * leaves out.
 *
 * @param ended - called when it ends by itself
 * @returns ends it
 */
export function readEvents(body: Readable, sink: EventSink, ended: () => void): () => void {
  let text = '';
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    body.destroy();
    ended();
  };
  const take = (part: string): void => {
    text += part;
    for (let stop = text.indexOf('\n\n'); stop >= 0; stop = text.indexOf('\n\n')) {
      const event = readEvent(text.slice(0, stop));
      text = text.slice(stop + 2);
      if (event !== undefined) sink.send(event);
    }
    if (text.length > MOST_CHARACTERS) end();
    if (!sink.ready) body.pause();
  };
  body.setEncoding('utf8');
  body.on('data', take);
  body.on('error', end);
  body.on('close', end);
  sink.onReady(() => {
    if (!isOver) body.resume();
  });
  return () => {
    isOver = true;
    body.destroy();
  };
}

function readEvent(text: string): { id?: string; event?: string; data: string } | undefined {
  const data: string[] = [];
  const fields: { id?: string; event?: string } = {};
  for (const line of text.split(/\r?\n/)) {
    const [, name, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name === 'data') data.push(value);
    else if (name === 'id' || name === 'event') fields[name] = value;
  }
  return data.length === 0 ? undefined : { ...fields, data: data.join('\n') };
}
