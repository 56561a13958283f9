import type { Socket } from 'node:net';
import { timers } from './timers.js';

/** What became of a write: `sent`; `closed`, the socket is; `overfull`, more than the limit waits already. */
export type Sent = 'sent' | 'closed' | 'overfull';

/** So many gathered bytes leave without waiting for the end of the turn. */
const FULL = 64 * 1024;

/**
 * Writes to a socket within limits. Of the writes made while one chunk is handled the first leaves at once, so that a
 * single answer has no delay, and the further ones leave together, so that a pipeline costs two system calls.
 */
export class Outbox {
  #socket: Socket;
  #isInTurn = false;
  #turnWrites = 0;
  #isGathering = false;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** From now on writes to another socket. */
  retarget(socket: Socket): void {
    this.endTurn();
    this.#release();
    this.#socket = socket;
  }

  /** A chunk begins to be handled; says whether this call began it, and so has to end it. */
  beginTurn(): boolean {
    const begins = !this.#isInTurn;
    this.#isInTurn = true;
    return begins;
  }

  /** The chunk has been handled. */
  endTurn(): void {
    if (this.#turnWrites > 1) this.#socket.uncork();
    this.#turnWrites = 0;
    this.#isInTurn = false;
  }

  /** Writes, unless more than `limit` bytes wait already: one write of any size is taken when the client keeps up. */
  send(data: string | Uint8Array, encoding: BufferEncoding | undefined, limit: number): Sent {
    const socket = this.#socket;
    if (socket.destroyed) return 'closed';
    if (socket.writableLength > limit) return 'overfull';
    if (this.#isInTurn) {
      this.#turnWrites += 1;
      if (this.#turnWrites === 2) socket.cork();
    }
    socket.write(data, encoding);
    return 'sent';
  }

  /**
   * Writes together with all else that comes within this turn of the event loop, whoever it comes from: what many
   * clients send to one costs it one system call.
   */
  gather(data: string | Uint8Array, encoding: BufferEncoding | undefined, limit: number): Sent {
    if (this.#isGathering && this.#socket.writableLength > FULL) this.#release();
    const sent = this.send(data, encoding, limit);
    if (sent === 'sent' && !this.#isInTurn && !this.#isGathering) {
      this.#isGathering = true;
      this.#socket.cork();
      timers.afterTurn(this.#release);
    }
    return sent;
  }

  /** Whether more than `highWater` bytes wait; a drain event follows in that case. */
  isAbove(highWater: number): boolean {
    return this.#socket.writableLength > highWater && this.#socket.writableNeedDrain;
  }

  /** Resolves when all that was written has left. */
  async flush(): Promise<void> {
    this.endTurn();
    this.#release();
    const socket = this.#socket;
    if (socket.writableLength > 0) await new Promise((resolve) => socket.write('', resolve));
  }

  readonly #release = (): void => {
    if (!this.#isGathering) return;
    this.#isGathering = false;
    this.#socket.uncork();
  };
}
