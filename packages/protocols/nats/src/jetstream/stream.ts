import type { Waiting } from '@backlot/core/plugin';
import type { Delivery } from '../subscription.js';
import type { Consumer } from './consumer.js';
import type { Copier } from './copier.js';
import { toMilliseconds } from './dates.js';
import { Duplicates } from './duplicates.js';
import { API_ERRORS } from './errors.js';
import { checkExpectations, type Expected } from './expectations.js';
import { overlap, SubjectFilter } from './filters.js';
import { MessageStore } from './message-store.js';
import { bytesOf, firstHeaders, keepHeaders, withHeaders, type StoredMessage } from './stored-message.js';
import type { StreamConfig } from './stream-config.js';
import { MAX_MESSAGES, type Surroundings } from './surroundings.js';

const MAX_HEADERS = 64 * 1024;
/** Says where a message was copied from. */
const SOURCE = 'Nats-Stream-Source';
const EVERYTHING = new SubjectFilter([]);

/** The acknowledgement of a publisher. */
export interface PublishAck {
  readonly stream: string;
  readonly seq: number;
  readonly duplicate?: true;
}

/** A stream: messages, their limits, and the consumers that read them. */
export class Stream {
  config: StreamConfig;
  readonly created: number;
  readonly messages: MessageStore;
  readonly consumers = new Map<string, Consumer>();
  readonly duplicates: Duplicates;
  /** What copies into it, and what copies from it. */
  copiers: readonly Copier[] = [];
  readonly followers = new Set<Copier>();
  readonly #around: Surroundings;
  #aging: Waiting | undefined;
  /** Whether messages are being let go by their age. */
  #isAging = false;
  /** Whether a consumer has left since what nobody wants was last looked for, and whether it is looked for now. */
  #hasLeft = false;
  #isCleaning = false;

  /** @param duplicates - the ids that it knows already */
  constructor(
    config: StreamConfig,
    created: number,
    around: Surroundings,
    duplicates = new Duplicates(around.clock),
  ) {
    this.config = config;
    this.created = created;
    this.#around = around;
    this.messages = new MessageStore(around.usage);
    this.duplicates = duplicates;
  }

