import type { Socket } from 'node:net';
import { turns } from '@backlot/core/plugin';
import { timers } from './timers.js';

/**
 * The slice of time that all connections share, for a socket that a library reads ({@link Connection.handOver}), where
 * {@link Connection.yieldWhenLong} cannot be used: it does not see the chunks.
 */
export class ChunkSlice {
  readonly #least: number;
  #end = Infinity;
  #asked = 0;

  /** @param least - how many messages of a chunk are handled together, however long they take; 1 when absent */
  constructor(socket: Socket, least = 1) {
    this.#least = least;
    socket.prependListener('data', () => this.restart());
  }

  /** Whether the slice is used up, so that other connections are to be let in: ask after each message. */
  get isOver(): boolean {
    this.#asked += 1;
    return this.#asked >= this.#least && timers.now() >= this.#end;
  }

  /** Begins a new slice now, for work that goes on in a turn of its own. */
  restart(): void {
    this.#asked = 0;
    this.#end = turns.sliceEnd();
  }
}
