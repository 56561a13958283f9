import type { BrokerMessage } from './broker-message.js';
import type { QueueEntry } from './queue-entry.js';
import { ReturnedList } from './returned-list.js';
import type { Subscription } from './subscription.js';

/** A message of a queue in a snapshot of the broker. */
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
  /** Nothing would be lost without this queue any more. */
  unused(queue: Queue): void;
  /** There is more to send than was sent in one step: goes on with {@link Queue.dispatchSome} in later ones. */
  dispatchLater(queue: Queue): void;
}

const MANY = 1_000;
/** Messages, and bytes of them, that are sent in one step. */
const MAX_SENT = 100;
const MAX_BYTES = 512 * 1024;

/** A queue: each message goes to one of its consumers, and waits until there is one that takes it. */
export class Queue {
  readonly name: string;
  readonly #owner: QueueOwner;
  readonly #consumers = new Set<Subscription>();
  /** Those of them that have come by a pattern. */
  readonly #wild = new Set<Subscription>();
  /** Those that may take a message, next to be asked first. */
  readonly #ready = new Set<Subscription>();
  #waiting: (QueueEntry | undefined)[] = [];
  #first = 0;
  /** Came back from a consumer; they go before all that waits, in their order. */
  #returned = new ReturnedList();
  readonly #inFlight = new Set<QueueEntry>();
  #sequence = 0;
  #isDispatching = false;
  /** Whether the owner goes on by {@link dispatchSome}. */
  #isLater = false;
  #holds = 0;

  constructor(name: string, owner: QueueOwner) {
    this.name = name;
    this.#owner = owner;
  }

  /** How many messages wait for a consumer. */
  get waiting(): number {
    return this.#returned.length + this.#waiting.length - this.#first;
  }

  /** How many were sent and are not acknowledged. */
  get unacknowledged(): number {
    return this.#inFlight.size;
  }

  get consumers(): number {
    return this.#consumers.size;
  }

  get hasConsumer(): boolean {
    return this.#consumers.size > 0;
  }

  /** Whether nothing would be lost without it: those who have come by a pattern come to a new one as well. */
  get isUnused(): boolean {
    return this.waiting === 0 && this.#inFlight.size === 0 && this.#consumers.size === this.#wild.size;
  }

  add(message: BrokerMessage, isRedelivered = false): void {
    this.#waiting.push({ message, sequence: this.#sequence, isRedelivered });
    this.#sequence += 1;
  }

  attach(consumer: Subscription): void {
    this.#consumers.add(consumer);
    this.#ready.add(consumer);
  }

  /** {@link attach} for one whose pattern matches the name. */
  attachWild(consumer: Subscription): void {
    this.attach(consumer);
    this.#wild.add(consumer);
  }

  detach(consumer: Subscription): void {
    this.#consumers.delete(consumer);
    this.#wild.delete(consumer);
    this.#ready.delete(consumer);
  }

  /** A consumer may take messages again; see {@link dispatch}. */
  wake(consumer: Subscription): void {
    if (this.#consumers.has(consumer)) this.#ready.add(consumer);
  }

  /** All consumers may take messages again. */
  wakeAll(): void {
    for (const consumer of this.#consumers) this.#ready.add(consumer);
  }

  /** Sends nothing until {@link goOn}: while many messages come back, so that their order is kept. */
  holdBack(): void {
    this.#holds += 1;
  }

  /** Ends {@link holdBack}; see {@link dispatch}. */
  goOn(): void {
    this.#holds -= 1;
  }

  /** Sends what waits to consumers that are ready, in turn: some at once, what is more in later steps. */
  dispatch(): void {
    if (this.#isLater || this.dispatchSome()) return;
    this.#isLater = true;
    this.#owner.dispatchLater(this);
  }

  /** The owner has done with {@link QueueOwner.dispatchLater}. */
  laterEnded(): void {
    this.#isLater = false;
  }

  /** Says whether that was all that can go now. */
  dispatchSome(): boolean {
    if (this.#isDispatching || this.#holds > 0) return true;
    this.#isDispatching = true;
    try {
      for (let count = 0, bytes = 0; this.waiting > 0; count += 1) {
        if (count === MAX_SENT || bytes > MAX_BYTES) return false;
        const consumer = this.#nextConsumer();
        const entry = consumer === undefined ? undefined : this.#take();
        if (consumer === undefined || entry === undefined) break;
        this.#inFlight.add(entry);
        bytes += entry.message.size;
        consumer.deliver(this, entry);
      }
      return true;
    } finally {
      this.#isDispatching = false;
    }
  }

  /** A message that was sent needs not come back. */
  consumed(entry: QueueEntry): void {
    if (!this.#inFlight.delete(entry)) return;
    this.#owner.released(entry.message);
    if (this.isUnused) this.#owner.unused(this);
  }

  /** A message that was sent waits again, at its old place; see {@link dispatch}. */
  takeBack(entry: QueueEntry): void {
    if (!this.#inFlight.delete(entry)) return;
    entry.isRedelivered = true;
    this.#returned.insert(entry);
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
    const entries = [...this.#inFlight, ...this.#returned.values(), ...waiting];
    return entries
      .sort((a, b) => a.sequence - b.sequence)
      .map(({ message, isRedelivered }) => ({ message, isRedelivered }));
  }

  /** Drops all messages, those that wait for an acknowledgement included. */
  dropAll(): void {
    for (const entry of this.#inFlight) this.#owner.released(entry.message);
    this.#inFlight.clear();
    while (this.dropOldest());
  }

  /** Forgets all messages; consumers stay. */
  clear(): void {
    this.#waiting = [];
    this.#first = 0;
    this.#returned = new ReturnedList();
    this.#inFlight.clear();
  }

  #nextConsumer(): Subscription | undefined {
    for (const consumer of this.#ready) {
      this.#ready.delete(consumer);
      // One that can take no more is not asked again until it is woken.
      if (!consumer.isReady || (consumer.mode !== 'auto' && this.#owner.isFull)) continue;
      this.#ready.add(consumer);
      return consumer;
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