  /**
   * Stores a message, unless it is one that is there already.
   *
   * @throws ApiError when it is refused
   */
  store({ subject, headerBytes, payload }: Delivery): PublishAck {
    const { config } = this;
    if (config.sealed) throw API_ERRORS.streamSealed();
    const header = firstHeaders(headerBytes);
    const id = header('Nats-Msg-Id');
    const expected: Expected = { header, id, subject };
    const duplicate = checkExpectations(this, expected);
    if (duplicate !== undefined) return { stream: config.name, seq: duplicate, duplicate: true };
    this.#checkSize(headerBytes, payload);
    const rollup = this.#rollupOf(header('Nats-Rollup'));
    const bytes = bytesOf(config.storage, subject, headerBytes, payload);
    this.#makeRoom(subject, bytes);
    const sequence = this.messages.lastSequence + 1;
    const time = this.#around.clock.now();
    // Its bytes are part of what was read with it, and it may stay for long.
    const message: StoredMessage = {
      sequence,
      subject,
      headerBytes: headerBytes && Buffer.from(headerBytes),
      payload: Buffer.from(payload),
      time,
      bytes,
    };
    if (id !== '') this.duplicates.add(id, sequence);
    else this.duplicates.last = '';
    if (config.retention === 'interest' && !this.#isWanted(message)) this.messages.skip(sequence, time);
    else this.#add(message, rollup);
    return { stream: config.name, seq: sequence };
  }

  /**
   * Stores a message of the stream that it mirrors: as it is there.
   *
   * @throws ApiError when there is no room for it
   */
  takeAs({ sequence, subject, headerBytes, payload, time }: StoredMessage): void {
    this.#checkSize(headerBytes, payload);
    const bytes = bytesOf(this.config.storage, subject, headerBytes, payload);
    this.#makeRoom(subject, bytes);
    const message: StoredMessage = { sequence, subject, headerBytes, payload, time, bytes };
    if (this.config.retention === 'interest' && !this.#isWanted(message)) this.messages.skip(sequence, time);
    else this.#add(message, undefined);
  }

  /**
   * Stores a message of one of its sources, as a new one that says where it is from.
   *
   * @throws ApiError when it is refused
   */
  takeFrom(source: string, { sequence, subject, headerBytes, payload }: StoredMessage): void {
    const own = keepHeaders(headerBytes, (name) => name !== SOURCE && !name.startsWith('Nats-Expected-'));
    const from = withHeaders(own, [[SOURCE, `${source} ${sequence}`]], 'behind');
    this.store({ subject, reply: '', headerBytes: from, payload });
  }

  /** Puts another configuration in place. */
  update(config: StreamConfig): void {
    this.config = config;
    for (const subject of this.messages.subjects.keys()) this.#trimSubject(subject);
    this.#trim();
    this.#aging?.cancel();
    this.#aging = undefined;
    this.#age();
  }

  /** Whether some subject of a filter is one that it takes. */
  takes(filter: string): boolean {
    return (this.config.subjects ?? []).some((subject) => overlap(subject, filter));
  }

  /**
   * Takes messages away, oldest first, in steps; those that come meanwhile stay. Gives how many.
   *
   * @param before - only those with a smaller sequence; 0: all
   * @param keep - so many stay, the last ones
   */
  *purge(filter: SubjectFilter, { before = 0, keep = 0 } = {}): Generator<undefined, number> {
    const { messages } = this;
    if (filter.takesAll && before === 0 && keep === 0) {
      const { size } = messages;
      messages.clear();
      for (const copier of this.copiers) copier.wake();
      for (const consumer of this.consumers.values()) consumer.position.uncount();
      for (const consumer of this.consumers.values()) {
        consumer.purged();
        yield;
      }
      return size;
    }
    const end = before > 0 ? before : messages.lastSequence + 1;
    const most = keep > 0 ? messages.count(0, filter) - keep : Infinity;
    for (const consumer of this.consumers.values()) consumer.position.uncount();
    let purged = 0;
    let message = messages.next(0, filter);
    while (message !== undefined && message.sequence < end && purged < most) {
      this.remove(message);
      purged += 1;
      yield;
      message = messages.next(message.sequence + 1, filter);
    }
    for (const consumer of this.consumers.values()) {
      consumer.purged();
      yield;
    }
    return purged;
  }

  remove(message: StoredMessage): void {
    if (!this.messages.remove(message)) return;
    for (const consumer of this.consumers.values()) consumer.removed(message);
    for (const copier of this.copiers) copier.wake();
  }

  /** A consumer has done with messages: by the retention they may go. */
  acknowledged(sequences: readonly number[]): void {
    if (this.config.retention !== 'limits') this.#around.run(this.#letGo(sequences));
  }

  /** Ends a consumer; does nothing when it has none of this name. */
  deleteConsumer(name: string): void {
    const consumer = this.consumers.get(name);
    if (consumer === undefined) return;
    this.consumers.delete(name);
    consumer.stop(true);
    this.left();
  }

  /** A consumer is no more: what only it waited for goes, soon where that is much. */
  left(): void {
    if (this.config.retention !== 'interest') return;
    this.#hasLeft = true;
    if (this.#isCleaning) return;
    this.#isCleaning = true;
    this.#around.run(this.#clean());
  }

  /** Begins to let messages go by their age. */
  start(): void {
    this.#age();
  }

  /** Ends it, and its consumers. @param isDeleted - whether who waits is told */
  stop(isDeleted: boolean): void {
    this.#aging?.cancel();
    for (const copier of this.copiers) copier.follow(undefined);
    this.copiers = [];
    for (const consumer of this.consumers.values()) consumer.stop(isDeleted);
    this.consumers.clear();
    this.messages.clear();
  }

  *#letGo(sequences: readonly number[]): Generator {
    for (const sequence of sequences) {
      const message = this.messages.get(sequence);
      if (message === undefined) continue;
      if (this.config.retention === 'workqueue' || !this.#isWanted(message)) this.remove(message);
      yield;
    }
  }

  /** Lets go what nobody wants, until nobody has left meanwhile. */
  *#clean(): Generator {
    const { messages } = this;
    try {
      while (this.#hasLeft) {
        this.#hasLeft = false;
        for (
          let message = messages.next(0, EVERYTHING);
          message !== undefined;
          message = messages.next(message.sequence + 1, EVERYTHING)
        ) {
          if (!this.#isWanted(message)) this.remove(message);
          yield;
        }
      }
    } finally {
      // Also when it is given up half way, so that the next who leaves begins it again.
      this.#isCleaning = false;
    }
  }

  #checkSize(headerBytes: Buffer | undefined, payload: Buffer): void {
    const { max_msg_size: most } = this.config;
    const headers = headerBytes?.length ?? 0;
    if (headers > MAX_HEADERS) throw API_ERRORS.headersTooLarge();
    if (most >= 0 && headers + payload.length > most) throw API_ERRORS.messageTooLarge();
  }

  #rollupOf(value: string): 'all' | 'subject' | undefined {
    if (value === '') return undefined;
    if (!this.config.allow_rollup_hdrs) throw API_ERRORS.streamRollup('rollup not permitted');
    const rollup = value.toLowerCase();
    if (rollup === 'all') return 'all';
    if (rollup === 'sub') return 'subject';
    throw API_ERRORS.streamRollup(`rollup value invalid: ${JSON.stringify(rollup)}`);
  }

  /** @throws ApiError when there is none for a message of so many bytes */
  #makeRoom(subject: string, bytes: number): void {
    const { config, messages } = this;
    const { usage, maxBytes } = this.#around;
    const ofSubject = messages.subjects.get(subject)?.size ?? 0;
    const isReplaced = config.max_msgs_per_subject > 0 && ofSubject >= config.max_msgs_per_subject;
    if (config.discard === 'new') {
      if (isReplaced && config.discard_new_per_subject === true) {
        throw API_ERRORS.storeFailed('maximum messages per subject exceeded');
      }
      if (!isReplaced && config.max_msgs > 0 && messages.size >= config.max_msgs) {
        throw API_ERRORS.storeFailed('maximum messages exceeded');
      }
      const freed = isReplaced ? (messages.subjects.get(subject)?.first?.bytes ?? 0) : 0;
      if (config.max_bytes > 0 && messages.bytes + bytes - freed > config.max_bytes) {
        throw API_ERRORS.storeFailed('maximum bytes exceeded');
      }
    }
    const isFull = config.max_msgs > 0 && messages.size >= config.max_msgs;
    const isFullOfBytes = config.max_bytes > 0 && messages.bytes + bytes > config.max_bytes;
    if (isReplaced || isFull || isFullOfBytes) return;
    if (usage.messages >= MAX_MESSAGES || usage.bytes + bytes > maxBytes) {
      throw API_ERRORS.insufficientResources();
    }
  }

