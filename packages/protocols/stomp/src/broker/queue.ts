import type { BrokerMessage } from './broker-message.js';
import type { Subscription } from './subscription.js';

/** A message in a queue. */
export interface QueueEntry {
  readonly message: BrokerMessage;
  /** Its place in the queue. */
  readonly sequence: number;
  isRedelivered: boolean;
}

/** A message of a queue in a picture of the broker. */
export interface SavedEntry {
  readonly message: BrokerMessage;
  readonly isRedelivered: boolean;
}

/** What a queue tells its owner. */
export interface QueueOwner {
  /** Whether nothing more may be sent that could come back. */
  readonly isFull: boolean;
  /** A message is gone: consumed or dropped. */
  released(message: BrokerMessage): void;
}

const MANY = 1_000;

/** A queue: each message goes to one of its consumers, and waits until there is one that takes it. */
export class Queue {
  readonly name: string;
  readonly #owner: QueueOwner;
  readonly #consumers: Subscription[] = [];
  #waiting: (QueueEntry | undefined)[] = [];
  #first = 0;
  /** Came back from a consumer; they go before all that waits, in their order. */
  #returned: QueueEntry[] = [];
  readonly #inFlight = new Set<QueueEntry>();
  #next = 0;
  #sequence = 0;
  #isDispatching = false;

  constructor(name: string, owner: QueueOwner) {
    this.name = name;
    this.#owner = owner;
  }

  /** How many messages wait for a consumer. */
  get waiting(): number {
    return this.#returned.length + this.#waiting.length - this.#first;
  }

  get hasConsumer(): boolean {
    return this.#consumers.length > 0;
  }

  /** Whether nothing would be lost without it. */
  get isUnused(): boolean {
    return this.waiting === 0 && this.#inFlight.size === 0 && this.#consumers.length === 0;
  }

  add(message: BrokerMessage, isRedelivered = false): void {
    this.#waiting.push({ message, sequence: this.#sequence, isRedelivered });
    this.#sequence += 1;
  }

  attach(consumer: Subscription): void {
    this.#consumers.push(consumer);
  }

  detach(consumer: Subscription): void {
    const place = this.#consumers.indexOf(consumer);
    if (place >= 0) this.#consumers.splice(place, 1);
  }

  /** Sends what waits to consumers that are ready, in turn. */
  dispatch(): void {
    if (this.#isDispatching) return;
    this.#isDispatching = true;
    try {
      while (this.waiting > 0) {
        const consumer = this.#nextConsumer();
        if (consumer === undefined) return;
        const entry = this.#take();
        if (entry === undefined) return;
        this.#inFlight.add(entry);
        consumer.deliver(this, entry);
      }
    } finally {
      this.#isDispatching = false;
    }
  }

  /** A message that was sent needs not come back. */
  consumed(entry: QueueEntry): void {
    if (this.#inFlight.delete(entry)) this.#owner.released(entry.message);
  }

  /** A message that was sent waits again, at its old place; see {@link dispatch}. */
  takeBack(entry: QueueEntry): void {
    if (!this.#inFlight.delete(entry)) return;
    entry.isRedelivered = true;
    let place = this.#returned.length;
    while (place > 0 && (this.#returned[place - 1]?.sequence ?? 0) > entry.sequence) place -= 1;
    this.#returned.splice(place, 0, entry);
  }

  /** Drops the oldest message that waits. @returns whether there was one */
  dropOldest(): boolean {
    const entry = this.#take();
    if (entry !== undefined) this.#owner.released(entry.message);
    return entry !== undefined;
  }

  /** All messages in order, those that wait for an acknowledgement included. */
  save(): SavedEntry[] {
    const waiting = this.#waiting.slice(this.#first).filter((entry) => entry !== undefined);
    const entries = [...this.#inFlight, ...this.#returned, ...waiting];
    return entries
      .sort((a, b) => a.sequence - b.sequence)
      .map(({ message, isRedelivered }) => ({ message, isRedelivered }));
  }

  /** Forgets all messages; consumers stay. */
  clear(): void {
    this.#waiting = [];
    this.#first = 0;
    this.#returned = [];
    this.#inFlight.clear();
  }

  #nextConsumer(): Subscription | undefined {
    const consumers = this.#consumers;
    for (let tried = 0; tried < consumers.length; tried += 1) {
      this.#next = (this.#next + 1) % consumers.length;
      const consumer = consumers[this.#next];
      if (consumer?.isReady !== true) continue;
      if (consumer.mode === 'auto' || !this.#owner.isFull) return consumer;
    }
    return undefined;
  }

  #take(): QueueEntry | undefined {
    if (this.#returned.length > 0) return this.#returned.shift();
    const entry = this.#waiting[this.#first];
    if (entry === undefined) return undefined;
    this.#waiting[this.#first] = undefined;
    this.#first += 1;
    if (this.#first === this.#waiting.length || this.#first > MANY) {
      this.#waiting = this.#waiting.slice(this.#first);
      this.#first = 0;
    }
    return entry;
  }
}
