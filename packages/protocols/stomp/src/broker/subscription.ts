import type { BrokerMessage } from './broker-message.js';
import type { QueueEntry } from './queue-entry.js';
import type { Queue } from './queue.js';

/** How a client acknowledges (header `ack` of SUBSCRIBE). */
export type AckMode = 'auto' | 'client' | 'client-individual';

/** More unacknowledged messages than this wait for nobody: a queue sends no more, a topic forgets the oldest. */
const MAX_UNACKNOWLEDGED = 10_000;

/** One message as it is sent to one subscription. */
export interface Delivery {
  readonly subscription: Subscription;
  readonly message: BrokerMessage;
  /** What the client acknowledges it by; `undefined` in mode `auto`. */
  readonly tag: string | undefined;
  readonly isRedelivered: boolean;
}

/** The client behind a subscription. */
export interface Receiver {
  /** Whether it takes a message of a queue now; the broker is told when it does again. */
  readonly isReady: boolean;
  /** The tag for the next message of a subscription with acknowledgements. */
  nextTag(subscription: Subscription, message: BrokerMessage): string;
  /** Sends a message of a queue; its client is waited for. */
  deliver(delivery: Delivery): void;
  /** Sends a message of a topic; a client that does not keep up is cut off. */
  push(delivery: Delivery): void;
}

/** What a client asked for with SUBSCRIBE. */
export interface SubscriptionOptions {
  readonly destination: string;
  readonly mode: AckMode;
  /** Most messages that may wait to be acknowledged; as many as the server allows when absent. */
  readonly prefetch: number | undefined;
  /** Its number within the session. */
  readonly number: number;
  /** The header line that names it to the client; empty when the client has given no name (1.0). */
  readonly line: string;
}

/** Where an unacknowledged message goes back to; nowhere when it came from a topic or a reset has dropped it. */
interface Origin {
  readonly queue: Queue;
  readonly entry: QueueEntry;
}

/** One subscription of one client. */
export class Subscription {
  readonly receiver: Receiver;
  readonly destination: string;
  readonly mode: AckMode;
  readonly number: number;
  readonly line: string;
  /** Whether the client wants no more of it. */
  isEnded = false;
  readonly #prefetch: number;
  /** By tag, oldest first. */
  readonly #unacknowledged = new Map<string, Origin | undefined>();

  constructor(receiver: Receiver, options: SubscriptionOptions) {
    this.receiver = receiver;
    this.destination = options.destination;
    this.mode = options.mode;
    this.number = options.number;
    this.line = options.line;
    this.#prefetch = Math.min(options.prefetch ?? MAX_UNACKNOWLEDGED, MAX_UNACKNOWLEDGED);
  }

  /** Whether it takes a message of its queue now. */
  get isReady(): boolean {
    return this.receiver.isReady && this.#unacknowledged.size < this.#prefetch;
  }

  /** Sends a message of its queue. */
  deliver(queue: Queue, entry: QueueEntry): void {
    const tag = this.mode === 'auto' ? undefined : this.receiver.nextTag(this, entry.message);
    if (tag === undefined) queue.consumed(entry);
    else this.#unacknowledged.set(tag, { queue, entry });
    this.receiver.deliver({
      subscription: this,
      message: entry.message,
      tag,
      isRedelivered: entry.isRedelivered,
    });
  }

  /** Sends a message of its topic. */
  push(message: BrokerMessage): void {
    let tag: string | undefined;
    if (this.mode !== 'auto') {
      tag = this.receiver.nextTag(this, message);
      const [oldest] = this.#unacknowledged.size < MAX_UNACKNOWLEDGED ? [] : this.#unacknowledged.keys();
      if (oldest !== undefined) this.#unacknowledged.delete(oldest);
      this.#unacknowledged.set(tag, undefined);
    }
    this.receiver.push({ subscription: this, message, tag, isRedelivered: false });
  }

  /** Whether a message with this tag waits to be acknowledged. */
  has(tag: string): boolean {
    return this.#unacknowledged.has(tag);
  }

  /**
   * Acknowledges a message, or returns it to its queue; in mode `client` with all that were sent before it. A tag that is
   * not known any more does nothing.
   *
   * @returns whether it takes messages again and did not before
   */
  settle(tag: string, isConsumed: boolean): boolean {
    if (!this.#unacknowledged.has(tag)) return false;
    const wasFull = this.#unacknowledged.size >= this.#prefetch;
    const tags = this.mode === 'client' ? this.#tagsUpTo(tag) : [tag];
    const queues = new Set<Queue>();
    for (const each of tags) {
      const origin = this.#unacknowledged.get(each);
      this.#unacknowledged.delete(each);
      if (origin === undefined) continue;
      if (isConsumed) origin.queue.consumed(origin.entry);
      else origin.queue.takeBack(origin.entry);
      queues.add(origin.queue);
    }
    for (const queue of queues) {
      queue.wake(this);
      queue.dispatch();
    }
    return wasFull;
  }

  /** Returns all that waits to its queue, in steps, without sending it on yet. */
  *takeBackAll(): Generator {
    for (const origin of this.#unacknowledged.values()) {
      origin?.queue.takeBack(origin.entry);
      yield;
    }
    this.#unacknowledged.clear();
  }

  /** After a reset: what was sent may still be acknowledged, and comes back no more. */
  forgetOrigins(): void {
    for (const tag of this.#unacknowledged.keys()) this.#unacknowledged.set(tag, undefined);
  }

  #tagsUpTo(tag: string): string[] {
    const tags: string[] = [];
    for (const each of this.#unacknowledged.keys()) {
      tags.push(each);
      if (each === tag) break;
    }
    return tags;
  }
}
