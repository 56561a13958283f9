import type { Connection } from '@backlot/kit';
import { STALL_LIMIT, type Ending, type Transport } from './transport.js';

type Timer = ReturnType<Connection['after']>;

/**
 * How long a client that has been sent its last frame may take to close, in ms ("Connection Lingering"): some clients
 * notice the end of a connection before the frame in front of it.
 */
const LINGER = 100;

/** STOMP on a plain or encrypted connection. */
export class TcpTransport implements Transport {
  readonly connection: Connection;
  #isChoked = false;
  #isHeld = false;
  #isEnded = false;
  #stall: Timer | undefined;

  constructor(connection: Connection) {
    this.connection = connection;
    connection.onResume(() => {
      this.#isChoked = false;
      this.#stall?.cancel();
      this.#stall = undefined;
    });
  }

  get isPaused(): boolean {
    return this.connection.isPaused;
  }

  get isChoked(): boolean {
    return this.#isChoked;
  }

  get isEnded(): boolean {
    return this.#isEnded || this.connection.isEnded;
  }

  onData(listener: (chunk: Buffer) => void): void {
    this.connection.onData(listener);
  }

  onResume(listener: () => void): void {
    this.connection.onResume(listener);
  }

  write(frame: Buffer): void {
    const { connection } = this;
    if (connection.write(frame) || connection.isEnded || this.#isChoked) return;
    this.#isChoked = true;
    this.#stall = connection.after(STALL_LIMIT, () =>
      connection.destroy(
        new Error(`client ${connection.remote} has read nothing for ${STALL_LIMIT / 1000} s`),
      ),
    );
  }

  push(frame: Buffer): void {
    this.connection.push(frame);
  }

  connected(): void {
    // The limits are those of the framer.
  }

  yieldWhenLong(): boolean {
    return this.connection.yieldWhenLong();
  }

  pause(): void {
    this.#isHeld = true;
    this.connection.pause();
  }

  resume(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.connection.resume();
  }

  end(how: Ending): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (how === 'going away') return this.connection.end();
    // What the client still sends is thrown away by its session.
    this.resume();
    this.connection.after(LINGER, () => this.connection.end());
  }
}
