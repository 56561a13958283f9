import type { AclUser } from './acl/acl-user.js';
import type { Database } from './data/database.js';
import type { Watcher } from './data/store.js';
import type { Wait } from './data/waiters.js';
import type { ClientTracking } from './tracking/client-tracking.js';
import type { ServerState } from './server-state.js';
import type { Listener, Notice } from './pub-sub.js';
import { Subscriptions } from './subscriptions.js';
import type { Resp } from './wire/reply.js';
import { fromWire } from './wire/text.js';

/** What a session asks of its connection. */
interface Line {
  readonly remote: string;
  /** The address at which the client has reached the server. */
  readonly local: string;
  /** Sends what was not asked for. */
  push(message: string | Uint8Array): void;
  /** Closes once what was answered has been sent. */
  close(): void;
  /** Closes at once. */
  cut(): void;
}

/** A command of a transaction that waits for EXEC. */
type QueuedCommand = readonly string[];

/** Who a client is that has not logged in. */
const DEFAULT_USER = 'default';
/** So much of the name of a user is shown: without a password any name logs in. */
const MAX_USER = 128;

/** What one client has set, chosen and subscribed to. */
export class Session implements Watcher, Listener {
  readonly id: number;
  readonly server: ServerState;
  readonly line: Line;
  readonly startedAt: number;
  name = '';
  /** Who has logged in, as it is shown. */
  user = DEFAULT_USER;
  /** Whose rules hold for it. */
  account: AclUser;
  libraryName = '';
  libraryVersion = '';
  resp: Resp = 2;
  database: Database;
  /** The commands of a transaction; `undefined` outside of one. */
  queue: QueuedCommand[] | undefined;
  /** What the queue holds in memory. */
  queueBytes = 0;
  /** Whether a command of the transaction was refused. */
  isQueueBroken = false;
  /** Whether a watched key has changed. */
  isDirty = false;
  /** What it waits for now. */
  wait: Wait | undefined;
  lastCommand = 'NULL';
  /** CLIENT REPLY: `skip` drops the answer to the next command. */
  replies: 'on' | 'off' | 'skip' = 'on';
  /** What it is told of the keys it has read; `undefined`: it tracks none. */
  tracking: ClientTracking | undefined;
  readonly subscriptions: Subscriptions;
  /** Whether it has logged in, or need not when it came. */
  #hasLoggedIn: boolean;
  readonly #watched = new Map<string, { readonly database: Database; readonly key: string }>();

  constructor(server: ServerState, line: Line) {
    this.server = server;
    this.line = line;
    server.connections += 1;
    this.id = server.connections;
    this.startedAt = server.clock.now();
    this.database = server.store.database(0);
    this.account = server.users.default;
    this.#hasLoggedIn = server.users.isOpen;
    this.subscriptions = new Subscriptions(server.pubSub, server.subscriptions, this);
    server.sessions.set(this.id, this);
  }

  /** Whether it may send commands: it has logged in, or need not. */
  get isTrusted(): boolean {
    return this.#hasLoggedIn || this.server.users.isOpen;
  }

  get remote(): string {
    return this.line.remote;
  }

  /** The address at which the client has reached the server. */
  get local(): string {
    return this.line.local;
  }

  /** Who it is, and what it listens to. */
  describe(): { readonly user: string; readonly client: string; readonly subscriptions: string[] } {
    const { subscriptions } = this;
    return {
      user: this.isTrusted ? fromWire(this.user) : '',
      client: this.name,
      subscriptions: (['channel', 'pattern', 'shard'] as const).flatMap((kind) => [
        ...subscriptions.namesOf(kind),
      ]),
    };
  }

  /** Logs in with a name and a password. @returns whether they are right */
  logIn(user: string, password: string): boolean {
    const { users } = this.server;
    const account = users.isOpenToAll ? users.default : users.find(user);
    if (account?.accepts(password) !== true) return false;
    this.#hasLoggedIn = true;
    this.account = account;
    // A list of clients has a line for each, with spaces between its fields.
    this.user = user.slice(0, MAX_USER).replace(/[\0-\x20\x7f]/g, '_');
    return true;
  }

  /** Forgets who has logged in. */
  logOut(): void {
    const { users } = this.server;
    this.account = users.default;
    this.#hasLoggedIn = users.isOpen;
    this.user = DEFAULT_USER;
  }

  /** Its user is there no longer. */
  lockOut(): void {
    this.logOut();
    this.#hasLoggedIn = false;
  }

  notify(notice: Notice): void {
    this.line.push(notice.encode(this.resp));
  }

  keyChanged(): void {
    this.isDirty = true;
  }

  /** WATCH. */
  watch(key: string): void {
    const { database } = this;
    const id = `${database.index} ${key}`;
    if (this.#watched.has(id)) return;
    // What has expired already does not count as a change later.
    database.has(key);
    this.#watched.set(id, { database, key });
    this.server.store.watch(database, key, this);
  }

  /** How many keys are watched. */
  get watchedCount(): number {
    return this.#watched.size;
  }

  /** UNWATCH. */
  unwatch(): void {
    for (const { database, key } of this.#watched.values()) this.server.store.unwatch(database, key, this);
    this.#watched.clear();
    this.isDirty = false;
  }

  /** Whether a watched key was changed or has expired. */
  hasChangedKeys(): boolean {
    for (const { database, key } of this.#watched.values()) database.has(key);
    return this.isDirty;
  }

  /** Ends the transaction, whatever it holds. */
  endTransaction(): void {
    this.queue = undefined;
    this.queueBytes = 0;
    this.isQueueBroken = false;
    this.unwatch();
  }

  /** The client is gone. */
  leave(): void {
    this.wait?.cancel();
    this.endTransaction();
    this.subscriptions.clear();
    this.server.tracking.disable(this);
    this.server.monitors.delete(this);
    this.server.sessions.delete(this.id);
  }
}
