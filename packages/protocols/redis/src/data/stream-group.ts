import { CommandError } from '../wire/errors.js';
import { ById, type StreamId } from './by-id.js';

/** What these take in memory beside their names: a pending entry stands in two lists. */
const PENDING_BYTES = 192;
const CONSUMER_BYTES = 320;
const GROUP_BYTES = 512;
/** Most consumers of a group. */
const MAX_CONSUMERS = 10_000;

/** An entry that was delivered and not acknowledged. */
export interface Pending {
  readonly id: StreamId;
  consumer: Consumer;
  /** Milliseconds since 1970. */
  deliveredAt: number;
  deliveries: number;
}

/** A consumer of a group. */
export interface Consumer {
  readonly name: string;
  /** Milliseconds since 1970. */
  seenAt: number;
  readonly pending: ById<Pending>;
}

/** A consumer group of a stream. */
export class StreamGroup {
  readonly name: string;
  lastId: StreamId;
  /** How many entries were read, counted from the first that the stream ever had; `undefined`: that is not known. */
  entriesRead: number | undefined;
  readonly pending = new ById<Pending>();
  readonly #consumers = new Map<string, Consumer>();
  readonly #meter: (bytes: number) => void;
  #bytes = 0;

  /**
   * @param entriesRead - see {@link StreamGroup.entriesRead}
   * @param meter - told how many bytes more (or less) the group takes
   */
  constructor(
    name: string,
    lastId: StreamId,
    entriesRead: number | undefined,
    meter: (bytes: number) => void,
  ) {
    this.name = name;
    this.lastId = lastId;
    this.entriesRead = entriesRead;
    this.#meter = meter;
    this.#count(GROUP_BYTES + name.length);
  }

  /** The group goes away. */
  drop(): void {
    this.#count(-this.#bytes);
  }

  get consumerCount(): number {
    return this.#consumers.size;
  }

  /** The consumers in the order of their names. */
  consumers(): Consumer[] {
    return [...this.#consumers.values()].sort((one, two) => (one.name < two.name ? -1 : 1));
  }

  consumer(name: string): Consumer | undefined {
    return this.#consumers.get(name);
  }

  /** The consumer of a name, made when there is none, seen at a moment. @throws CommandError when there are too many */
  see(name: string, now: number): Consumer {
    const known = this.#consumers.get(name);
    if (known !== undefined) {
      known.seenAt = now;
      return known;
    }
    if (this.#consumers.size >= MAX_CONSUMERS)
      throw new CommandError(`ERR a group has ${MAX_CONSUMERS} consumers at most`);
    const made: Consumer = { name, seenAt: now, pending: new ById() };
    this.#consumers.set(name, made);
    this.#count(CONSUMER_BYTES + name.length);
    return made;
  }

  /** Removes a consumer with its pending entries, step by step. */
  *remove(consumer: Consumer): Generator<undefined, void> {
    for (const { id } of consumer.pending.range()) {
      if (this.pending.delete(id) !== undefined) this.#count(-PENDING_BYTES);
      yield;
    }
    if (this.#consumers.delete(consumer.name)) this.#count(-CONSUMER_BYTES - consumer.name.length);
  }

  /** Notes that an entry was delivered to a consumer for the first time, or again to another one. */
  deliver(id: StreamId, consumer: Consumer, now: number): void {
    const known = this.pending.get(id);
    if (known === undefined) {
      this.insert({ id, consumer, deliveredAt: now, deliveries: 1 });
      return;
    }
    this.assign(known, consumer);
    known.deliveredAt = now;
    known.deliveries = 1;
  }

  /** Adds what is pending for nobody yet. */
  insert(pending: Pending): void {
    this.pending.add(pending);
    pending.consumer.pending.add(pending);
    this.#count(PENDING_BYTES);
  }

  /** Gives a pending entry to another consumer. */
  assign(pending: Pending, consumer: Consumer): void {
    if (pending.consumer === consumer) return;
    pending.consumer.pending.delete(pending.id);
    pending.consumer = consumer;
    consumer.pending.add(pending);
  }

  /** Whether an entry was pending. */
  acknowledge(id: StreamId): boolean {
    const pending = this.pending.delete(id);
    if (pending === undefined) return false;
    pending.consumer.pending.delete(id);
    this.#count(-PENDING_BYTES);
    return true;
  }

  /** An independent copy, made step by step. */
  *copy(meter: (bytes: number) => void): Generator<undefined, StreamGroup> {
    const made = new StreamGroup(this.name, this.lastId, this.entriesRead, meter);
    for (const { name, seenAt } of this.#consumers.values()) {
      made.see(name, seenAt);
      yield;
    }
    for (const { consumer, ...pending } of this.pending.range()) {
      made.insert({ ...pending, consumer: made.see(consumer.name, consumer.seenAt) });
      yield;
    }
    return made;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#meter(bytes);
  }
}
