import type { Socket } from 'node:net';
import { Slice, turns } from '@backlot/core/plugin';
import type { Connection } from '../connection.js';

/** A member that node:http sets on a socket while it does not read, since the client has not read its answers. */
interface Choked {
  readonly _paused?: boolean;
}

/**
 * Requests of one connection that are handled in a row. Their answers are written only afterwards, one by one, each by a call
 * of the system: hundreds would take far longer than making them.
 */
const TOGETHER = 32;

/**
 * Handles the requests of one connection in slices, between which other connections are served. A library gives all requests of a
 * chunk in one call, hundreds of them when a client pipelines. Those beyond a slice of time wait, in order, and the
 * socket is not read until they are done.
 */
export class RequestTurns {
  readonly #connection: Connection;
  readonly #socket: Socket | undefined;
  #waiting: (() => void)[] = [];
  /** In which slice one was handled last. */
  #slice = -1;
  /** How many requests have come since {@link #bytesRead} was looked at. */
  #count = 0;
  #bytesRead = -1;
  readonly #goOn: () => void;
  /**
   * The library resumes the socket for each request that it reads and each answer that it writes: what came meanwhile would
   * wait as well, and a client that only sends would be read to its end.
   */
  readonly #stopAgain = (): void => void this.#socket?.pause();

  /**
   * @param isExclusive - whether pausing the socket stops requests, as for HTTP/1. The socket of an HTTP/2 session must
   * not be paused; such a session limits its streams itself
   */
  constructor(connection: Connection, isExclusive: boolean) {
    this.#connection = connection;
    this.#socket = isExclusive ? connection.socket : undefined;
    this.#goOn = connection.isolate(() => this.#handle());
  }

  /** Handles a request, or something else that must keep its place among requests: now, or behind those that wait. */
  take(handle: () => void): void {
    // One of each connection may be handled at once, when others have much to do.
    const isOver = this.#slice === turns.number ? turns.areOver() : turns.isLate();
    if (this.#waiting.length === 0 && !isOver && !this.#areMany()) {
      this.#slice = turns.number;
      handle();
      return;
    }
    this.#waiting.push(handle);
    if (this.#waiting.length === 1) {
      // An orderly stop waits for them.
      this.#connection.busy();
      turns.wait(this.#goOn);
      // Behind the listener of the library, which begins to read.
      this.#socket?.on('resume', this.#stopAgain);
    }
    if (this.#socket?.isPaused() === false) this.#socket.pause();
  }

  /** Whether one chunk has brought very many: then nothing was read between two looks. */
  #areMany(): boolean {
    this.#count += 1;
    if (this.#count < TOGETHER || this.#socket === undefined) return false;
    this.#count = 0;
    const { bytesRead } = this.#socket;
    const areMany = bytesRead === this.#bytesRead;
    this.#bytesRead = bytesRead;
    return areMany;
  }

  #handle(): void {
    const slice = new Slice();
    let done = 0;
    try {
      for (const handle of this.#waiting) {
        done += 1;
        handle();
        if (slice.isOver || done === TOGETHER) break;
      }
    } finally {
      this.#waiting = this.#waiting.slice(done);
      this.#slice = turns.number;
      if (this.#waiting.length > 0) turns.wait(this.#goOn);
      else this.#end();
    }
  }

  #end(): void {
    const socket = this.#socket;
    socket?.off('resume', this.#stopAgain);
    // When answers wait for the client to read, the library resumes it by itself.
    if (socket !== undefined && (socket as Choked)._paused !== true) socket.resume();
    this.#connection.idle();
  }
}
