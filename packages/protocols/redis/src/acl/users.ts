import type { SnapshotPart } from '@backlot/core/plugin';
import { fail } from '../wire/errors.js';
import { AclLog, type AclLogEntry } from './acl-log.js';
import { AclUser } from './acl-user.js';
import type { Catalog, CatalogSource } from './catalog.js';
import { mergeSelectors } from './merge-selectors.js';

/** The user that a client is that has not logged in. */
const DEFAULT_USER = 'default';
/** Most users, most bytes of one, and of all. */
const MAX_USERS = 10_000;
const MAX_USER_BYTES = 64 * 1024;
const MAX_BYTES = 16 * 1024 * 1024;

/** A user of the configuration, in the form of the wire. */
export interface ConfiguredUser {
  readonly username: string;
  readonly password: string | undefined;
  /** Rules as ACL SETUSER takes them; `undefined`: everything is allowed. */
  readonly rules: readonly string[] | undefined;
}

interface SavedUsers {
  readonly users: readonly AclUser[];
  readonly log: readonly AclLogEntry[];
  readonly password: string;
}

interface PackedUsers extends Omit<SavedUsers, 'users'> {
  /** Their names, with their rules. */
  readonly users: readonly (readonly [string, string])[];
}

/** What is told of changes. */
interface UsersListener {
  /** A user is there no longer. */
  removed(user: AclUser): void;
  /** Other channels are allowed a user than before. */
  changed(user: AclUser, before: AclUser): Generator<undefined, void>;
}

/** The users of a server, and what was refused them. */
export class Users implements SnapshotPart<SavedUsers>, CatalogSource {
  readonly log = new AclLog();
  /** As rules, in which ACL LIST has users too. */
  readonly passes = {
    pack: ({ users, log, password }: SavedUsers): PackedUsers => ({
      users: users.map((user) => [user.name, user.describe()] as const),
      ...{ log, password },
    }),
    unpack: (packed: unknown): SavedUsers => {
      const { users, ...others } = packed as PackedUsers;
      return { users: users.map(([name, rules]) => this.#make(name, rules)), ...others };
    },
  };
  /** Told of changes. */
  listener: UsersListener | undefined;
  /** The password that `requirepass` shows. */
  #password: string;
  readonly #makeCatalog: () => Catalog;
  #catalog: Catalog | undefined;
  #users = new Map<string, AclUser>();
  readonly #default: AclUser;

  /**
   * @param makeCatalog - called once
   * @param password - that of the user `default`, in the form of the wire
   */
  constructor(makeCatalog: () => Catalog, password: string | undefined) {
    this.#makeCatalog = makeCatalog;
    this.#password = password ?? '';
    this.#default = new AclUser(DEFAULT_USER, this);
    for (const rule of ['+@all', '~*', '&*', 'on', 'nopass']) this.#default.apply(rule);
    if (password !== undefined) this.#default.apply(`>${password}`);
    this.#users.set(DEFAULT_USER, this.#default);
  }

  /** What rules may name. */
  get catalog(): Catalog {
    this.#catalog ??= this.#makeCatalog();
    return this.#catalog;
  }

  get default(): AclUser {
    return this.#default;
  }

  /** Whether any login passes: nobody has said who there is. */
  get isOpenToAll(): boolean {
    return this.#users.size === 1 && this.isOpen;
  }

  /** Whether a client need not log in. */
  get isOpen(): boolean {
    return this.#default.isOn && this.#default.isNoPass;
  }

  /** All users, ordered by name. */
  get all(): readonly AclUser[] {
    return [...this.#users.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** What CONFIG GET shows as `requirepass`. */
  get password(): string {
    return this.#password;
  }

  /** CONFIG SET requirepass; empty: none. */
  set password(password: string) {
    this.#password = password;
    this.#default.apply('resetpass');
    this.#default.apply(password === '' ? 'nopass' : `>${password}`);
  }

  find(name: string): AclUser | undefined {
    return this.#users.get(name);
  }

  /** Makes a user, or changes one: all rules are taken, or none. @throws CommandError */
  *set(name: string, rules: readonly string[]): Generator<undefined, void> {
    if (/[\s\0]/.test(name)) fail("ERR Usernames can't contain spaces or null characters");
    if (rules.reduce((sum, rule) => sum + rule.length, name.length) > MAX_USER_BYTES)
      fail(`ERR the name and the rules of a user have ${MAX_USER_BYTES} bytes at most`);
    const old = this.#users.get(name);
    const made = old?.copy() ?? new AclUser(name, this);
    const merged = mergeSelectors(rules);
    if (typeof merged === 'string')
      fail(`ERR Unmatched parenthesis in acl selector starting at '${merged}'.`);
    for (const rule of merged) {
      const problem = made.apply(rule);
      if (problem !== undefined) fail(`ERR Error in ACL SETUSER modifier '${rule}': ${problem}`);
    }
    this.#checkRoom(made, old);
    if (old === undefined) {
      this.#users.set(name, made);
      return;
    }
    const before = old.copy();
    old.adopt(made);
    if (this.listener !== undefined) yield* this.listener.changed(old, before);
  }

  /** Removes a user. @returns whether it was there */
  delete(name: string): boolean {
    const user = this.#users.get(name);
    if (user === undefined) return false;
    this.#users.delete(name);
    this.listener?.removed(user);
    return true;
  }

  /** Makes a user of the configuration. @throws CommandError when its rules are wrong */
  configure({ username, password, rules }: ConfiguredUser): void {
    const begin = username === DEFAULT_USER ? [] : ['on'];
    const secret = password === undefined ? [] : [`>${password}`];
    // Nobody is connected yet: nothing has to be done in steps.
    this.set(username, [...begin, ...secret, ...(rules ?? ['allkeys', 'allchannels', '+@all'])]).next();
  }

  save(): SavedUsers {
    return {
      users: Array.from(this.#users.values(), (user) => user.copy()),
      log: this.log.entries,
      password: this.#password,
    };
  }

  restore({ users, log, password }: SavedUsers): void {
    const names = new Set(users.map(({ name }) => name));
    for (const name of [...this.#users.keys()]) if (!names.has(name)) this.delete(name);
    for (const user of users) {
      const old = this.#users.get(user.name);
      if (old === undefined) this.#users.set(user.name, user.copy());
      else old.adopt(user);
    }
    this.log.adopt(log);
    this.#password = password;
  }

  /** A user of rules as {@link AclUser.describe} gives them. @throws Error when they are none */
  #make(name: string, rules: string): AclUser {
    const made = new AclUser(name, this);
    const merged = mergeSelectors(rules.split(' '));
    if (typeof merged === 'string') throw new Error(`the rules of the user "${name}" do not end: ${merged}`);
    for (const rule of merged) {
      const problem = made.apply(rule);
      if (problem !== undefined)
        throw new Error(`the rule "${rule}" of the user "${name}" cannot be taken: ${problem}`);
    }
    return made;
  }

  #checkRoom(made: AclUser, old: AclUser | undefined): void {
    const { bytes } = made;
    if (bytes > MAX_USER_BYTES)
      fail(`ERR the rules of a user may take ${MAX_USER_BYTES} bytes, and these take ${bytes}`);
    if (old === undefined && this.#users.size >= MAX_USERS) fail(`ERR there are ${MAX_USERS} users at most`);
    let sum = bytes - (old?.bytes ?? 0);
    for (const user of this.#users.values()) sum += user.bytes;
    if (sum > MAX_BYTES) fail(`ERR the rules of all users may take ${MAX_BYTES} bytes`);
  }
}
