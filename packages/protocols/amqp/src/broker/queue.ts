import type { Waiting } from '@backlot/core/plugin';
import { NEXT_TURN } from '@backlot/kit';
import type { BrokerMessage } from './broker-message.js';
import { Entry } from './entry.js';
import type { Owner } from './owner.js';
import type { QueueArguments } from './queue-arguments.js';
import type {
  BrokerQueue,
  Consumer,
  DeadReason,
  QueueDefinition,
  QueueHost,
  ReturnCause,
  SavedMessages,
} from './queue-types.js';
import { ReadyList } from './ready-list.js';
import { ConsumerRing } from './consumer-ring.js';

/** Messages that are dropped, or handed out with so many bytes, in one step. */
const MAX_DROPPED = 100;
const MAX_HANDED_OUT = 100;
const MAX_BYTES = 512 * 1024;

/** A classic queue, or a quorum queue: messages that wait, and consumers who take turns. */
export class Queue implements BrokerQueue {
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

  get messageCount(): number {
    return this.#ready.length;
  }

  get unsettledCount(): number {
    return this.#handedOut.size;
  }

  get consumerCount(): number {
    return this.#consumers.size;
  }

  get isDeleted(): boolean {
    return this.#isDeleted;
  }

  get hasExclusiveConsumer(): boolean {
    return this.#consumers.hasExclusive;
  }

  get isCrowded(): boolean {
    return this.settings.deliveryLimit !== undefined && this.#host.hasManyLetters;
  }

  push(message: BrokerMessage): boolean {
    if (this.#refuses()) {
      if (this.settings.overflow === 'reject-publish-dlx') {
        this.#host.deadLetter(this, this.#makeEntry(message), 'maxlen');
      }
      return false;
    }
    this.#put(this.#makeEntry(message));
    return true;
  }

  dropExpired(): boolean {
    return !this.#isFirstExpired() || this.#dropWhile('expired', () => this.#isFirstExpired());
  }

  take(): Entry | undefined {
    this.touch();
    return this.#isFirstExpired() ? undefined : this.#handOut();
  }

  wake(consumer: Consumer): void {
    this.#consumers.wake(consumer);
  }

  pump(): void {
    if (this.#holds > 0 || this.#isCatchingUp) return;
    if (!this.#handOutSome()) this.#catchUpLater();
    this.#watchFirst();
  }

  settle(entry: Entry): void {
    if (!this.#handedOut.delete(entry)) return;
    this.#handedOutBytes -= entry.bytes;
    this.#host.memory.bytes -= entry.bytes;
  }

  holdBack(): void {
    this.#holds += 1;
  }

  goOn(): void {
    this.#holds -= 1;
    if (this.#holds > 0) return;
    this.pump();
    this.#dropBeyondLength();
  }

  takeBack(entry: Entry, cause: ReturnCause): void {
    if (!this.#handedOut.delete(entry)) return;
    this.#handedOutBytes -= entry.bytes;
    entry.comeBack(this.#newPosition(cause));
    if (entry.returns !== undefined && entry.returns > (this.settings.deliveryLimit ?? Infinity)) {
      this.#host.memory.bytes -= entry.bytes;
      this.#host.deadLetter(this, entry, 'delivery_limit');
    } else this.#ready.insert(entry);
  }

  reject(entry: Entry): void {
    if (!this.#handedOut.has(entry)) return;
    this.settle(entry);
    this.#host.deadLetter(this, entry, 'rejected');
  }

  purge(): number {
    const { length, bytes } = this.#ready;
    this.#host.memory.bytes -= bytes;
    this.#ready = new ReadyList();
    this.#watchFirst();
    return length;
  }

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

  touch(): void {
    const { expires } = this.settings;
    if (expires === undefined) return;
    this.#unused?.cancel();
    this.#unused = undefined;
    if (this.#isDeleted || this.#consumers.size > 0) return;
    this.#unused = this.#host.clock.after(expires, () => this.#host.abandon(this));
  }

  save(): SavedMessages {
    const entries = [...this.#handedOut, ...this.#ready.values()].sort((a, b) => (a.comesBefore(b) ? -1 : 1));
    return { messages: entries.map(({ message, returns }) => ({ message, returns })) };
  }

  restore({ messages }: SavedMessages): void {
    for (const { message, returns } of messages) this.#put(this.#makeEntry(message, returns));
  }

  clear(): void {
    this.purge();
    this.#host.memory.bytes -= this.#handedOutBytes;
    this.#handedOutBytes = 0;
    this.#handedOut.clear();
    this.touch();
  }

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

  #put(entry: Entry): void {
    this.#host.memory.bytes += entry.bytes;
    this.#ready.insert(entry);
    this.pump();
    this.#dropBeyondLength();
  }

  #makeEntry(message: BrokerMessage, returns = 0): Entry {
    const { priority = 0, expiration } = message.properties;
    const { kind, messageTtl, maxPriority } = this.settings;
    const own = expiration === undefined ? Infinity : Number(expiration);
    const ttl = Math.min(own, messageTtl ?? Infinity);
    this.#positions += 1;
    return new Entry(message, {
      position: this.#positions,
      priority: Math.min(priority, maxPriority),
      expiresAt: ttl === Infinity ? undefined : this.#host.clock.now() + ttl,
      returns: kind === 'quorum' ? returns : undefined,
    });
  }

  /** In quorum queues without a limit what is requeued goes behind all others, as in RabbitMQ; else it keeps its place. */
  #newPosition(cause: ReturnCause): number | undefined {
    const { kind, deliveryLimit } = this.settings;
    if (kind !== 'quorum' || deliveryLimit !== undefined || cause === 'left') return undefined;
    this.#positions += 1;
    return this.#positions;
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
      consumer.deliver(entry);
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
