import type { Database } from './database.js';

const NOBODY: ReadonlySet<never> = new Set<never>();

/** Who has to do with keys, such as those who watch them. */
export class KeyBook<T> {
  readonly #keys = new Map<Database, Map<string, Set<T>>>();

  /** In how many databases there are keys. */
  get size(): number {
    return this.#keys.size;
  }

  /** Who has to do with a key, in the order in which they were added. */
  of(database: Database, key: string): ReadonlySet<T> {
    return this.#keys.get(database)?.get(key) ?? NOBODY;
  }

  /** The keys that somebody has to do with. */
  keysOf(database: Database): Iterable<string> {
    return this.#keys.get(database)?.keys() ?? [];
  }

  add(database: Database, key: string, member: T): void {
    let keys = this.#keys.get(database);
    if (keys === undefined) this.#keys.set(database, (keys = new Map<string, Set<T>>()));
    const members = keys.get(key);
    if (members === undefined) keys.set(key, new Set([member]));
    else members.add(member);
  }

  delete(database: Database, key: string, member: T): void {
    const keys = this.#keys.get(database);
    const members = keys?.get(key);
    members?.delete(member);
    if (members?.size === 0) keys?.delete(key);
    if (keys?.size === 0) this.#keys.delete(database);
  }
}
