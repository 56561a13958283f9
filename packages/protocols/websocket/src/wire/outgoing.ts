import type { Connection } from '@backlot/kit';

/** Sends frames, as long as the client reads them. */
export class Outgoing {
  readonly #connection: Connection;
  #isChoked = false;
  #isGathering = false;
  #onRelease: (() => void)[] = [];

  /** @param onDrain - called when the client has read on, and {@link isChoked} is over */
  constructor(connection: Connection, onDrain: () => void) {
    this.#connection = connection;
    connection.socket.on('drain', () => {
      if (!this.#isChoked) return;
      this.#isChoked = false;
      this.release();
      onDrain();
    });
  }

  /** Bytes that the client has not read. */
  get waiting(): number {
    return this.#connection.buffered;
  }

  /** Resolves once {@link isChoked} is over, or {@link release} was called. */
  whenRead(): Promise<void> {
    return new Promise((resolve) => this.#onRelease.push(resolve));
  }

  /** Nobody waits any more. */
  release(): void {
    for (const release of this.#onRelease.splice(0)) release();
  }

  /** Whether more was sent than the client has read: no more is to be sent now. */
  get isChoked(): boolean {
    return this.#isChoked;
  }

  send(frame: Buffer): void {
    this.#gather();
    if (!this.#connection.write(frame) && !this.#connection.isEnded) this.#isChoked = true;
  }

  /** What is sent while one chunk is handled leaves together. */
  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    const { socket } = this.#connection;
    socket.cork();
    process.nextTick(() => {
      this.#isGathering = false;
      socket.uncork();
    });
  }
}
