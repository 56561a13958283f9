import {
  invalid,
  type CaptureReader,
  type Context,
  type LiveMockOf,
  type StoredCapture,
} from '@backlot/core/plugin';
import { MAIL } from '@backlot/kit';
import type { ImapShape } from '../shape.js';
import { mailOfCapture } from './captured-mail.js';
import { fillMailbox, refillMailbox, type Rendering } from './fill-mailbox.js';
import { Inboxes } from './inboxes.js';
import { packMail, unpackMail } from './packed-mail.js';
import { userKey } from './user-keys.js';
import { Mailbox, type SavedMailbox } from './mailbox.js';
import { UserMail } from './user-mail.js';
import { Watchers } from './watchers.js';

const INBOX = 'INBOX';
/** How many mailboxes there may be. */
export const MAX_MAILBOXES = 10_000;
/** The user who sees the mail of all, when the configuration names no other. */
const DEFAULT_CATCH_ALL = 'catch-all';
const HIGHEST = 0xffff_ffff;
/** So many captured messages at least are taken before it is looked whether the other kind still holds them all. */
const LEAST_TAKEN = 1000;

/** What clients have changed beside the mocks. */
export interface SavedMail {
  readonly mailboxes: readonly SavedMailbox[];
  readonly inboxes: ReturnType<Inboxes['save']>;
  readonly subscriptions: readonly (readonly [string, boolean])[];
}

/** All mailboxes: those of mocks, those that clients made, and INBOX, which always exists. */
export class MailStore {
  readonly #context: Context<ImapShape>;
  readonly #captures: CaptureReader | undefined;
  /** Those of users; `undefined` where all share one. */
  readonly #inboxes: Inboxes | undefined;
  /** Those that somebody has looked at. */
  readonly #mailboxes = new Map<string, Mailbox>();
  readonly #subscriptions = new Map<string, boolean>();
  readonly #rendering: Rendering;
  readonly watchers = new Watchers();
  /** What is being added: it takes room already. */
  readonly reserved = { bytes: 0, messages: 0 };
  #lastValidity = 0;
  #isInboxStale = false;
  #maxTaken = LEAST_TAKEN;

