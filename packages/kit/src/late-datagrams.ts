import { Slice, turns } from '@backlot/core/plugin';

/** Bytes of datagrams that wait at most; what comes beyond them is lost, as in the system's own buffer. */
const MAX_WAITING = 8 * 1024 * 1024;
/** What one that waits takes in memory beside its bytes. */
const OVERHEAD = 256;

/**
 * Datagrams that came when a turn of the event loop had lasted too long already: the system hands out dozens at once, each of
 * which may be much work. They are handled in later turns, in their order.
 */
export class LateDatagrams<T extends { readonly data: Uint8Array }> {
  readonly #handle: (datagram: T) => void;
  #waiting: T[] = [];
  #size = 0;

  constructor(handle: (datagram: T) => void) {
    this.#handle = handle;
  }

  /** Whether a datagram that comes now is not to be handled at once, by {@link Timers.now}. */
  isFull(now: number): boolean {
    return this.#waiting.length > 0 || turns.isLate(now);
  }

  /** Takes a datagram that is handled later, or lets it be lost. */
  add(datagram: T): void {
    const size = datagram.data.length + OVERHEAD;
    if (this.#size + size > MAX_WAITING) return;
    this.#size += size;
    this.#waiting.push(datagram);
    if (this.#waiting.length === 1) turns.wait(this.#goOn);
  }

  /** Forgets those that wait. */
  clear(): void {
    this.#waiting = [];
    this.#size = 0;
  }

  readonly #goOn = (): void => {
    const slice = new Slice();
    const waiting = this.#waiting;
    let done = 0;
    while (done < waiting.length && waiting === this.#waiting) {
      const datagram = waiting[done] as T;
      done += 1;
      this.#size -= datagram.data.length + OVERHEAD;
      this.#handle(datagram);
      if (slice.isOver) break;
    }
    if (waiting !== this.#waiting) return;
    this.#waiting = waiting.slice(done);
    if (this.#waiting.length > 0) turns.wait(this.#goOn);
  };
}
