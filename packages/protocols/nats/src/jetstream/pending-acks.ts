import type { Clock, Waiting } from '@backlot/core/plugin';

/** A message that was delivered and is not acknowledged. */
export interface PendingAck {
  readonly sequence: number;
  /** Its number among the deliveries of the consumer, the latest one. */
  readonly delivered: number;
  /** When it was delivered last; milliseconds. */
  readonly since: number;
  /** When it is delivered again; milliseconds. */
  readonly due: number;
}

/** What waits for acknowledgements, and what is to be delivered again because none came. */
export class PendingAcks {
  readonly #clock: Clock;
  readonly #onDue: () => void;
  /** In the order of the stream. */
  readonly entries = new Map<number, PendingAck>();
  /** Those to be delivered again, in order. */
  readonly again = new Set<number>();
  /** Moments at which something may be due: a heap, the earliest first. There is one at most of each sequence and earlier due. */
  #moments: { readonly at: number; readonly sequence: number }[] = [];
  readonly #earliest = new Map<number, number>();
  #waiting: Waiting | undefined;
  #waitsUntil = Infinity;

  /** @param onDue - called when there is something to deliver again */
  constructor(clock: Clock, onDue: () => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  get size(): number {
    return this.entries.size;
  }

  /** @param wait - milliseconds until it is delivered again */
  add(sequence: number, delivered: number, wait: number, since = this.#clock.now()): void {
    const due = this.#clock.now() + wait;
    this.entries.set(sequence, { sequence, delivered, since, due });
    const known = this.#earliest.get(sequence) ?? Infinity;
    if (due < known) this.#push(due, sequence);
    this.#arm();
  }

  /** Changes how long one waits. */
  delay(sequence: number, wait: number): void {
    const entry = this.entries.get(sequence);
    if (entry !== undefined) this.add(sequence, entry.delivered, wait, entry.since);
  }

  remove(sequence: number): boolean {
    this.again.delete(sequence);
    return this.entries.delete(sequence);
  }

  stop(): void {
    this.#waiting?.cancel();
    this.entries.clear();
    this.again.clear();
    this.#moments = [];
    this.#earliest.clear();
  }

  #arm(): void {
    const first = this.#moments[0];
    if (first === undefined || first.at >= this.#waitsUntil) return;
    this.#waiting?.cancel();
    this.#waitsUntil = first.at;
    this.#waiting = this.#clock.after(Math.max(0, first.at - this.#clock.now()), () => this.#fire());
  }

  #fire(): void {
    this.#waitsUntil = Infinity;
    this.#waiting = undefined;
    const now = this.#clock.now();
    const { size } = this.again;
    for (let first = this.#moments[0]; first !== undefined && first.at <= now; first = this.#moments[0]) {
      const { sequence } = this.#pop(first);
      const entry = this.entries.get(sequence);
      if (entry === undefined) continue;
      if (entry.due <= now) this.again.add(sequence);
      else this.#push(entry.due, sequence);
    }
    this.#arm();
    if (this.again.size > size) this.#onDue();
  }

  #push(at: number, sequence: number): void {
    const heap = this.#moments;
    this.#earliest.set(sequence, at);
    let place = heap.length;
    heap.push({ at, sequence });
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.#swapIfEarlier(place, parent)) return;
      place = parent;
    }
  }

  #pop<T extends { readonly at: number; readonly sequence: number }>(first: T): T {
    const heap = this.#moments;
    if (this.#earliest.get(first.sequence) === first.at) this.#earliest.delete(first.sequence);
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    heap[0] = last;
    let place = 0;
    for (;;) {
      const left = 2 * place + 1;
      const right = left + 1;
      const smaller = (heap[right]?.at ?? Infinity) < (heap[left]?.at ?? Infinity) ? right : left;
      if (!this.#swapIfEarlier(smaller, place)) return first;
      place = smaller;
    }
  }

  /** Puts one in the place of another when it is earlier. */
  #swapIfEarlier(place: number, other: number): boolean {
    const [one, two] = [this.#moments[place], this.#moments[other]];
    if (one === undefined || two === undefined || one.at >= two.at) return false;
    this.#moments[place] = two;
    this.#moments[other] = one;
    return true;
  }
}