  constructor(context: Context<ImapShape>) {
    this.#context = context;
    const { inbox_from: source, deliver, catch_all: catchAll = DEFAULT_CATCH_ALL } = context.config;
    this.#captures = source === undefined ? undefined : context.capturesOf(source);
    this.#rendering = { scope: () => context.templates.scope(), now: () => context.clock.now() };
    if (deliver ?? source === undefined) this.#inboxes = this.#follow(catchAll);
    if (deliver === true && this.#inboxes === undefined)
      throw invalid(
        'imap is to deliver mail, but no kind that takes mail is enabled: leave out `deliver`, or enable such a kind',
      );
    context.mocks.onChange(({ type }) => {
      if (type === 'removed') this.#forgetRemoved();
      this.watchers.notifyAll();
    });
    this.#captures?.subscribe((event) => {
      if (event.type === 'added') return this.#takeCaptured(event.item);
      // A reset or a snapshot may put the same messages back at once: what is really gone shows later.
      this.#isInboxStale = true;
      this.watchers.notify(INBOX);
    });
    context.addToSnapshots('mail', {
      passes: {
        pack: packMail,
        unpack: (packed) => unpackMail(packed, (name) => this.mockOf(name)?.compiled),
      },
      save: () => this.#save(),
      restore: (saved) => this.#restore(saved),
    });
  }

  /** The mock in effect of a mailbox (a canonical name), the first where several have the name. */
  mockOf(name: string): LiveMockOf<ImapShape> | undefined {
    const { mocks } = this.#context;
    const mocksOfName = mocks.index.get(name);
    const [first] = mocksOfName;
    if (first === undefined) return undefined;
    if (mocksOfName.some(({ compiled }) => compiled.isConditional)) {
      return mocks.values().find(({ compiled }) => compiled.name === name);
    }
    // The index holds the very objects that `values` gives, under a type without their values.
    return first as LiveMockOf<ImapShape>;
  }

  /** The mailboxes as a user sees them. */
  seenBy(user: string): UserMail {
    return new UserMail(this, user);
  }

  /** The INBOX of a user alone; `undefined` where all users have the same. */
  inboxOf(user: string): Mailbox | undefined {
    // What a mock says is for everybody.
    return this.mockOf(INBOX) === undefined ? this.#inboxes?.find(user) : undefined;
  }

  /** The users who have an INBOX alone: those of the configuration, and those whose INBOX somebody has looked at. */
  usersWithInbox(): readonly string[] {
    if (this.#inboxes === undefined || this.mockOf(INBOX) !== undefined) return [];
    const configured = (this.#context.config.users ?? []).map(({ username }) => userKey(username));
    return [...new Set([...configured, ...this.#inboxes.users()])].sort();
  }

  /** The INBOX of one of {@link usersWithInbox}; `undefined` for somebody else. */
  knownInboxOf(user: string): Mailbox | undefined {
    const isKnown =
      this.#inboxes?.has(user) === true ||
      this.#context.config.users?.some(({ username }) => userKey(username) === userKey(user)) === true;
    return isKnown ? this.inboxOf(user) : undefined;
  }

  /** A mailbox that all users share, by its canonical name; `undefined` when there is none. */
  find(name: string): Mailbox | undefined {
    const source = this.mockOf(name)?.compiled;
    const mailbox = this.#mailboxes.get(name);
    if (mailbox === undefined) {
      if (source === undefined && name !== INBOX) return undefined;
      const made = new Mailbox(name, this.nextValidity(), source);
      this.#fill(made);
      this.#mailboxes.set(name, made);
      return made;
    }
    if (mailbox.source !== source) {
      // Its mock may come back, when a state condition holds again.
      if (source === undefined && name !== INBOX) return undefined;
      mailbox.source = source;
      mailbox.isTouched = false;
      mailbox.isHidden = false;
      if (!refillMailbox(mailbox, source, this.#rendering)) {
        mailbox.clear(this.nextValidity());
        this.#fill(mailbox);
      }
    }
    if (this.#isInboxStale && name === INBOX) this.#freshenInbox(mailbox);
    return mailbox.isHidden ? undefined : mailbox;
  }

  /** The canonical names of all mailboxes, in order. */
  names(): readonly string[] {
    const names = new Set([INBOX]);
    for (const { compiled } of this.#context.mocks.values()) names.add(compiled.name);
    for (const { name, source, isHidden } of this.#mailboxes.values()) {
      if (isHidden && this.mockOf(name)?.compiled === source) names.delete(name);
      else if (source === undefined) names.add(name);
    }
    return [...names].sort((a, b) => (a === INBOX ? -1 : b === INBOX ? 1 : a < b ? -1 : 1));
  }

  isSubscribed(name: string): boolean {
    return this.#subscriptions.get(name) ?? (name === INBOX || this.mockOf(name) !== undefined);
  }

  subscribe(name: string, isSubscribed: boolean): void {
    this.#subscriptions.set(name, isSubscribed);
  }

  /** Makes an empty mailbox; there must be none of that name. */
  create(name: string): Mailbox {
    const mailbox = new Mailbox(name, this.nextValidity(), this.mockOf(name)?.compiled);
    mailbox.isTouched = true;
    this.#mailboxes.set(name, mailbox);
    this.watchers.notify(name);
    return mailbox;
  }

  /** Deletes a mailbox; one of a mock stays away until the mock changes. */
  delete(mailbox: Mailbox): void {
    mailbox.isTouched = true;
    mailbox.isHidden = true;
    mailbox.clear(this.nextValidity());
    this.#subscriptions.delete(mailbox.name);
    if (mailbox.source === undefined) this.#mailboxes.delete(mailbox.name);
    this.watchers.notify(mailbox.name);
  }

  /** A UIDVALIDITY that no mailbox has had. */
  nextValidity(): number {
    const seconds = Math.floor(this.#context.clock.now() / 1000);
    this.#lastValidity = Math.min(Math.max(this.#lastValidity + 1, seconds, 1), HIGHEST);
    return this.#lastValidity;
  }

  /** Whether there can be no further mailbox. */
  get isFull(): boolean {
    return this.#mailboxes.size >= MAX_MAILBOXES;
  }

  /** Bytes of messages, and messages, that clients have added. */
  measure(): { readonly bytes: number; readonly messages: number } {
    let { bytes, messages } = this.reserved;
    for (const { records, isTouched, clientBytes } of this.#mailboxes.values()) {
      bytes += clientBytes;
      if (isTouched) messages += records.length;
    }
    for (const { records, isTouched, clientBytes } of this.#inboxes?.values() ?? []) {
      bytes += clientBytes;
      if (isTouched) messages += records.length;
    }
    return { bytes, messages };
  }

  #follow(catchAll: string): Inboxes | undefined {
    const inboxes = new Inboxes(
      { nextValidity: () => this.nextValidity(), inboxChanged: () => this.watchers.notify(INBOX) },
      catchAll,
    );
    return this.#context.followCaptures(MAIL, inboxes) ? inboxes : undefined;
  }

  #fill(mailbox: Mailbox): void {
    fillMailbox(mailbox, mailbox.source, this.#rendering);
    if (mailbox.name === INBOX && this.#captures !== undefined)
      this.#put(mailbox, [...this.#captures.items()]);
  }

  #takeCaptured(item: StoredCapture): void {
    const inbox = this.#mailboxes.get(INBOX);
    if (inbox !== undefined && !this.#isInboxStale) this.#put(inbox, [item]);
    this.watchers.notify(INBOX);
  }

  /** Makes INBOX hold what is captured now, after more than an arrival has happened there. */
  #freshenInbox(inbox: Mailbox): void {
    this.#isInboxStale = false;
    const items = [...(this.#captures?.items() ?? [])];
    const there = new Set(items.flatMap((item) => mailOfCapture(item, 0)?.key ?? []));
    this.#maxTaken = 2 * there.size + LEAST_TAKEN;
    inbox.remove(({ origin, key }) => origin === 'capture' && !there.has(key));
    for (const key of inbox.taken) if (!there.has(key)) inbox.taken.delete(key);
    this.#put(inbox, items);
  }

  #put(inbox: Mailbox, items: readonly StoredCapture[]): void {
    const mails = items.flatMap((item) => mailOfCapture(item, this.#rendering.now()) ?? []);
    const fresh = mails.filter(({ key }) => !inbox.taken.has(key));
    for (const { key } of fresh) inbox.taken.add(key);
    inbox.add(fresh);
    // The other kind drops its oldest messages without a word.
    if (inbox.taken.size > this.#maxTaken) this.#isInboxStale = true;
  }

  /** What clients did to the mailbox of a deleted mock goes with it. */
  #forgetRemoved(): void {
    for (const { name, source } of this.#mailboxes.values()) {
      const isGone =
        source !== undefined && name !== INBOX && this.#context.mocks.index.get(name).length === 0;
      if (isGone) this.#mailboxes.delete(name);
    }
  }

  #save(): SavedMail {
    return {
      mailboxes: Array.from(this.#mailboxes.values(), (mailbox) => mailbox.save()),
      inboxes: this.#inboxes?.save() ?? [],
      subscriptions: [...this.#subscriptions],
    };
  }

  #restored(snapshot: SavedMailbox, current: Mailbox | undefined): Mailbox {
    const restored = Mailbox.restore(snapshot);
    // UIDs that were given out since must not come to mean other messages.
    const isReused = current?.validity !== restored.validity || current.nextUid > restored.nextUid;
    if (isReused) restored.validity = this.nextValidity();
    return restored;
  }

  #restore({ mailboxes, inboxes, subscriptions }: SavedMail): void {
    const saved = new Map(mailboxes.map((mailbox) => [mailbox.name, mailbox]));
    for (const [name, { isTouched }] of this.#mailboxes) {
      if (isTouched && !saved.has(name)) this.#mailboxes.delete(name);
    }
    for (const [name, snapshot] of saved) {
      this.#mailboxes.set(name, this.#restored(snapshot, this.#mailboxes.get(name)));
    }
    this.#inboxes?.restore(inboxes, (snapshot, current) => this.#restored(snapshot, current));
    this.#isInboxStale = true;
    this.#subscriptions.clear();
    for (const [name, isSubscribed] of subscriptions) this.#subscriptions.set(name, isSubscribed);
    this.watchers.notifyAll();
  }
}
