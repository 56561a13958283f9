import { timers, type Timer } from '../timers.js';

/** A reader for whom more than this waits is sent nothing more until it has read. */
const MAX_WAITING = 1024 * 1024;
/** How long a reader may leave so much unread before it is cut, in ms. */
const MAX_STALL = 5000;

/** The answer under way, of either version of HTTP, as far as a stream needs it. */
export interface StreamedResponse {
  write(chunk: string | Uint8Array): boolean;
  end(): unknown;
  destroy(): unknown;
  on(event: 'close' | 'drain', listener: () => void): unknown;
  readonly writableLength: number;
}

/**
 * The body of an answer that is written while it is made, within limits: a reader that does not read is cut, and whoever
 * makes the body is told to wait meanwhile.
 */
export class AnswerStream {
  readonly #response: StreamedResponse;
  readonly #waiting = new Set<() => void>();
  #stall: Timer | undefined;
  #hasEnded = false;
  #isCut = false;

  /** @param response - whose status and headers have been sent */
  constructor(response: StreamedResponse) {
    this.#response = response;
    response.on('close', () => this.#finish());
    response.on('drain', () => this.#drained());
  }

  /** Whether it was ended, or the client has left. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether it was dropped because its reader does not read. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Whether so much waits that nothing should be added; {@link whenDrained} tells when that is over. */
  get isChoked(): boolean {
    return this.#stall !== undefined;
  }

  /** Writes a part of the body. */
  write(chunk: string | Uint8Array): void {
    if (this.#hasEnded || chunk.length === 0) return;
    this.#response.write(chunk);
    if (this.isChoked || this.#response.writableLength <= MAX_WAITING) return;
    this.#stall = timers.after(MAX_STALL, () => this.#cut(), { unref: true });
  }

  /** Writes a part that nobody asked for just now: a reader for whom much waits is cut. */
  push(chunk: string | Uint8Array): void {
    if (this.#response.writableLength > MAX_WAITING) this.#cut();
    else this.write(chunk);
  }

  /** Calls back once when what waits has been sent. */
  whenDrained(callback: () => void): void {
    this.#waiting.add(callback);
  }

  /** Takes a callback of {@link whenDrained} back. */
  forget(callback: () => void): void {
    this.#waiting.delete(callback);
  }

  /** Ends the answer normally. */
  end(): void {
    if (this.#hasEnded) return;
    this.#finish();
    this.#response.end();
  }

  /** Drops the answer in its midst, so that the client sees that it is not whole. */
  destroy(): void {
    if (this.#hasEnded) return;
    this.#finish();
    this.#response.destroy();
  }

  #cut(): void {
    this.#isCut = true;
    this.destroy();
  }

  #drained(): void {
    if (this.#stall === undefined) return;
    this.#stall.cancel();
    this.#stall = undefined;
    for (const callback of [...this.#waiting]) {
      // One of them may have filled the buffer again.
      if (this.isChoked) return;
      this.#waiting.delete(callback);
      callback();
    }
  }

  #finish(): void {
    this.#hasEnded = true;
    this.#stall?.cancel();
    this.#stall = undefined;
    this.#waiting.clear();
  }
}
