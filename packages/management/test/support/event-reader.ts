import { request, type IncomingMessage } from 'node:http';

/** One event of a stream, or a comment. */
export interface ReadEvent {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
  readonly comment?: string;
}

/** A reader of server-sent events. */
export interface EventReader {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  next(): Promise<ReadEvent>;
  /** Stops and goes on reading. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** Opens an event stream. */
export function openEvents(url: string, headers: Record<string, string> = {}): Promise<EventReader> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers, agent: false }, (response) => {
      const events: ReadEvent[] = [];
      const waiting: ((event: ReadEvent) => void)[] = [];
      let rest = '';
      response.on('error', () => undefined);
      response.setEncoding('utf8').on('data', (chunk: string) => {
        const blocks = (rest + chunk).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
          const event = parse(block);
          const next = waiting.shift();
          if (next === undefined) events.push(event);
          else next(event);
        }
      });
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        next: () =>
          new Promise((found) => {
            const event = events.shift();
            if (event === undefined) waiting.push(found);
            else found(event);
          }),
        pause: () => void response.pause(),
        resume: () => void response.resume(),
        close: () => void asked.destroy(),
      });
    });
    asked.on('error', reject);
    asked.end();
  });
}

function parse(block: string): ReadEvent {
  const found: Record<string, string> = {};
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    const name = colon === 0 ? 'comment' : line.slice(0, colon);
    const value = line.slice(colon + 1).trimStart();
    found[name] = found[name] === undefined ? value : `${found[name]}\n${value}`;
  }
  return found;
}
