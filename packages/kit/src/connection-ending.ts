import { turns } from '@backlot/core/plugin';
import type { ConnectionReading } from './connection-reading.js';
import type { ConnectionState } from './connection-state.js';

/** How long a connection that was ended may take to be closed by the other end as well, in ms. */
export const LINGER = 2000;

/** The connection that is ended. */
export interface EndingOwner {
  /** Calls back after so many milliseconds, unless the connection is closed before. */
  after(ms: number, fn: () => unknown): unknown;
  destroy(): void;
  /** Makes a callback that is isolated. */
  isolate(fn: () => unknown): () => void;
}

/** Ends one connection: when the client has ended its side, when the answers being made are written, or now. */
export class ConnectionEnding {
  readonly #state: ConnectionState;
  readonly #reading: ConnectionReading;
  readonly #owner: EndingOwner;
  readonly #allowHalfOpen: boolean;
  #onEnd: (() => void) | undefined;
  #answering = 0;
  #linger = LINGER;
  #endsWhenIdle = false;
  #hasClientEnded = false;

  /** @param allowHalfOpen - whether a client that has ended its side is still served */
  constructor(
    state: ConnectionState,
    reading: ConnectionReading,
    owner: EndingOwner,
    allowHalfOpen: boolean,
  ) {
    this.#state = state;
    this.#reading = reading;
    this.#owner = owner;
    this.#allowHalfOpen = allowHalfOpen;
  }

  /** Whether answers are being made. */
  get isBusy(): boolean {
    return this.#answering > 0;
  }

  /** Calls back when the client has ended its side. */
  onEnd(listener: () => unknown): void {
    this.#onEnd = this.#owner.isolate(listener);
  }

  /** Forgets who listens and what is being made: somebody else serves the client from now on. */
  startOver(): void {
    this.#onEnd = undefined;
    this.#answering = 0;
  }

  busy(): void {
    this.#answering += 1;
  }

  idle(): void {
    this.#answering = Math.max(this.#answering - 1, 0);
    if (this.#answering === 0 && this.#endsWhenIdle) this.end();
    else this.endWhenDone();
  }

  /** Sends what waits, then `data`, and ends this side. */
  end(data?: string | Uint8Array): void {
    const state = this.#state;
    if (state.isEnded) return;
    const { socket } = state;
    state.isEnded = true;
    state.outbox.endTurn();
    if (data === undefined) socket.end();
    else socket.end(data);
    if (!state.isHandedOver) this.#reading.discard();
    const lingerOn = (): void => this.#lingerFor(this.#linger);
    if (socket.writableFinished) lingerOn();
    else socket.once('finish', lingerOn);
  }

  endWhenIdle(linger: number): void {
    this.#linger = linger;
    this.#endsWhenIdle = true;
    if (this.#state.isEnded) this.#lingerFor(linger);
    else if (this.#answering === 0) this.end();
  }

  /** Ends what the client has ended, once nothing is made or waits to be sent: more answers follow what is drained. */
  endWhenDone(): void {
    if (this.#hasClientEnded && this.#answering === 0 && !this.#reading.isChoked) this.endWhenIdle(LINGER);
  }

  /** Listens for the end of the client's side. */
  readonly clientEnded = (): void => {
    if (this.#state.isHandedOver || this.#state.isEnded) return;
    // What came before the end and waits for its turn is handled first: a socket tells its end even while it is paused.
    if (this.#reading.isLate) {
      turns.wait(this.clientEnded);
      return;
    }
    this.#onEnd?.();
    if (this.#allowHalfOpen) return;
    this.#hasClientEnded = true;
    // Thousands may leave in one turn of the event loop, and each end is a call of the system.
    if (turns.isLate()) turns.wait(() => this.endWhenDone());
    else this.endWhenDone();
  };

  #lingerFor(ms: number): void {
    this.#owner.after(ms, () => this.#owner.destroy());
  }
}
