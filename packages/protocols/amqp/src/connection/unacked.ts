import { NEXT_TURN } from '@backlot/kit';
import type { Entry } from '../broker/entry.js';
import type { BrokerQueue, Consumer, ReturnCause } from '../broker/queue-types.js';
import { AmqpError } from '../wire/amqp-error.js';
import { REPLY } from '../wire/reply-codes.js';

/** As many messages may wait for their acknowledgement on one channel. */
export const MAX_UNACKED = 100_000;

/** Who holds messages until they are acknowledged: a consumer of a channel. */
export interface Holder extends Consumer {
  /** Where its messages come from. */
  readonly queue: BrokerQueue;
  /** How many of its messages wait for their acknowledgement. */
  unackedCount: number;
}

/** A message that a client has got and not acknowledged yet. */
export interface Delivery {
  readonly tag: number;
  readonly entry: Entry;
  readonly queue: BrokerQueue;
  /** Absent for a message that was fetched with basic.get. */
  readonly consumer: Holder | undefined;
}

/** The messages of a channel that wait for their acknowledgement, in the order of their tags. */
export class Unacked {
  #deliveries = new Map<number, Delivery>();
  #lastTag = 0;

  get size(): number {
    return this.#deliveries.size;
  }

  /** Whether no more may be handed out before some are acknowledged. */
  get isFull(): boolean {
    return this.#deliveries.size >= MAX_UNACKED;
  }

  /** The next delivery tag. */
  nextTag(): number {
    this.#lastTag += 1;
    return this.#lastTag;
  }

  add(delivery: Delivery): void {
    this.#deliveries.set(delivery.tag, delivery);
  }

  /**
   * Takes out what an acknowledgement is about; with `multiple` all up to the tag, and tag 0 is all there are.
   *
   * @throws AmqpError 406 when there is no such tag
   */
  take(tag: number, multiple: boolean): readonly Delivery[] {
    if (!multiple) {
      const delivery = this.#deliveries.get(tag);
      if (delivery === undefined) throw unknownTag(tag);
      this.#deliveries.delete(tag);
      return [delivery];
    }
    if (tag === 0) return this.takeAll();
    const taken: Delivery[] = [];
    for (const delivery of this.#deliveries.values()) {
      if (delivery.tag > tag) break;
      taken.push(delivery);
    }
    if (taken.length === 0) throw unknownTag(tag);
    if (taken.length === this.#deliveries.size) this.#deliveries = new Map();
    else for (const delivery of taken) this.#deliveries.delete(delivery.tag);
    return taken;
  }

  /** Takes out all. */
  takeAll(): readonly Delivery[] {
    const all = [...this.#deliveries.values()];
    this.#deliveries = new Map();
    return all;
  }

  /** Puts back what was taken out. */
  restoreSnapshot(deliveries: readonly Delivery[]): void {
    const all = [...this.#deliveries.values(), ...deliveries].sort((a, b) => a.tag - b.tag);
    this.#deliveries = new Map(all.map((delivery) => [delivery.tag, delivery]));
  }
}

function unknownTag(tag: number): AmqpError {
  return new AmqpError(REPLY.preconditionFailed, `unknown delivery tag ${tag}`);
}

/** Deliveries that are handled in one step. */
const AT_ONCE = 100;

/** Does the same with many deliveries, in steps between which others may be let in. */
export function* inSteps(
  deliveries: readonly Delivery[],
  each: (batch: readonly Delivery[]) => void,
): Generator<undefined, void> {
  for (let from = 0; from < deliveries.length; from += AT_ONCE) {
    each(deliveries.slice(from, from + AT_ONCE));
    yield;
  }
}

/**
 * Gives messages back to their queues, which hand out nothing before all are there, so that their order is kept.
 *
 * @param settled - told of those that are given back
 */
export function* giveBack(
  deliveries: readonly Delivery[],
  settled: (batch: readonly Delivery[]) => void,
  cause: ReturnCause = 'requeued',
): Generator<typeof NEXT_TURN | undefined, void> {
  const queues = new Set<BrokerQueue>();
  for (let from = 0; from < deliveries.length; from += AT_ONCE) {
    const batch = deliveries.slice(from, from + AT_ONCE);
    // What has come back too often goes on to other queues, and must not come faster than those take it.
    while (batch.some(({ queue }) => queue.isCrowded)) yield NEXT_TURN;
    for (const { queue, entry } of batch) {
      if (!queues.has(queue)) queue.holdBack();
      queues.add(queue);
      queue.takeBack(entry, cause);
    }
    settled(batch);
    yield;
  }
  for (const queue of queues) {
    queue.goOn();
    yield;
  }
}
