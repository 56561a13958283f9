import type { Waiting } from '@backlot/core/plugin';
import type { BrokerMessage } from './broker-message.js';
import { Entry } from './entry.js';
import type { Owned, Owner } from './owner.js';
import type { QueueArguments } from './queue-arguments.js';
import type { Consumer, DeadReason, QueueDefinition, QueueHost } from './queue-types.js';
import { ReadyList } from './ready-list.js';

/** A queue: messages that wait, and consumers who take turns. */
export class Queue implements Owned {
  readonly owners = new Set<Owner>();
  readonly definition: QueueDefinition;
  readonly settings: QueueArguments;
  readonly #host: QueueHost;
  #ready = new ReadyList();
  readonly #handedOut = new Set<Entry>();
  readonly #consumers: Consumer[] = [];
  #turn = 0;
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
    return this.#consumers.length;
  }

  get isDeleted(): boolean {
    return this.#isDeleted;
  }

  /** Whether a consumer has it for itself. */
  get hasExclusiveConsumer(): boolean {
    return this.#consumers.some((consumer) => consumer.isExclusive);
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

  /** Takes out the first message for a client that asked for it; the caller settles or requeues it. */
  take(): Entry | undefined {
    this.touch();
    this.#dropExpired();
    return this.#handOut();
  }

  /** Hands out what consumers take. */
  pump(): void {
    for (;;) {
      this.#dropExpired();
      if (this.#ready.length === 0) break;
      const consumer = this.#nextConsumer();
      if (consumer === undefined) break;
      const entry = this.#handOut();
      if (entry !== undefined) consumer.deliver(entry, this);
    }
    this.#watchFirst();
  }

  /** A message that was handed out is done with. */
  settle(entry: Entry): void {
    if (this.#handedOut.delete(entry)) this.#host.memory.bytes -= entry.bytes;
  }

  /** Messages that were handed out come back to where they stood. */
  requeue(entries: readonly Entry[]): void {
    for (const entry of entries) {
      if (!this.#handedOut.delete(entry)) continue;
      entry.isRedelivered = true;
      this.#ready.insert(entry);
    }
    this.pump();
    this.#dropBeyondLength();
  }

  /** A message that was handed out is not wanted. */
  reject(entry: Entry): void {
    if (!this.#handedOut.has(entry)) return;
    this.settle(entry);
    this.#host.deadLetter(this, entry, 'rejected');
  }

  /** Drops all that waits; says how many messages that were. */
  purge(): number {
    const { length } = this.#ready;
    for (const entry of this.#ready.values()) this.#host.memory.bytes -= entry.bytes;
    this.#ready = new ReadyList();
    this.#watchFirst();
    return length;
  }

  /** @throws AmqpError 506 when there are too many */
  addConsumer(consumer: Consumer): void {
    this.#host.memory.makeRoom();
    this.#consumers.push(consumer);
    this.touch();
  }

  removeConsumer(consumer: Consumer): void {
    const at = this.#consumers.indexOf(consumer);
    if (at < 0) return;
    this.#consumers.splice(at, 1);
    this.#host.memory.entities -= 1;
    if (this.#isDeleted) return;
    this.touch();
    if (this.#consumers.length > 0) this.pump();
    else if (this.definition.autoDelete) this.#host.abandon(this);
  }

  /** The queue was used: the time after which it goes begins anew. */
  touch(): void {
    const { expires } = this.settings;
    if (expires === undefined) return;
    this.#unused?.cancel();
    this.#unused = undefined;
    if (this.#isDeleted || this.#consumers.length > 0) return;
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
    for (const entry of this.#handedOut) this.#host.memory.bytes -= entry.bytes;
    this.#handedOut.clear();
    this.touch();
  }

  /** The queue goes, with its messages; consumers are told. */
  delete(): void {
    this.#isDeleted = true;
    this.clear();
    for (const consumer of [...this.#consumers]) {
      consumer.cancelled();
      this.removeConsumer(consumer);
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

  #handOut(): Entry | undefined {
    const entry = this.#ready.shift();
    if (entry !== undefined) this.#handedOut.add(entry);
    return entry;
  }

  #nextConsumer(): Consumer | undefined {
    const candidates = this.settings.hasSingleActiveConsumer ? 1 : this.#consumers.length;
    for (let tried = 0; tried < candidates; tried += 1) {
      if (this.#turn >= candidates) this.#turn = 0;
      const consumer = this.#consumers[this.#turn];
      this.#turn += 1;
      if (consumer?.canTake() === true) return consumer;
    }
    return undefined;
  }

  #refuses(): boolean {
    const { overflow, maxLength = Infinity, maxLengthBytes = Infinity } = this.settings;
    if (overflow === 'drop-head') return false;
    return this.#ready.length >= maxLength || this.#ready.bodyBytes >= maxLengthBytes;
  }

  #dropBeyondLength(): void {
    const { overflow, maxLength = Infinity, maxLengthBytes = Infinity } = this.settings;
    if (overflow !== 'drop-head') return;
    while (this.#ready.length > maxLength || this.#ready.bodyBytes > maxLengthBytes) this.#drop('maxlen');
  }

  /** Only what stands first expires, as in RabbitMQ. */
  #dropExpired(): void {
    for (;;) {
      const expiresAt = this.#ready.first?.expiresAt;
      if (expiresAt === undefined || expiresAt > this.#host.clock.now()) return;
      this.#drop('expired');
    }
  }

  #drop(reason: DeadReason): void {
    const entry = this.#ready.shift();
    if (entry === undefined) return;
    this.#host.memory.bytes -= entry.bytes;
    this.#host.deadLetter(this, entry, reason);
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
