import type { OpenStream, StreamControl, Waiting } from '@backlot/core/plugin';
import { timers, type Timer } from '@backlot/kit';
import type { StreamData } from '../schemas/response.js';
import type { HttpContext, HttpExchange, HttpMatch } from '../shape.js';
import type { Outgoing } from '../wire/outgoing.js';
import { renderEvent, renderPushed, type CompiledStream } from './compiled-stream.js';
import { ShownContent } from './shown-content.js';
import { frameEvent } from './sse.js';

/** A reader for whom more than this waits is cut. */
const MAX_WAITING = 1024 * 1024;
/** How long a reader may leave a full buffer untouched before it is cut, in ms. */
const MAX_STALL = 5000;

/** What a streaming answer is made of. */
export interface StreamParts {
  readonly context: HttpContext;
  readonly exchange: HttpExchange;
  readonly match: HttpMatch;
  readonly stream: CompiledStream;
  readonly response: Outgoing;
  /** Whether it is framed as server-sent events. */
  readonly isSse: boolean;
  /** Told once when it has ended, for whatever reason. */
  readonly onEnd: () => void;
}

/** One open streaming answer, from its headers (which have been sent) to its end. */
export class StreamAnswer implements StreamControl<StreamData> {
  readonly #parts: StreamParts;
  readonly #open: OpenStream;
  #next = 0;
  readonly #shown = new ShownContent();
  #waiting: Waiting | undefined;
  #stall: Timer | undefined;
  #hasEnded = false;

  constructor(parts: StreamParts) {
    this.#parts = parts;
    this.#open = parts.context.streams.open(parts.match.mock.id, this);
    parts.response.once('close', () => this.#leave());
    parts.response.on('drain', () => this.#drained());
  }

  /** Sends a first text as it is, then the configured events. */
  start(opening: string | Buffer | undefined): void {
    if (opening !== undefined) this.#write(opening);
    this.#schedule();
  }

  push(data: StreamData): void {
    if (this.#hasEnded) return;
    if (this.#parts.response.writableLength > MAX_WAITING) return this.#cut();
    this.#write(renderPushed(data, this.#parts.isSse));
  }

  close(error: string | undefined): void {
    if (this.#hasEnded) return;
    const { isSse, response } = this.#parts;
    if (error !== undefined && !isSse) {
      // Plain chunks have no words for an error: the missing last chunk tells the client.
      this.#finish();
      response.destroy();
      return;
    }
    if (error !== undefined) this.#write(frameEvent({ event: 'error', data: error }));
    this.#finish();
    response.end();
  }

  #schedule(): void {
    const { context, stream, match } = this.#parts;
    while (!this.#hasEnded && this.#stall === undefined) {
      const event = stream.events[this.#next];
      if (event === undefined) {
        if (!stream.keepOpen) this.close(undefined);
        return;
      }
      const delay = match.delayOf(event.delay);
      if (delay > 0 && this.#waiting === undefined) {
        this.#waiting = context.clock.after(delay, () => {
          this.#emit();
          this.#schedule();
        });
        return;
      }
      this.#emit();
    }
  }

  #emit(): void {
    const { stream, match, isSse, response } = this.#parts;
    const event = stream.events[this.#next];
    this.#next += 1;
    this.#waiting = undefined;
    if (event === undefined || this.#hasEnded) return;
    try {
      this.#write(renderEvent(event, isSse, (template) => match.render(template)));
    } catch (thrown) {
      this.#parts.context.log.error(
        `event ${this.#next - 1} of mock "${match.mock.id}" could not be rendered`,
        thrown,
      );
      return this.#cut();
    }
    if (response.writableLength > MAX_WAITING) {
      this.#stall = timers.after(MAX_STALL, () => this.#cut(), { unref: true });
    }
  }

  #drained(): void {
    if (this.#stall === undefined) return;
    this.#stall.cancel();
    this.#stall = undefined;
    this.#schedule();
  }

  #write(data: string | Buffer): void {
    if (data.length === 0 || this.#hasEnded) return;
    this.#shown.add(data);
    this.#parts.response.write(data);
  }

  /** The reader does not read. */
  #cut(): void {
    this.#finish();
    this.#parts.response.destroy();
  }

  #leave(): void {
    if (this.#hasEnded) return;
    this.#stop();
    this.#parts.exchange.abort();
  }

  #finish(): void {
    if (this.#hasEnded) return;
    this.#stop();
    this.#parts.exchange.done({ body: this.#shown.take() });
  }

  #stop(): void {
    this.#hasEnded = true;
    this.#waiting?.cancel();
    this.#stall?.cancel();
    this.#open.closed();
    this.#parts.onEnd();
  }
}
