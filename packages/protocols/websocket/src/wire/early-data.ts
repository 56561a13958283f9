import type { Connection } from '@backlot/kit';

const MAX_EARLY = 64 * 1024;

/**
 * Reads on while the answer to a handshake waits, so that a client that leaves is noticed. What it sends before the
 * answer is kept.
 */
export class EarlyData {
  readonly #connection: Connection;
  readonly #chunks: Buffer[] = [];
  readonly #onEnd: () => void;
  #size = 0;

  /** @param onLeave - called when the client has left */
  constructor(connection: Connection, onLeave: () => void) {
    this.#connection = connection;
    this.#onEnd = () => connection.destroy();
    connection.onClose(onLeave);
    connection.socket.on('data', this.#take).on('end', this.#onEnd);
  }

  /** What came is read again by whoever reads next, who has to begin at once. */
  restoreSnapshot(): void {
    const { socket } = this.#connection;
    socket.off('data', this.#take).off('end', this.#onEnd);
    if (socket.destroyed) return;
    if (this.#size > 0) socket.unshift(Buffer.concat(this.#chunks));
    if (socket.isPaused()) socket.resume();
  }

  readonly #take = (chunk: Buffer): void => {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size > MAX_EARLY) this.#connection.socket.pause();
  };
}