  #add(message: StoredMessage, rollup: 'all' | 'subject' | undefined): void {
    const { messages } = this;
    messages.add(message);
    for (const consumer of this.consumers.values()) consumer.stored(message);
    if (rollup !== undefined) {
      const filter = new SubjectFilter(rollup === 'all' ? [] : [message.subject]);
      this.#around.run(this.purge(filter, { before: message.sequence }));
    }
    this.#trimSubject(message.subject);
    this.#trim();
    this.#age();
    for (const consumer of this.consumers.values()) consumer.wake();
    for (const follower of this.followers) follower.wake();
  }

  #trimSubject(subject: string): void {
    const { max_msgs_per_subject: most } = this.config;
    if (most <= 0) return;
    for (;;) {
      const log = this.messages.subjects.get(subject);
      if (log?.first === undefined || log.size <= most) return;
      this.remove(log.first);
    }
  }

  #trim(): void {
    const { messages } = this;
    const { max_msgs: most, max_bytes: mostBytes } = this.config;
    for (;;) {
      const { first } = messages;
      const isOver = (most > 0 && messages.size > most) || (mostBytes > 0 && messages.bytes > mostBytes);
      if (first === undefined || !isOver) return;
      this.remove(first);
    }
  }

  #age(): void {
    const { first } = this.messages;
    const age = toMilliseconds(this.config.max_age);
    if (age === 0 || first === undefined || this.#aging !== undefined || this.#isAging) return;
    const { clock } = this.#around;
    this.#aging = clock.after(Math.max(0, first.time + age - clock.now()), () => {
      this.#aging = undefined;
      this.#around.run(this.#letAge(clock.now() - age));
    });
  }

  /** Lets go in steps what is as old as that. */
  *#letAge(oldest: number): Generator {
    this.#isAging = true;
    try {
      for (
        let old = this.messages.first;
        old !== undefined && old.time <= oldest;
        old = this.messages.first
      ) {
        this.remove(old);
        yield;
      }
    } finally {
      this.#isAging = false;
    }
    this.#age();
  }

  #isWanted(message: StoredMessage): boolean {
    for (const consumer of this.consumers.values()) if (consumer.wants(message)) return true;
    return false;
  }
}
