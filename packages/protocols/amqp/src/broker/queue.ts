import type { Waiting } from '@backlot/core/plugin';
import { NEXT_TURN } from '@backlot/kit';
import type { BrokerMessage } from './broker-message.js';
import { Entry } from './entry.js';
import type { Owned, Owner } from './owner.js';
import type { QueueArguments } from './queue-arguments.js';
import type { Consumer, DeadReason, QueueDefinition, QueueHost } from './queue-types.js';
import { ReadyList } from './ready-list.js';
import { ConsumerRing } from './consumer-ring.js';

/** Messages that are dropped, or handed out with so many bytes, in one step. */
const MAX_DROPPED = 100;
const MAX_HANDED_OUT = 100;
const MAX_BYTES = 512 * 1024;

/** A queue: messages that wait, and consumers who take turns. */
export class Queue implements Owned {
  readonly owners = new Set<Owner>();
  readonly definition: QueueDefinition;
  readonly settings: QueueArguments;
  readonly #host: QueueHost;
  #ready = new ReadyList();
  readonly #handedOut = new Set<Entry>();
  readonly #consumers = new ConsumerRing<Consumer>();
  #handedOutBytes = 0;
  /** How often {@link holdBack} was called and not {@link goOn}. */
  #holds = 0;
  /** Whether a job drops or hands out what was too much for one step. */
  #isCatchingUp = false;
  #positions = 0;
  #isDeleted = false;
  #expiry: { readonly at: number; readonly waiting: Waiting } | undefined;
  #unused: Waiting | undefined;

  constructor(definition: QueueDefinition, settings: QueueArguments, host: QueueHost) {
    this.definition = definition;
    this.settings = settings;
    this.#host = host;
    this.touch();
  }

  get name(): string {
    return this.definition.name;
  }

  /** How many messages wait. */
  get messageCount(): number {
    return this.#ready.length;
  }

  get consumerCount(): number {
    return this.#consumers.size;
  }

  get isDeleted(): boolean {
    return this.#isDeleted;
  }

  /** Whether a consumer has it for itself. */
  get hasExclusiveConsumer(): boolean {
    return this.#consumers.hasExclusive;
  }

  /** Puts a message in; says whether it was taken. */
  push(message: BrokerMessage): boolean {
    if (this.#refuses()) {
      if (this.settings.overflow === 'reject-publish-dlx') {
        this.#host.deadLetter(this, this.#makeEntry(message), 'maxlen');
      }
      return false;
    }
    const entry = this.#makeEntry(message);
    this.#host.memory.bytes += entry.bytes;
    this.#ready.insert(entry);
    this.pump();
    this.#dropBeyondLength();
    return true;
  }

  /**
   * Drops what has expired, so that {@link take} gives what has not.
   *
   * @returns whether that is done; else call it again in a later step
   */
  dropExpired(): boolean {
    return !this.#isFirstExpired() || this.#dropWhile('expired', () => this.#isFirstExpired());
  }

  /** Takes out the first message for a client that asked for it; the caller settles or requeues it. */
  take(): Entry | undefined {
    this.touch();
    return this.#isFirstExpired() ? undefined : this.#handOut();
  }

  /** A consumer can take more again; see {@link pump}. */
  wake(consumer: Consumer): void {
    this.#consumers.wake(consumer);
  }

