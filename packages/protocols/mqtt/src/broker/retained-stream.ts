import { Readable } from 'node:stream';
import { Slice, turns } from '@backlot/core/plugin';
import type { StoredPacket } from './message-queue.js';

/** Whether somebody takes more now. */
export interface Flow {
  /** Whether what was sent before waits to be read. */
  readonly isFull: boolean;
  /** Whether nobody is there any more. */
  readonly isOver: boolean;
  /** Calls back once, when one of the two may have changed. */
  onceChanged(callback: () => void): void;
}

/** The retained messages for one client, no faster than it reads them, and found in slices of time. */
export class RetainedStream extends Readable {
  readonly #packets: Iterator<StoredPacket | undefined, undefined>;
  readonly #flow: Flow | undefined;
  #isWaiting = false;

  constructor(packets: Iterator<StoredPacket | undefined, undefined>, flow: Flow | undefined) {
    super({ objectMode: true });
    this.#packets = packets;
    this.#flow = flow;
  }

  override _read(): void {
    if (!this.#isWaiting) this.#go();
  }

  #go(): void {
    const slice = new Slice();
    for (;;) {
      if (this.#flow?.isOver === true) {
        this.push(null);
        return;
      }
      if (this.#flow?.isFull === true) return this.#wait((callback) => this.#flow?.onceChanged(callback));
      const { value, done } = this.#packets.next();
      if (done === true) {
        this.push(null);
        return;
      }
      if (value !== undefined && !this.push(value)) return;
      if (slice.isOver) return this.#wait((callback) => turns.wait(callback));
    }
  }

  #wait(until: (callback: () => void) => void): void {
    this.#isWaiting = true;
    until(() => {
      this.#isWaiting = false;
      if (!this.destroyed) this.#go();
    });
  }
}
