import { invalid, type OpenStream, type StreamControl, type Waiting } from '@backlot/core/plugin';
import { timers, type Timer } from '@backlot/kit';
import { encodeMessage } from '../codec/encode.js';
import { FieldError } from '../codec/field-error.js';
import { parseOrKeep } from '../message.js';
import { delayBefore, type StreamEntry } from '../rules.js';
import type { MessageType } from '../schema/model.js';
import type { GrpcContext, GrpcMatch } from '../shape.js';
import type { EncodedMessage } from './compiled-message.js';

/** A reader for whom more than this waits is cut. */
const MAX_WAITING = 1024 * 1024;
/** How long a reader may leave more than that unread before it is cut, in ms. */
const MAX_STALL = 5000;
/** How much of a stream the journal shows, in characters. */
const MAX_SHOWN = 64 * 1024;

/** The call below a streaming answer. */
export interface StreamCall {
  /** Sends a message; calls back once it was handed to the connection. */
  send(bytes: Buffer, sent: () => void): void;
  /** Ends the call before the mock does: well, or with a text as ABORTED, or with the code of what was thrown. */
  close(error: string | undefined, cause?: unknown): void;
  /** The mock cannot be rendered. */
  fail(thrown: unknown): void;
  /** Ends the call without a status. */
  reset(): void;
}

/** What a streaming answer is made of. */
export interface StreamParts {
  readonly context: GrpcContext;
  readonly match: GrpcMatch;
  readonly call: StreamCall;
  readonly type: MessageType | undefined;
}

/** Messages that are sent one after the other. */
export interface Played {
  readonly entries: readonly StreamEntry[];
  make(entry: StreamEntry): EncodedMessage;
  /** Rolls their delays. */
  readonly match: Pick<GrpcMatch, 'delayOf'>;
  /** Called when all are sent; not when the stream has ended before. */
  done(): void;
}

/** One open streaming answer, from its headers (which have been sent) to its end. */
export class StreamAnswer implements StreamControl<Readonly<Record<string, unknown>> | string> {
  readonly #parts: StreamParts;
  readonly #open: OpenStream;
  #played: Played | undefined;
  #next = 0;
  #unsent = 0;
  #shown = '';
  #waiting: Waiting | undefined;
  #stall: Timer | undefined;
  #hasEnded = false;

  constructor(parts: StreamParts) {
    this.#parts = parts;
    this.#open = parts.context.streams.open(parts.match.mock.id, this, parts.match);
  }

  /** What was sent, a JSON text per line. */
  get shown(): string {
    return this.#shown;
  }

  /** Sends messages as their delays have it; those before are sent. */
  play(played: Played): void {
    this.#played = played;
    this.#next = 0;
    this.#run();
  }

  #run(): void {
    const { context } = this.#parts;
    while (!this.#hasEnded && this.#stall === undefined && this.#waiting === undefined) {
      const played = this.#played;
      if (played === undefined) return;
      const entry = played.entries[this.#next];
      if (entry === undefined) {
        this.#played = undefined;
        played.done();
        return;
      }
      const delay = delayBefore(entry, played.match);
      if (delay > 0) {
        this.#waiting = context.clock.after(delay, () => {
          this.#waiting = undefined;
          this.#emit(played, entry);
          this.#run();
        });
        return;
      }
      this.#emit(played, entry);
    }
  }

  push(data: Readonly<Record<string, unknown>> | string): void {
    const value = typeof data === 'string' ? parseOrKeep(data) : data;
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw invalid('data for grpc must be a JSON object, or the text of one', [
        { path: '/data', message: 'must be a JSON object' },
      ]);
    const { type } = this.#parts;
    const text = JSON.stringify(value);
    let bytes: Buffer;
    try {
      bytes = type === undefined ? Buffer.from(text) : encodeMessage(type, value);
    } catch (thrown) {
      if (!(thrown instanceof FieldError)) throw thrown;
      const message = `data does not fit ${type?.fullName ?? ''}: ${thrown.message}`;
      throw invalid(message, [{ path: ['/data', ...thrown.steps].join('/'), message: thrown.problem }]);
    }
    if (this.#hasEnded) return;
    if (this.#unsent > MAX_WAITING) return this.#cut();
    this.#send({ bytes, text });
  }

  close(error: string | undefined, cause?: unknown): void {
    if (!this.#hasEnded) this.#parts.call.close(error, cause);
  }

  /** The call is over, for whatever reason. */
  stop(): void {
    this.#hasEnded = true;
    this.#waiting?.cancel();
    this.#stall?.cancel();
    this.#open.closed();
  }

  #emit(played: Played, entry: StreamEntry): void {
    this.#next += 1;
    if (this.#hasEnded) return;
    try {
      this.#send(played.make(entry));
    } catch (thrown) {
      this.#parts.call.fail(thrown);
      return;
    }
    if (this.#unsent > MAX_WAITING) {
      this.#stall = timers.after(MAX_STALL, () => this.#cut(), { unref: true });
    }
  }

  #send({ bytes, text }: EncodedMessage): void {
    if (this.#shown.length < MAX_SHOWN)
      this.#shown += `${this.#shown === '' ? '' : '\n'}${text.slice(0, MAX_SHOWN)}`;
    this.#unsent += bytes.length;
    this.#parts.call.send(bytes, () => {
      this.#unsent -= bytes.length;
      if (this.#stall === undefined || this.#unsent > MAX_WAITING) return;
      this.#stall.cancel();
      this.#stall = undefined;
      this.#run();
    });
  }

  /** The reader does not read; a status would wait behind what it has not read. */
  #cut(): void {
    this.#parts.call.reset();
  }
}
