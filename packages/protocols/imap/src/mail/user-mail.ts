import type { LiveMockOf } from '@backlot/core/plugin';
import type { ImapShape } from '../shape.js';
import type { MailStore } from './mail-store.js';
import type { Mailbox } from './mailbox.js';
import type { Watchers } from './watchers.js';

const INBOX = 'INBOX';

/** The mailboxes as one user sees them: those of all, with an INBOX of the user's own where there is one. */
export class UserMail {
  readonly #store: MailStore;
  readonly #user: string;

  constructor(store: MailStore, user: string) {
    this.#store = store;
    this.#user = user;
  }

  get watchers(): Watchers {
    return this.#store.watchers;
  }

  get reserved(): MailStore['reserved'] {
    return this.#store.reserved;
  }

  /** A mailbox by its canonical name; `undefined` when there is none. */
  find(name: string): Mailbox | undefined {
    return (name === INBOX ? this.#store.inboxOf(this.#user) : undefined) ?? this.#store.find(name);
  }

  /** See {@link MailStore.mockOf}. */
  mockOf(name: string): LiveMockOf<ImapShape> | undefined {
    return this.#store.mockOf(name);
  }

  /** See {@link MailStore.names}. */
  names(): readonly string[] {
    return this.#store.names();
  }

  isSubscribed(name: string): boolean {
    return this.#store.isSubscribed(name);
  }

  subscribe(name: string, isSubscribed: boolean): void {
    this.#store.subscribe(name, isSubscribed);
  }

  /** See {@link MailStore.create}. */
  create(name: string): Mailbox {
    return this.#store.create(name);
  }

  /** See {@link MailStore.delete}. */
  delete(mailbox: Mailbox): void {
    this.#store.delete(mailbox);
  }

  /** See {@link MailStore.isFull}. */
  get isFull(): boolean {
    return this.#store.isFull;
  }

  /** See {@link MailStore.measure}. */
  measure(): ReturnType<MailStore['measure']> {
    return this.#store.measure();
  }
}
