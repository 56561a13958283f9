import type { SubjectFilter } from './filters.js';
import { SequenceLog } from './sequence-log.js';
import type { StoredMessage } from './stored-message.js';

/** What all streams together hold. */
export class Usage {
  messages = 0;
  bytes = 0;
}

/** The messages of one stream, in order and by subject. */
export class MessageStore {
  #all = new SequenceLog();
  #bySubject = new Map<string, SequenceLog>();
  readonly #usage: Usage;
  bytes = 0;
  /** The last sequence that was given. */
  lastSequence = 0;
  /** The sequence of the first message, or of the next one when there is none. */
  firstSequence = 1;
  /** Milliseconds since 1970; 0 when nothing was stored. */
  lastTime = 0;

  constructor(usage: Usage) {
    this.#usage = usage;
  }

  get size(): number {
    return this.#all.size;
  }

  get first(): StoredMessage | undefined {
    return this.#all.first;
  }

  /** Sequences between the first and the last message that have none. */
  get deleted(): number {
    return this.size === 0 ? 0 : this.lastSequence - this.firstSequence + 1 - this.size;
  }

  get subjects(): ReadonlyMap<string, SequenceLog> {
    return this.#bySubject;
  }

  get(sequence: number): StoredMessage | undefined {
    return this.#all.get(sequence);
  }

  add(message: StoredMessage): void {
    this.#all.add(message);
    const log = this.#bySubject.get(message.subject);
    if (log !== undefined) log.add(message);
    else {
      const made = new SequenceLog();
      made.add(message);
      this.#bySubject.set(message.subject, made);
    }
    this.#count(1, message.bytes);
    if (this.size === 1) this.firstSequence = message.sequence;
    this.skip(message.sequence, message.time);
  }

  /** A store of the same messages, which nobody counts until {@link adopt} takes them over. */
  static *build(messages: readonly StoredMessage[]): Generator<undefined, MessageStore> {
    const built = new MessageStore(new Usage());
    for (const message of messages) {
      built.add(message);
      yield;
    }
    return built;
  }

  /** Takes over, where it holds nothing yet, what was built; that one is not to be used any more. */
  adopt(built: MessageStore): void {
    this.#all = built.#all;
    this.#bySubject = built.#bySubject;
    this.#count(built.size, built.bytes);
    this.firstSequence = built.firstSequence;
    this.skip(built.lastSequence, built.lastTime);
  }

  /** All messages, in order. */
  toArray(): readonly StoredMessage[] {
    return this.#all.toArray();
  }

  /** Gives a sequence to no message. */
  skip(sequence: number, time: number): void {
    this.lastSequence = sequence;
    this.lastTime = time;
    if (this.size === 0) this.firstSequence = sequence + 1;
  }

  remove(message: StoredMessage): boolean {
    if (!this.#all.remove(message.sequence)) return false;
    const log = this.#bySubject.get(message.subject);
    log?.remove(message.sequence);
    if (log?.size === 0) this.#bySubject.delete(message.subject);
    this.#count(-1, -message.bytes);
    this.firstSequence = this.#all.first?.sequence ?? this.lastSequence + 1;
    return true;
  }

  clear(): void {
    this.#count(-this.size, -this.bytes);
    this.#all.clear();
    this.#bySubject.clear();
    this.firstSequence = this.lastSequence + 1;
  }

  /** The first message from a sequence on that fits a filter. */
  next(sequence: number, filter: SubjectFilter): StoredMessage | undefined {
    if (filter.takesAll) return this.#all.from(sequence);
    if (filter.only !== undefined) return this.#bySubject.get(filter.only)?.from(sequence);
    for (const message of this.#all.values(sequence)) if (filter.fits(message.subject)) return message;
    return undefined;
  }

  /** The last message that fits a filter. */
  last(filter: SubjectFilter): StoredMessage | undefined {
    if (filter.takesAll) return this.#all.last;
    if (filter.only !== undefined) return this.#bySubject.get(filter.only)?.last;
    let found: StoredMessage | undefined;
    for (const message of this.lastOfEach(filter)) {
      if (found === undefined || message.sequence > found.sequence) found = message;
    }
    return found;
  }

  /** The last message of every subject that fits a filter. */
  *lastOfEach(filter: SubjectFilter): Generator<StoredMessage> {
    for (const [subject, { last }] of this.#bySubject) {
      if (last !== undefined && filter.fits(subject)) yield last;
    }
  }

  /** How many messages from a sequence on fit a filter. */
  count(sequence: number, filter: SubjectFilter): number {
    if (sequence > this.lastSequence) return 0;
    if (filter.takesAll) return this.#all.count(sequence);
    if (filter.only !== undefined) return this.#bySubject.get(filter.only)?.count(sequence) ?? 0;
    let count = 0;
    if (this.lastSequence - sequence < this.#bySubject.size) {
      for (const message of this.values(sequence)) if (filter.fits(message.subject)) count += 1;
    } else {
      for (const [subject, log] of this.#bySubject) if (filter.fits(subject)) count += log.count(sequence);
    }
    return count;
  }

  values(sequence = 0): Iterable<StoredMessage> {
    return this.#all.values(sequence);
  }

  #count(messages: number, bytes: number): void {
    this.bytes += bytes;
    this.#usage.messages += messages;
    this.#usage.bytes += bytes;
  }
}
