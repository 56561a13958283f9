import type { Socket } from 'node:net';
import { Slice, turns } from '@backlot/core/plugin';
import type { Connection } from '../connection.js';

/** What node:http keeps on a socket: that it reads no more until the client has read its answers. */
interface Choked {
  readonly _paused?: boolean;
}

/**
 * Handles the requests of one connection in slices that let others in. A library hands out all requests of a chunk in one
 * call, hundreds of them where a client pipelines: those beyond a slice of time wait, in order, and the socket is read no
 * further until they are done.
 */
export class RequestTurns {
  readonly #connection: Connection;
  readonly #socket: Socket | undefined;
  #waiting: (() => void)[] = [];
  /** In which slice one was handled last. */
  #slice = -1;
  readonly #goOn: () => void;

  /**
   * @param isExclusive - whether the library reads the socket as it is, so that pausing it stops requests; the sessions of
   * HTTP/2, which bound their streams, forbid it
   */
  constructor(connection: Connection, isExclusive: boolean) {
    this.#connection = connection;
    this.#socket = isExclusive ? connection.socket : undefined;
    this.#goOn = connection.isolate(() => this.#handle());
  }

  /** Handles a request, or what else has to keep its place among them: now, or behind those that wait. */
  take(handle: () => void): void {
    // One of each connection may be handled at once, when others have much to do.
    const isOver = this.#slice === turns.number ? turns.areOver() : turns.isLate();
    if (this.#waiting.length === 0 && !isOver) {
      this.#slice = turns.number;
      handle();
      return;
    }
    this.#waiting.push(handle);
    if (this.#waiting.length === 1) {
      // An orderly stop waits for them.
      this.#connection.busy();
      turns.wait(this.#goOn);
    }
    // The library may have resumed it meanwhile.
    if (this.#socket?.isPaused() === false) this.#socket.pause();
  }

  #handle(): void {
    const slice = new Slice();
    let done = 0;
    try {
      for (const handle of this.#waiting) {
        done += 1;
        handle();
        if (slice.isOver) break;
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
    // When answers wait for the client to read, the library resumes it by itself.
    if (socket !== undefined && (socket as Choked)._paused !== true) socket.resume();
    this.#connection.idle();
  }
}
