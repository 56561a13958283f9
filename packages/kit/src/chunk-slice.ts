import type { Socket } from 'node:net';
import { SLICE } from '@backlot/core/plugin';
import { wire } from './wire.js';

/**
 * How much of a slice of time handling one chunk has taken, for a socket that a library reads by itself
 * ({@link Connection.handOver}): {@link Connection.yieldWhenLong} knows nothing of its chunks. Make it before the library
 * listens to the socket.
 */
export class ChunkSlice {
  #end = Infinity;

  constructor(socket: Socket) {
    socket.prependListener('data', () => this.restart());
  }

  /** Whether the slice is used up, so that others are to be let in: stop, and go on in a later turn. */
  get isOver(): boolean {
    return wire.now() >= this.#end;
  }

  /** Begins a new slice now, for work that goes on in a turn of its own. */
  restart(): void {
    this.#end = wire.now() + SLICE;
  }
}
