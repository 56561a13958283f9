import type { Connection } from '@backlot/kit';

/** A longer payload is sent as it is; shorter ones are copied, since each write costs more than copying them. */
const LARGE = 16 * 1024;
/** So much is sent without waiting for the end of the turn. */
const FULL = 64 * 1024;
const SMALLEST = 256;
/** Fewer bytes are copied in a loop, which is quicker than a call. */
const SHORT = 48;

const NOTHING = Buffer.alloc(0);

/**
 * What goes to one client, in order. What is sent within one turn of the event loop is written into one buffer and leaves
 * together, so that a publisher's burst costs each subscriber one write, and no message an object of its own.
 */
export class Outgoing {
  readonly #connection: Connection;
  readonly #maxPending: number;
  readonly #onOverflow: () => void;
  #bytes = NOTHING;
  #size = 0;
  /** How much the last turn took: so much the next one gets at first. */
  #lastSize = 0;
  #isScheduled = false;

  /**
   * @param maxPending - most bytes that may wait for the client to read them
   * @param onOverflow - called when more would wait; nothing is taken afterwards unless it is through {@link end}
   */
  constructor(connection: Connection, maxPending: number, onOverflow: () => void) {
    this.#connection = connection;
    this.#maxPending = maxPending;
    this.#onOverflow = onOverflow;
  }

  /** Sends a text with one character per byte. */
  send(text: string): void {
    this.#reserve(text.length);
    this.#addText(text);
    this.#added();
  }

  /** Sends a message: its line, its headers when there are any, and its payload. */
  sendMessage(line: string, headers: Buffer | undefined, payload: Buffer): void {
    const isLarge = payload.length >= LARGE;
    this.#reserve(line.length + (headers?.length ?? 0) + (isLarge ? 0 : payload.length + 2));
    this.#addText(line);
    if (headers !== undefined) this.#addBytes(headers, 0, headers.length);
    if (isLarge) this.#sendLarge(payload);
    else this.#addBytes(payload, 0, payload.length);
    this.#addText('\r\n');
    this.#added();
  }

  /**
   * Sends what a client published as it stands in its frame: `PUB <subject><rest>` becomes `MSG <subject> <sid><rest>`.
   *
   * @param subjectEnd - where in the frame the subject ends
   */
  sendFrame(sid: string, frame: Buffer, subjectStart: number, subjectEnd: number): void {
    const added = sid.length + 1;
    this.#reserve(frame.length + added);
    // The whole of it to where its end belongs, and the beginning over it: a part of a buffer cannot be copied without a view of it.
    const start = this.#size;
    this.#bytes.set(frame, start + added);
    this.#addText('MSG ');
    this.#addBytes(frame, subjectStart, subjectEnd);
    this.#addText(' ');
    this.#addText(sid);
    this.#size = start + frame.length + added;
    this.#added();
  }

  /** Sends what waits, and a text, and ends the connection. */
  end(text?: string): void {
    this.#drain();
    this.#connection.end(text);
  }

  #reserve(more: number): void {
    const wanted = this.#size + more;
    if (wanted <= this.#bytes.length) return;
    const bytes = Buffer.allocUnsafe(Math.max(wanted, 2 * this.#bytes.length, this.#lastSize, SMALLEST));
    this.#bytes.copy(bytes, 0, 0, this.#size);
    this.#bytes = bytes;
  }

  #addText(text: string): void {
    const { length } = text;
    const bytes = this.#bytes;
    let at = this.#size;
    this.#size += length;
    if (length > SHORT) bytes.write(text, at, 'latin1');
    else for (let index = 0; index < length; index += 1) bytes[at++] = text.charCodeAt(index);
  }

  #addBytes(source: Buffer, start: number, end: number): void {
    const bytes = this.#bytes;
    let at = this.#size;
    this.#size += end - start;
    if (end - start > SHORT) source.copy(bytes, at, start, end);
    else for (let index = start; index < end; index += 1) bytes[at++] = source[index] ?? 0;
  }

  /** What waits goes first; the two bytes that end the message find room again. */
  #sendLarge(payload: Buffer): void {
    if (this.#mayTake(payload.length)) {
      this.#drain();
      this.#connection.push(payload);
    }
    this.#reserve(2);
  }

  #added(): void {
    if (this.#size >= FULL) this.#flush();
    else if (!this.#isScheduled) {
      this.#isScheduled = true;
      process.nextTick(this.#flushAtEnd);
    }
  }

  readonly #flushAtEnd = (): void => {
    this.#isScheduled = false;
    this.#flush();
  };

  #flush(): void {
    if (this.#mayTake(0)) this.#drain();
  }

  /** Whether what waits here, and more, can be sent; else it is forgotten. */
  #mayTake(more: number): boolean {
    const isOverfull = this.#connection.buffered + this.#size + more > this.#maxPending;
    if (!this.#connection.isEnded && !isOverfull) return true;
    this.#forget();
    if (isOverfull && !this.#connection.isEnded) this.#onOverflow();
    return false;
  }

  #forget(): void {
    this.#bytes = NOTHING;
    this.#size = 0;
  }

  #drain(): void {
    if (this.#size === 0) return;
    const bytes = this.#bytes.subarray(0, this.#size);
    this.#lastSize = Math.min(this.#size + (this.#size >> 2), FULL);
    this.#forget();
    this.#connection.push(bytes);
  }
}
