import type { BrokerMessage } from './broker-message.js';
import { Entry } from './entry.js';
import type { Owner } from './owner.js';
import type { QueueArguments } from './queue-arguments.js';
import type { BrokerQueue, Consumer, QueueDefinition, QueueHost, SavedMessages } from './queue-types.js';
import { StreamLog } from './stream-log.js';
import { startOf, STREAM_OFFSET } from './stream-offset.js';

/** What a stream keeps at most, whatever its arguments say. */
const MAX_MESSAGES = 100_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** Messages that are dropped, or handed out with so many bytes, in one step. */
const MAX_DROPPED = 100;
const MAX_HANDED_OUT = 100;
const MAX_HANDED_OUT_BYTES = 512 * 1024;

/** A stream: messages stay when they are read, and each consumer reads from where it wants. */
export class StreamQueue implements BrokerQueue {
  readonly owners = new Set<Owner>();
  readonly definition: QueueDefinition;
  readonly settings: QueueArguments;
  readonly hasExclusiveConsumer = false;
  readonly isCrowded = false;
  /** What was delivered stays, so that nothing is to be settled. */
  readonly unsettledCount = 0;
  readonly #host: QueueHost;
  #log = new StreamLog();
  /** The offset that each consumer reads next. */
  readonly #offsets = new Map<Consumer, number>();
  /** Consumers that may take a message, next to be asked first. */
  #ready = new Set<Consumer>();
  /** Consumers that have read all there is. */
  #atEnd = new Set<Consumer>();
  /** Whether a job drops or hands out what was too much for one step. */
  #isCatchingUp = false;
  #isDeleted = false;

  constructor(definition: QueueDefinition, settings: QueueArguments, host: QueueHost) {
    this.definition = definition;
    this.settings = settings;
    this.#host = host;
  }

  get name(): string {
    return this.definition.name;
  }

  get messageCount(): number {
    return this.#log.length;
  }

  get consumerCount(): number {
    return this.#offsets.size;
  }

  get isDeleted(): boolean {
    return this.#isDeleted;
  }

  push(message: BrokerMessage): boolean {
    this.#append(message, this.#host.clock.now());
    if (this.#ready.size === 0) [this.#ready, this.#atEnd] = [this.#atEnd, this.#ready];
    else {
      for (const consumer of this.#atEnd) this.#ready.add(consumer);
      this.#atEnd.clear();
    }
    this.pump();
    return true;
  }

  dropExpired(): boolean {
    return this.#dropSome();
  }

  /** Streams are read by consumers only. */
  take(): undefined {
    return undefined;
  }

  wake(consumer: Consumer): void {
    if (this.#offsets.has(consumer) && !this.#atEnd.has(consumer)) this.#ready.add(consumer);
  }

  pump(): void {
    if (this.#isCatchingUp || (this.#dropSome() && this.#handOutSome())) return;
    this.#isCatchingUp = true;
    this.#host.jobs.add(this.#catchUp());
  }

  // A message stays, whatever its reader says of it.
  settle(): void {}
  holdBack(): void {}
  goOn(): void {}
  takeBack(): void {}
  reject(): void {}

  /** What is too old is gone before anybody looks. */
  touch(): void {
    while (!this.#dropSome());
  }

  purge(): number {
    const { length, bytes, next } = this.#log;
    this.#host.memory.bytes -= bytes;
    this.#log = new StreamLog(next);
    return length;
  }

  /** @throws AmqpError 406 for an offset that is none, 506 when there are too many consumers */
  addConsumer(consumer: Consumer): void {
    const { clock, memory } = this.#host;
    this.touch();
    const given = consumer.arguments.get(STREAM_OFFSET);
    const start = startOf(given, this.#log, clock.now(), `queue '${this.name}' in vhost '/'`);
    memory.makeRoom();
    this.#offsets.set(consumer, start);
    this.#ready.add(consumer);
  }

  removeConsumer(consumer: Consumer): void {
    if (!this.#offsets.delete(consumer)) return;
    this.#ready.delete(consumer);
    this.#atEnd.delete(consumer);
    this.#host.memory.entities -= 1;
  }

  save(): SavedMessages {
    return { messages: this.#log.values(), first: this.#log.first };
  }

  restore({ messages, first = 0 }: SavedMessages): void {
    this.#log = new StreamLog(first);
    for (const { message, at = this.#host.clock.now() } of messages) this.#append(message, at);
    // Who reads on is not given again what it may have read.
    for (const consumer of this.#offsets.keys()) this.#offsets.set(consumer, this.#log.next);
  }

  clear(): void {
    this.purge();
    this.restore({ messages: [] });
  }

  delete(): void {
    this.#isDeleted = true;
    this.purge();
    if (this.#offsets.size > 0) this.#host.jobs.add(this.#cancelAll());
  }

  *#cancelAll(): Generator {
    for (const consumer of this.#offsets.keys()) {
      consumer.cancelled();
      this.removeConsumer(consumer);
      yield;
    }
  }

  #append(message: BrokerMessage, at: number): void {
    const before = this.#log.bytes;
    this.#log.push({ message, at });
    this.#host.memory.bytes += this.#log.bytes - before;
  }

  /** Drops what is too old or too much, but not too many in one step; says whether it is done. */
  #dropSome(): boolean {
    const before = this.#log.bytes;
    let dropped = 0;
    for (; dropped < MAX_DROPPED && this.#isBeyondLimits(); dropped += 1) this.#log.shift();
    this.#host.memory.bytes += this.#log.bytes - before;
    return dropped < MAX_DROPPED;
  }

  #isBeyondLimits(): boolean {
    const { length, first, bytes, bodyBytes } = this.#log;
    const { maxAge = Infinity, maxLengthBytes = Infinity } = this.settings;
    if (length === 0) return false;
    if (length > MAX_MESSAGES || bytes > MAX_BYTES) return true;
    if (length > 1 && bodyBytes > maxLengthBytes) return true;
    return (this.#log.at(first)?.at ?? 0) + maxAge <= this.#host.clock.now();
  }

  /** Says whether that was all that can go now. */
  #handOutSome(): boolean {
    let count = 0;
    let bytes = 0;
    for (const consumer of this.#ready) {
      for (;;) {
        const offset = Math.max(this.#offsets.get(consumer) ?? 0, this.#log.first);
        const logged = this.#log.at(offset);
        const canTake = logged !== undefined && consumer.canTake();
        if (!canTake || count === MAX_HANDED_OUT || bytes > MAX_HANDED_OUT_BYTES)
          this.#ready.delete(consumer);
        if (logged === undefined) this.#atEnd.add(consumer);
        if (!canTake) break;
        if (count === MAX_HANDED_OUT || bytes > MAX_HANDED_OUT_BYTES) {
          // The others are first in the next step.
          this.#ready.add(consumer);
          return false;
        }
        this.#offsets.set(consumer, offset + 1);
        count += 1;
        bytes += logged.message.size;
        consumer.deliver(entryOf(logged.message, offset));
      }
    }
    return true;
  }

  *#catchUp(): Generator {
    try {
      while (!this.#dropSome() || !this.#handOutSome()) yield;
    } finally {
      this.#isCatchingUp = false;
    }
  }
}

/** A message as a reader gets it: it says where it stands. As in RabbitMQ a 64-bit number, whatever it is. */
function entryOf(message: BrokerMessage, offset: number): Entry {
  const place = { position: offset, priority: 0, expiresAt: undefined, returns: undefined };
  return new Entry(message.withHeader(STREAM_OFFSET, BigInt(offset)), place);
}
