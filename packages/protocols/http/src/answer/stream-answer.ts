import type { OpenStream, StreamControl, Waiting } from '@backlot/core/plugin';
import { AnswerStream } from '@backlot/kit/http';
import type { StreamData } from '../schemas/response.js';
import type { HttpContext, HttpExchange, HttpMatch } from '../shape.js';
import type { Outgoing } from '../wire/outgoing.js';
import { renderEvent, renderPushed, type CompiledStream } from './compiled-stream.js';
import { ShownContent } from './shown-content.js';
import { frameEvent } from './sse.js';

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
  readonly #body: AnswerStream;
  #next = 0;
  readonly #shown = new ShownContent();
  #waiting: Waiting | undefined;
  #hasEnded = false;

  constructor(parts: StreamParts) {
    this.#parts = parts;
    this.#open = parts.context.streams.open(parts.match.mock.id, this, parts.match);
    this.#body = new AnswerStream(parts.response);
    parts.response.once('close', () => this.#leave());
  }

  /** Sends a first text as it is, then the configured events. */
  start(opening: string | Buffer | undefined): void {
    if (opening !== undefined) this.#write(opening);
    this.#schedule();
  }

  push(data: StreamData): void {
    if (this.#hasEnded) return;
    const text = renderPushed(data, this.#parts.isSse);
    this.#shown.add(text);
    this.#body.push(text);
    if (this.#body.isCut) this.#finish();
  }

  close(error: string | undefined): void {
    if (this.#hasEnded) return;
    const { isSse } = this.#parts;
    if (error !== undefined && !isSse) {
      // Plain chunks have no words for an error: the missing last chunk tells the client.
      return this.#drop();
    }
    if (error !== undefined) this.#write(frameEvent({ event: 'error', data: error }));
    this.#finish();
    this.#body.end();
  }

  readonly #schedule = (): void => {
    const { context, stream, match } = this.#parts;
    while (!this.#hasEnded) {
      if (this.#body.isChoked) return this.#body.whenDrained(this.#schedule);
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
  };

  #emit(): void {
    const { stream, match, isSse } = this.#parts;
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
      this.#drop();
    }
  }

  #write(data: string | Buffer): void {
    if (data.length === 0 || this.#hasEnded) return;
    this.#shown.add(data);
    this.#body.write(data);
  }

  /** Ends the answer in its midst. */
  #drop(): void {
    this.#finish();
    this.#body.destroy();
  }

  #leave(): void {
    if (this.#hasEnded) return;
    if (this.#body.isCut) return this.#finish();
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
    this.#body.forget(this.#schedule);
    this.#open.closed();
    this.#parts.onEnd();
  }
}
