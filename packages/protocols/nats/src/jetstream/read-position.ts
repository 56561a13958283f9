import type { SubjectFilter } from './filters.js';
import type { MessageStore } from './message-store.js';
import type { StoredMessage } from './stored-message.js';

/** What of a stream a consumer has still to deliver for the first time. */
export class ReadPosition {
  readonly #messages: MessageStore;
  readonly #filter: SubjectFilter;
  /** The sequence in the stream from which it goes on. */
  #next: number;
  /** Messages that come before those. */
  #first: Set<number>;
  /** How many messages fit and are not delivered; absent while it has to be counted. */
  #unread: number | undefined;

  constructor(messages: MessageStore, filter: SubjectFilter, next: number, first: readonly number[]) {
    this.#messages = messages;
    this.#filter = filter;
    this.#next = next;
    this.#first = new Set(first);
  }

  /** How many messages fit and are not delivered. */
  get unread(): number {
    return (this.#unread ??= this.#first.size + this.#messages.count(this.#next, this.#filter));
  }

  /** The sequence before that at which it is. */
  get before(): number {
    const [first] = this.#first;
    return (first ?? this.#next) - 1;
  }

  /** In a form that snapshots keep. */
  save(): { readonly next: number; readonly first: readonly number[] } {
    return { next: this.#next, first: [...this.#first] };
  }

  /** Whether a message has still to be delivered, if it fits. */
  isAhead(sequence: number): boolean {
    return sequence >= this.#next || this.#first.has(sequence);
  }

  /** The next message to deliver; `undefined` when there is none for now. */
  find(): StoredMessage | undefined {
    const messages = this.#messages;
    for (const first of this.#first) {
      const message = messages.get(first);
      if (message !== undefined) return message;
      this.#first.delete(first);
    }
    const message = messages.next(this.#next, this.#filter);
    if (message === undefined) {
      this.#next = Math.max(this.#next, messages.lastSequence + 1);
      this.#unread = 0;
    }
    return message;
  }

  /** What {@link find} has found is delivered. Gives up to where all is now. */
  delivered(sequence: number): number {
    const { unread } = this;
    if (!this.#first.delete(sequence)) this.#next = sequence + 1;
    this.#unread = unread - 1;
    return this.#first.size > 0 ? sequence : this.#next - 1;
  }

  /** The stream has a new message, which may be gone already. */
  stored({ sequence, subject }: StoredMessage): void {
    if (this.#unread !== undefined && sequence >= this.#next && this.#filter.fits(subject)) this.#unread += 1;
  }

  /** A message is gone. Says whether it was still to be delivered, if it fits. */
  removed({ sequence, subject }: StoredMessage): boolean {
    if (sequence < this.#next && !this.#first.delete(sequence)) return false;
    if (this.#unread !== undefined && this.#filter.fits(subject)) this.#unread -= 1;
    return true;
  }

  /** Many messages are going: what is unread is counted when it is wanted. */
  uncount(): void {
    this.#unread = undefined;
  }

  /** Many messages are gone. */
  purged(): void {
    this.#first = new Set([...this.#first].filter((sequence) => this.#messages.get(sequence) !== undefined));
    this.#next = Math.max(this.#next, this.#messages.firstSequence);
  }
}
