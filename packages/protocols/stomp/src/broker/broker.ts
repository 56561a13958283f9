import type { BrokerMessage } from './broker-message.js';
import { isQueue } from './destination.js';
import { Queue, type SavedEntry } from './queue.js';
import type { Subscription } from './subscription.js';

/** Messages in one queue, and bytes in all of them; the oldest make room. */
const MAX_WAITING = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** A picture of all queues. */
export type SavedQueues = readonly (readonly [name: string, entries: readonly SavedEntry[]])[];

/**
 * Queues and topics in memory. A message of a queue goes to one consumer and waits for one; a message of a topic goes to
 * all who are subscribed at that moment.
 */
export class Broker {
  readonly #queues = new Map<string, Queue>();
  readonly #topics = new Map<string, Set<Subscription>>();
  readonly #subscriptions = new Set<Subscription>();
  readonly #onDrop: (queue: string) => void;
  #hasDropped = false;
  #wasFull = false;
  #bytes = 0;

  /** @param onDrop - told when a queue drops a message, once until the next reset */
  constructor(onDrop: (queue: string) => void) {
    this.#onDrop = onDrop;
  }

  /** Bytes that the messages of all queues hold, those that wait for an acknowledgement included. */
  get bytes(): number {
    return this.#bytes;
  }

  get isFull(): boolean {
    const isFull = this.#bytes > MAX_BYTES;
    this.#wasFull ||= isFull;
    return isFull;
  }

  publish(message: BrokerMessage): void {
    const { destination } = message;
    if (!isQueue(destination)) {
      const subscriptions = this.#topics.get(destination);
      if (subscriptions !== undefined) for (const each of subscriptions) each.push(message);
      return;
    }
    const queue = this.#queueOf(destination);
    this.#bytes += message.size;
    queue.add(message);
    queue.dispatch();
    if (queue.waiting === 0) return;
    message.detach();
    this.#makeRoom(queue);
  }

  /** Whether somebody is subscribed there. */
  hasReceiver(destination: string): boolean {
    return this.#topics.has(destination) || this.#queues.get(destination)?.hasConsumer === true;
  }

  /** Begins a subscription; what waits in its queue is sent at once. */
  subscribe(subscription: Subscription): void {
    const { destination } = subscription;
    this.#subscriptions.add(subscription);
    if (isQueue(destination)) {
      this.#queueOf(destination).attach(subscription);
      return;
    }
    let topic = this.#topics.get(destination);
    if (topic === undefined) this.#topics.set(destination, (topic = new Set()));
    topic.add(subscription);
  }

  /** Ends subscriptions of one client together: what they have not acknowledged goes to others. */
  unsubscribe(subscriptions: Iterable<Subscription>): void {
    const ended = [...subscriptions];
    for (const subscription of ended) {
      const { destination } = subscription;
      this.#subscriptions.delete(subscription);
      this.#queues.get(destination)?.detach(subscription);
      const topic = this.#topics.get(destination);
      if (topic?.delete(subscription) === true && topic.size === 0) this.#topics.delete(destination);
    }
    for (const subscription of ended) subscription.takeBackAll();
    for (const { destination } of ended) this.dispatch(destination);
    this.relieve();
  }

  /** After messages were consumed: goes on with what had to wait for that. */
  relieve(): void {
    if (!this.#wasFull || this.isFull) return;
    this.#wasFull = false;
    for (const name of [...this.#queues.keys()]) this.dispatch(name);
  }

  /** Sends what waits in a queue to who is ready. */
  dispatch(destination: string): void {
    const queue = this.#queues.get(destination);
    if (queue === undefined) return;
    queue.dispatch();
    if (queue.isUnused) this.#queues.delete(destination);
  }

  released(message: BrokerMessage): void {
    this.#bytes -= message.size;
  }

  save(): SavedQueues {
    return Array.from(this.#queues.values(), (queue) => [queue.name, queue.save()] as const).filter(
      ([, entries]) => entries.length > 0,
    );
  }

  /** Puts a picture back. Subscriptions stay; what was sent before and is acknowledged later means nothing any more. */
  restore(saved: SavedQueues): void {
    for (const subscription of this.#subscriptions) subscription.forgetOrigins();
    for (const queue of this.#queues.values()) queue.clear();
    this.#bytes = 0;
    this.#hasDropped = false;
    this.#wasFull = false;
    for (const [name, entries] of saved) {
      const queue = this.#queueOf(name);
      for (const { message, isRedelivered } of entries) {
        queue.add(message, isRedelivered);
        this.#bytes += message.size;
      }
    }
    for (const name of [...this.#queues.keys()]) this.dispatch(name);
  }

  #queueOf(name: string): Queue {
    let queue = this.#queues.get(name);
    if (queue === undefined) this.#queues.set(name, (queue = new Queue(name, this)));
    return queue;
  }

  #makeRoom(queue: Queue): void {
    if (queue.waiting > MAX_WAITING) this.#drop(queue);
    if (this.#bytes <= MAX_BYTES) return;
    for (const [name, each] of this.#queues) {
      while (this.#bytes > MAX_BYTES && each.waiting > 0) this.#drop(each);
      if (each.isUnused) this.#queues.delete(name);
      if (this.#bytes <= MAX_BYTES) return;
    }
  }

  #drop(queue: Queue): void {
    queue.dropOldest();
    if (this.#hasDropped) return;
    this.#hasDropped = true;
    this.#onDrop(queue.name);
  }
}