  /** Hands out what consumers take: some at once, what is more in later steps. */
  pump(): void {
    if (this.#holds > 0 || this.#isCatchingUp) return;
    if (!this.#handOutSome()) this.#catchUpLater();
    this.#watchFirst();
  }

  /** A message that was handed out is done with. */
  settle(entry: Entry): void {
    if (!this.#handedOut.delete(entry)) return;
    this.#handedOutBytes -= entry.bytes;
    this.#host.memory.bytes -= entry.bytes;
  }

  /** Hands out nothing until {@link goOn}: while many messages come back, so that their order is kept. */
  holdBack(): void {
    this.#holds += 1;
  }

  /** What {@link holdBack} has held up goes on. */
  goOn(): void {
    this.#holds -= 1;
    if (this.#holds > 0) return;
    this.pump();
    this.#dropBeyondLength();
  }

  /** A message that was handed out comes back to where it stood; between {@link holdBack} and {@link goOn}. */
  takeBack(entry: Entry): void {
    if (!this.#handedOut.delete(entry)) return;
    this.#handedOutBytes -= entry.bytes;
    entry.isRedelivered = true;
    this.#ready.insert(entry);
  }

  /** A message that was handed out is not wanted. */
  reject(entry: Entry): void {
    if (!this.#handedOut.has(entry)) return;
    this.settle(entry);
    this.#host.deadLetter(this, entry, 'rejected');
  }

  /** Drops all that waits; says how many messages that were. */
  purge(): number {
    const { length, bytes } = this.#ready;
    this.#host.memory.bytes -= bytes;
    this.#ready = new ReadyList();
    this.#watchFirst();
    return length;
  }

  /** @throws AmqpError 506 when there are too many */
  addConsumer(consumer: Consumer): void {
    this.#host.memory.makeRoom();
    this.#consumers.add(consumer);
    this.touch();
  }

  removeConsumer(consumer: Consumer): void {
    if (!this.#consumers.delete(consumer)) return;
    this.#host.memory.entities -= 1;
    if (this.#isDeleted) return;
    this.touch();
    if (this.#consumers.size > 0) this.pump();
    else if (this.definition.autoDelete) this.#host.abandon(this);
  }

  /** The queue was used: the time after which it goes begins anew. */
  touch(): void {
    const { expires } = this.settings;
    if (expires === undefined) return;
    this.#unused?.cancel();
    this.#unused = undefined;
    if (this.#isDeleted || this.#consumers.size > 0) return;
    this.#unused = this.#host.clock.after(expires, () => this.#host.abandon(this));
  }

  /** The messages, those that were handed out among them, in their order. */
  messages(): readonly BrokerMessage[] {
    return [...this.#handedOut, ...this.#ready.values()]
      .sort((a, b) => (a.comesBefore(b) ? -1 : 1))
      .map((entry) => entry.message);
  }

  /** Forgets all messages, those that were handed out as well: they never come back. */
  clear(): void {
    this.purge();
    this.#host.memory.bytes -= this.#handedOutBytes;
    this.#handedOutBytes = 0;
    this.#handedOut.clear();
    this.touch();
  }

  /** The queue goes, with its messages; consumers are told. */
  delete(): void {
    this.#isDeleted = true;
    this.clear();
    if (this.#consumers.size > 0) this.#host.jobs.add(this.#cancelAll());
  }

  *#cancelAll(): Generator {
    for (const consumer of this.#consumers.values()) {
      consumer.cancelled();
      this.removeConsumer(consumer);
      yield;
    }
  }

  #makeEntry(message: BrokerMessage): Entry {
    const { priority = 0, expiration } = message.properties;
    const { messageTtl, maxPriority } = this.settings;
    const own = expiration === undefined ? Infinity : Number(expiration);
    const ttl = Math.min(own, messageTtl ?? Infinity);
    this.#positions += 1;
    return new Entry(
      message,
      this.#positions,
      Math.min(priority, maxPriority),
      ttl === Infinity ? undefined : this.#host.clock.now() + ttl,
    );
  }

  /** Says whether that was all that can go now. */
  #handOutSome(): boolean {
    let bytes = 0;
    for (let count = 0; this.#holds === 0; count += 1) {
      if (!this.dropExpired()) return false;
      if (this.#ready.length === 0) return true;
      if (count === MAX_HANDED_OUT || bytes > MAX_BYTES) return false;
      const consumer = this.#consumers.next(this.settings.hasSingleActiveConsumer);
      if (consumer === undefined) return true;
      const entry = this.#handOut();
      if (entry === undefined) return true;
      bytes += entry.bytes;
      consumer.deliver(entry, this);
    }
    return true;
  }

  #handOut(): Entry | undefined {
    const entry = this.#ready.shift();
    if (entry === undefined) return undefined;
    this.#handedOut.add(entry);
    this.#handedOutBytes += entry.bytes;
    return entry;
  }

  #refuses(): boolean {
    const { overflow, maxLength = Infinity, maxLengthBytes = Infinity } = this.settings;
    if (overflow === 'drop-head') return false;
    return this.#ready.length >= maxLength || this.#ready.bodyBytes >= maxLengthBytes;
  }

  #dropBeyondLength(): void {
    if (!this.#isBeyondLength()) return;
    if (!this.#dropWhile('maxlen', () => this.#isBeyondLength())) this.#catchUpLater();
  }

  #isBeyondLength(): boolean {
    const { overflow, maxLength = Infinity, maxLengthBytes = Infinity } = this.settings;
    if (overflow !== 'drop-head') return false;
    return this.#ready.length > maxLength || this.#ready.bodyBytes > maxLengthBytes;
  }

  /** Only what stands first expires, as in RabbitMQ. */
  #isFirstExpired(): boolean {
    const expiresAt = this.#ready.first?.expiresAt;
    return expiresAt !== undefined && expiresAt <= this.#host.clock.now();
  }

  /** Drops messages, but not too many in one step; says whether it is done. */
  #dropWhile(reason: DeadReason, isToGo: () => boolean): boolean {
    for (let dropped = 0; isToGo(); dropped += 1) {
      if (dropped === MAX_DROPPED || this.#host.hasManyLetters) return false;
      const entry = this.#ready.shift();
      if (entry === undefined) return true;
      this.#host.memory.bytes -= entry.bytes;
      this.#host.deadLetter(this, entry, reason);
    }
    return true;
  }

  /** Goes on in later steps with what was too much for one. */
  #catchUpLater(): void {
    if (this.#isCatchingUp) return;
    this.#isCatchingUp = true;
    this.#host.jobs.add(this.#catchUp());
  }

  *#catchUp(): Generator {
    try {
      while (
        !this.dropExpired() ||
        !this.#dropWhile('maxlen', () => this.#isBeyondLength()) ||
        !this.#handOutSome()
      ) {
        yield this.#host.hasManyLetters ? NEXT_TURN : undefined;
      }
    } finally {
      this.#isCatchingUp = false;
    }
    this.#watchFirst();
  }

  #watchFirst(): void {
    const at = this.#isDeleted ? undefined : this.#ready.first?.expiresAt;
    if (at === this.#expiry?.at) return;
    this.#expiry?.waiting.cancel();
    this.#expiry = undefined;
    if (at === undefined) return;
    const waiting = this.#host.clock.after(Math.max(at - this.#host.clock.now(), 1), () => {
      this.#expiry = undefined;
      this.pump();
    });
    this.#expiry = { at, waiting };
  }
}
