import type { Connection } from '@backlot/kit';

/** Longer pieces are sent as they are; shorter ones are gathered, since each write costs more than copying them. */
const LARGE = 16 * 1024;
/** So much is sent without waiting for the end of the turn. */
const FULL = 64 * 1024;

type Piece = string | Buffer;

/**
 * What goes to one client, in order. Pieces of one turn of the event loop leave together, so that a publisher's burst
 * costs each subscriber one write.
 */
export class Outgoing {
  readonly #connection: Connection;
  readonly #maxPending: number;
  readonly #onOverflow: () => void;
  #pieces: Piece[] = [];
  #size = 0;
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
    this.#add(text);
    this.#added();
  }

  /** Sends a message: its line, its headers when there are any, and its payload. */
  sendMessage(line: string, headers: Buffer | undefined, payload: Buffer): void {
    this.#add(line);
    if (headers !== undefined) this.#add(headers);
    this.#add(payload);
    this.#add('\r\n');
    this.#added();
  }

  /** Sends what waits, and a text, and ends the connection. */
  end(text?: string): void {
    this.#drain();
    this.#connection.end(text);
  }

  #add(piece: Piece): void {
    this.#pieces.push(piece);
    this.#size += piece.length;
  }

  #added(): void {
    if (this.#size >= FULL) this.#flush();
    else if (!this.#isScheduled) {
      this.#isScheduled = true;
      process.nextTick(this.#flush);
    }
  }

  readonly #flush = (): void => {
    this.#isScheduled = false;
    if (this.#connection.isEnded) this.#forget();
    else if (this.#connection.buffered + this.#size > this.#maxPending) {
      this.#forget();
      this.#onOverflow();
    } else this.#drain();
  };

  #forget(): void {
    this.#pieces = [];
    this.#size = 0;
  }

  #drain(): void {
    if (this.#pieces.length === 0) return;
    const pieces = this.#pieces;
    const isLarge = this.#size >= LARGE && pieces.some((piece) => piece.length >= LARGE);
    if (!isLarge) this.#connection.push(join(pieces, 0, pieces.length));
    else this.#sendLarge(pieces);
    this.#forget();
  }

  #sendLarge(pieces: readonly Piece[]): void {
    let start = 0;
    pieces.forEach((piece, index) => {
      if (piece.length < LARGE) return;
      if (index > start) this.#connection.push(join(pieces, start, index));
      if (typeof piece === 'string') this.#connection.push(piece, 'latin1');
      else this.#connection.push(piece);
      start = index + 1;
    });
    if (start < pieces.length) this.#connection.push(join(pieces, start, pieces.length));
  }
}

function join(pieces: readonly Piece[], start: number, end: number): Buffer {
  let size = 0;
  for (let index = start; index < end; index += 1) size += pieces[index]?.length ?? 0;
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (let index = start; index < end; index += 1) {
    const piece = pieces[index];
    if (typeof piece === 'string') at += bytes.write(piece, at, 'latin1');
    else if (piece !== undefined) at += piece.copy(bytes, at);
  }
  return bytes;
}
