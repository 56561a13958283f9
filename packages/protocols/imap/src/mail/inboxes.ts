import type { CaptureFollower } from '@backlot/core/plugin';
import type { GivenMail } from '@backlot/kit';
import { Deliveries } from './deliveries.js';
import { Mailbox, type SavedMailbox } from './mailbox.js';
import { userKey } from './user-keys.js';

/** The users whose inboxes are held; beyond it one that is as its mails were delivered is forgotten. */
const MAX_INBOXES = 10_000;
/** An inbox may hold one dropped mail in so many. */
const DROPS_PART = 100;
const INBOX = 'INBOX';

/** What inboxes need of the store that they are part of. */
export interface InboxOwner {
  nextValidity(): number;
  /** The INBOX of some user may have changed. */
  inboxChanged(): void;
}

/** An INBOX for each user, with the mails that other kinds took for that user. */
export class Inboxes implements CaptureFollower {
  readonly #owner: InboxOwner;
  readonly #deliveries: Deliveries;
  /** Those that somebody has looked at, by the key of the user. */
  readonly #inboxes = new Map<string, Mailbox>();
  /** Users whose inbox may hold what is there no more, or lack what is. */
  readonly #stale = new Set<string>();
  /** How many mails have been dropped, by the users whose inbox may hold them still. */
  readonly #drops = new Map<string, number>();

  constructor(owner: InboxOwner, catchAll: string) {
    this.#owner = owner;
    this.#deliveries = new Deliveries(catchAll);
  }

  added(given: unknown): void {
    const [mail, users] = this.#deliveries.add(given as GivenMail);
    let isSeen = false;
    for (const user of users) {
      const inbox = this.#inboxes.get(user);
      if (inbox === undefined) continue;
      isSeen = true;
      if (this.#stale.has(user) || inbox.taken.has(mail.key)) continue;
      inbox.taken.add(mail.key);
      inbox.add([{ ...mail }]);
    }
    if (isSeen) this.#owner.inboxChanged();
  }

  dropped(given: unknown): void {
    for (const user of this.#deliveries.drop(given as GivenMail)) {
      const inbox = this.#inboxes.get(user);
      if (inbox === undefined) continue;
      const drops = (this.#drops.get(user) ?? 0) + 1;
      this.#drops.set(user, drops);
      // Looking through a long inbox for each mail that is dropped would hold up the others.
      if (drops > inbox.records.length / DROPS_PART) this.#stale.add(user);
    }
  }

  cleared(): void {
    this.#deliveries.clear();
    for (const user of this.#inboxes.keys()) this.#stale.add(user);
    this.#owner.inboxChanged();
  }

  /** The INBOX of a user. */
  find(user: string): Mailbox {
    const key = userKey(user);
    const held = this.#inboxes.get(key);
    if (held !== undefined) {
      if (this.#stale.delete(key)) this.#freshen(held, key);
      return held;
    }
    if (this.#inboxes.size >= MAX_INBOXES) this.#forgetOne();
    const made = new Mailbox(INBOX, this.#owner.nextValidity(), undefined);
    this.#inboxes.set(key, made);
    this.#freshen(made, key);
    return made;
  }

  /** The users whose inboxes somebody has looked at. */
  users(): Iterable<string> {
    return this.#inboxes.keys();
  }

  /** Whether somebody has looked at the inbox of a user. */
  has(user: string): boolean {
    return this.#inboxes.has(userKey(user));
  }

  values(): Iterable<Mailbox> {
    return this.#inboxes.values();
  }

  save(): readonly (readonly [string, SavedMailbox])[] {
    return Array.from(this.#inboxes, ([user, inbox]) => [user, inbox.save()] as const);
  }

  /** @param restore - makes the mailbox of a snapshot, given what stands in its place now */
  restore(
    saved: readonly (readonly [string, SavedMailbox])[],
    restore: (saved: SavedMailbox, current: Mailbox | undefined) => Mailbox,
  ): void {
    const kept = new Set(saved.map(([user]) => user));
    for (const [user, { isTouched }] of this.#inboxes)
      if (isTouched && !kept.has(user)) this.#inboxes.delete(user);
    for (const [user, snapshot] of saved) this.#inboxes.set(user, restore(snapshot, this.#inboxes.get(user)));
    for (const user of this.#inboxes.keys()) this.#stale.add(user);
  }

  /** Forgets an inbox in which its user has changed nothing; where there is none, the first. */
  #forgetOne(): void {
    let [forgotten] = this.#inboxes.keys();
    for (const [user, { isTouched }] of this.#inboxes) {
      if (isTouched) continue;
      forgotten = user;
      break;
    }
    if (forgotten === undefined) return;
    this.#inboxes.delete(forgotten);
    this.#stale.delete(forgotten);
    this.#drops.delete(forgotten);
  }

  /** Makes an inbox hold what is captured now; what its user has removed stays away. */
  #freshen(inbox: Mailbox, key: string): void {
    const mails = this.#deliveries.of(key);
    this.#drops.delete(key);
    inbox.remove((record) => record.origin === 'capture' && !mails.has(record.key));
    for (const id of inbox.taken) if (!mails.has(id)) inbox.taken.delete(id);
    const fresh = [...mails.values()].filter(({ key: id }) => !inbox.taken.has(id));
    for (const { key: id } of fresh) inbox.taken.add(id);
    inbox.add(fresh.map((mail) => ({ ...mail })));
  }
}
