import type { ConsumerConfig } from './consumer-config.js';
import type { PendingAcks } from './pending-acks.js';

/** A place in what a consumer does: its own number of a delivery, and the sequence in the stream. */
export type Place = readonly [delivered: number, sequence: number];

/** Up to where all that a consumer has delivered is acknowledged. */
export class AckFloor {
  readonly #pending: PendingAcks;
  readonly #counts: Map<number, number>;
  place: Place = [0, 0];

  /**
   * @param pending - what waits for acknowledgements
   * @param counts - how often that was delivered again
   */
  constructor(pending: PendingAcks, counts: Map<number, number>) {
    this.#pending = pending;
    this.#counts = counts;
  }

  /**
   * Takes an acknowledgement.
   *
   * @param at - what it names
   * @param end - where the consumer is now
   * @returns the sequences that the consumer has done with now
   */
  settle(policy: ConsumerConfig['ack_policy'], at: Place, end: Place): readonly number[] {
    if (policy === 'explicit') return this.#settleOne(at, end);
    return policy === 'all' ? this.#settleAll(at) : [];
  }

  /**
   * Moves up to where all is acknowledged, after a message has gone from what waits.
   *
   * @param at - that message; without the number of its delivery where that is not known
   * @param end - where the consumer is now
   */
  move([delivered, sequence]: readonly [number | undefined, number], end: Place): void {
    const [number, floor] = this.place;
    if (this.#pending.size === 0) this.place = [end[0], Math.max(end[1], floor)];
    else if (delivered === undefined || delivered === number + 1) {
      const [first] = this.#pending.entries.values();
      if (first === undefined || first.sequence <= sequence) return;
      this.place = [Math.max(first.delivered - 1, number), Math.max(first.sequence - 1, floor)];
    }
  }

  /** Many messages are gone: those of them that waited do so no more. */
  purged(isThere: (sequence: number) => boolean, end: Place): void {
    for (const sequence of [...this.#pending.entries.keys()]) if (!isThere(sequence)) this.#forget(sequence);
    if (this.#pending.size === 0) this.place = end;
  }

  #settleOne([delivered, sequence]: Place, end: Place): readonly number[] {
    const entry = this.#pending.entries.get(sequence);
    this.#forget(sequence);
    this.move([entry?.delivered ?? delivered, sequence], end);
    return entry === undefined ? [] : [sequence];
  }

  #settleAll(at: Place): readonly number[] {
    if (at[0] <= this.place[0] || at[1] <= this.place[1]) return [];
    this.place = at;
    const settled: number[] = [];
    for (const waiting of this.#pending.entries.keys()) {
      if (waiting > at[1]) break;
      settled.push(waiting);
    }
    for (const waiting of settled) this.#forget(waiting);
    return settled;
  }

  #forget(sequence: number): void {
    this.#pending.remove(sequence);
    this.#counts.delete(sequence);
  }
}
