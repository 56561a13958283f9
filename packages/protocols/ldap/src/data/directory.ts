import { RESULT } from '../result-codes.js';
import type { Scope } from '../scopes.js';
import { DirectoryError } from './directory-error.js';
import { isWithin, parentKey, type Dn } from './dn.js';
import type { Entry } from './entry.js';
import { passwordsOf } from './password.js';

/** Most bytes that all entries hold, roughly. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Most bytes of one entry, and values. */
const MAX_ENTRY_BYTES = 4 * 1024 * 1024;
const MAX_ENTRY_VALUES = 50_000;
/** Entries that one operation may move or delete. */
const MAX_TREE = 10_000;
const MAX_ROOTS = 1000;

/** A place in the tree: an entry, or only the way to entries below. */
interface Node {
  readonly key: string;
  entry: Entry | undefined;
  /** Absent where there were never any, as below most entries: an empty map is larger than a node. */
  children: Map<string, Node> | undefined;
}

/** The entries, in memory. Every change makes new entries; those that are there never change. */
export class Directory {
  readonly #nodes = new Map<string, Node>();
  readonly #suffix: Dn | undefined;
  #bytes = 0;
  #passwords = 0;
  #entries = 0;
  #referrals = 0;

  /** @param suffix - entries are at or below this name only, and it is there without an entry too */
  constructor(suffix: Dn | undefined) {
    this.#suffix = suffix;
    this.#clear();
  }

  /** How many entries there are. */
  get size(): number {
    return this.#entries;
  }

  get(key: string): Entry | undefined {
    return this.#nodes.get(key)?.entry;
  }

  /** Whether an entry has a userPassword, so that binds are checked. */
  get hasPasswords(): boolean {
    return this.#passwords > 0;
  }

  /** The entry at or above a name that refers to other servers, the highest one. */
  referralAt(key: string): Entry | undefined {
    if (this.#referrals === 0) return undefined;
    let found: Entry | undefined;
    for (let at = key; at !== ''; at = parentKey(at)) {
      const entry = this.get(at);
      if (entry?.isReferral === true) found = entry;
    }
    return found;
  }

  /** Whether a name is there, as an entry or above one. */
  knows(key: string): boolean {
    return this.#nodes.has(key);
  }

  hasChildren(key: string): boolean {
    return (this.#nodes.get(key)?.children?.size ?? 0) > 0;
  }

  /** The names at which trees of entries begin; the first thousand of them. */
  roots(): string[] {
    const roots: string[] = [];
    const ways = [placesBelow(this.#nodes.get(''))];
    for (let way = ways.at(-1); way !== undefined && roots.length < MAX_ROOTS; way = ways.at(-1)) {
      const next = way.next();
      if (next.done === true) ways.pop();
      else if (next.value.entry !== undefined) roots.push(next.value.entry.dn.text);
      else ways.push(placesBelow(next.value));
    }
    return roots;
  }

  /** The name of the nearest entry above. */
  nearestAbove(key: string): string {
    for (let above = parentKey(key); above !== ''; above = parentKey(above)) {
      const entry = this.get(above);
      if (entry !== undefined) return entry.dn.text;
    }
    return '';
  }

  /** The entries in a scope, each above those below it, in the order in which they came. */
  *within(base: string, scope: Scope): Generator<Entry> {
    const node = this.#nodes.get(base);
    if (node === undefined) return;
    if (scope === 'one') {
      for (const { entry } of placesBelow(node)) if (entry !== undefined) yield entry;
      return;
    }
    if (node.entry !== undefined) yield node.entry;
    if (scope === 'base') return;
    const ways = [placesBelow(node)];
    for (let way = ways.at(-1); way !== undefined; way = ways.at(-1)) {
      const next = way.next();
      if (next.done === true) ways.pop();
      else {
        if (next.value.entry !== undefined) yield next.value.entry;
        if (next.value.children !== undefined) ways.push(placesBelow(next.value));
      }
    }
  }

  /**
   * Adds the entry of a client. What is above it must be there; the first entry of a tree may have any name.
   *
   * @throws DirectoryError
   */
  add(entry: Entry): void {
    this.checkFree(entry.dn);
    this.#checkParent(entry.dn);
    this.put(entry);
  }

  /**
   * Checks that an entry of this name may come.
   *
   * @throws DirectoryError
   */
  checkFree(dn: Dn): void {
    const { key, text } = dn;
    if (key === '') throw new DirectoryError(RESULT.namingViolation, 'the root has no entry of its own');
    if (this.get(key) !== undefined) {
      throw new DirectoryError(RESULT.entryAlreadyExists, `"${text}" is there already`);
    }
    const suffix = this.#suffix;
    if (suffix !== undefined && !isWithin(key, suffix.key)) {
      throw new DirectoryError(
        RESULT.unwillingToPerform,
        `"${text}" is not at or below "${suffix.text}", which this server is for`,
      );
    }
  }

  /**
   * Puts an entry in, whatever is above it.
   *
   * @throws DirectoryError when the entries would hold too much
   */
  put(entry: Entry): void {
    const { key } = entry.dn;
    if (entry.size > MAX_ENTRY_BYTES || entry.valueCount > MAX_ENTRY_VALUES) {
      throw new DirectoryError(
        RESULT.adminLimitExceeded,
        `an entry holds at most ${MAX_ENTRY_BYTES} bytes and ${MAX_ENTRY_VALUES} values`,
      );
    }
    const replaced = this.get(key);
    const before = replaced?.size ?? 0;
    if (this.#bytes + entry.size - before > MAX_BYTES) {
      throw new DirectoryError(RESULT.adminLimitExceeded, `the entries hold more than ${MAX_BYTES} bytes`);
    }
    this.#bytes += entry.size - before;
    this.#passwords += countPasswords(entry) - (replaced === undefined ? 0 : countPasswords(replaced));
    if (replaced === undefined) this.#entries += 1;
    this.#referrals += Number(entry.isReferral) - Number(replaced?.isReferral === true);
    this.#reach(key).entry = entry;
  }

  /**
   * Takes an entry out.
   *
   * @param withTree - those below it too
   * @throws DirectoryError
   */
  delete(dn: Dn, withTree: boolean): void {
    this.require(dn);
    if (this.hasChildren(dn.key) && !withTree) {
      throw new DirectoryError(RESULT.notAllowedOnNonLeaf, `there are entries below "${dn.text}"`);
    }
    for (const entry of this.#tree(dn.key).reverse()) this.#take(entry);
  }

  /**
   * Gives an entry, and with it those below, another name.
   *
   * @param moved - the entry with its new name
   * @param rename - gives the new name of an entry below
   * @throws DirectoryError
   */
  move(dn: Dn, moved: Entry, rename: (below: Entry) => Entry): void {
    const { key } = moved.dn;
    if (key !== dn.key) {
      if (isWithin(key, dn.key)) {
        throw new DirectoryError(RESULT.unwillingToPerform, `"${dn.text}" cannot be moved below itself`);
      }
      this.checkFree(moved.dn);
      this.#checkParent(moved.dn);
    }
    const below = this.#tree(dn.key).slice(1);
    for (const entry of [...below].reverse()) this.#take(entry);
    const own = this.get(dn.key);
    if (own !== undefined) this.#take(own);
    this.put(moved);
    for (const entry of below) this.put(rename(entry));
  }

  /** @throws DirectoryError when there is no such entry */
  require(dn: Dn): Entry {
    const entry = this.get(dn.key);
    if (entry === undefined) throw this.missing(dn);
    return entry;
  }

  /** The error for a name that is not there. */
  missing(dn: Dn): DirectoryError {
    return new DirectoryError(
      RESULT.noSuchObject,
      `there is no entry "${dn.text}"`,
      this.nearestAbove(dn.key),
    );
  }

  /** All entries, each above those below it. */
  save(): readonly Entry[] {
    return [...this.within('', 'sub')];
  }

  restore(entries: readonly Entry[]): void {
    this.#clear();
    for (const entry of entries) this.put(entry);
  }

  /** An entry and all below it. @throws DirectoryError when there are too many for one operation */
  #tree(key: string): Entry[] {
    const entries: Entry[] = [];
    for (const entry of this.within(key, 'sub')) {
      if (entries.length === MAX_TREE) {
        throw new DirectoryError(
          RESULT.adminLimitExceeded,
          `there are more than ${MAX_TREE} entries at and below it; delete or move parts of the tree`,
        );
      }
      entries.push(entry);
    }
    return entries;
  }

  #clear(): void {
    this.#bytes = 0;
    this.#passwords = 0;
    this.#entries = 0;
    this.#referrals = 0;
    this.#nodes.clear();
    this.#nodes.set('', { key: '', entry: undefined, children: undefined });
    if (this.#suffix !== undefined) this.#reach(this.#suffix.key);
  }

  #checkParent(dn: Dn): void {
    const { key } = dn;
    const parent = parentKey(key);
    if (parent === '' || this.knows(key) || this.knows(parent)) return;
    for (let above = parentKey(parent); above !== ''; above = parentKey(above)) {
      if (this.knows(above)) {
        throw new DirectoryError(
          RESULT.noSuchObject,
          `there is no entry above "${dn.text}"; add that one first`,
          this.nearestAbove(key),
        );
      }
    }
  }

  #reach(key: string): Node {
    let node = this.#nodes.get(key);
    if (node !== undefined) return node;
    node = { key, entry: undefined, children: undefined };
    this.#nodes.set(key, node);
    // Names have at most a hundred parts, so this ends soon.
    for (let under = node; under.key !== '';) {
      const aboveKey = parentKey(under.key);
      const known = this.#nodes.get(aboveKey);
      const above: Node = known ?? { key: aboveKey, entry: undefined, children: undefined };
      (above.children ??= new Map()).set(under.key, under);
      if (known !== undefined) break;
      this.#nodes.set(aboveKey, above);
      under = above;
    }
    return node;
  }

  #take(entry: Entry): void {
    const { key } = entry.dn;
    const node = this.#nodes.get(key);
    if (node?.entry === undefined) return;
    this.#bytes -= node.entry.size;
    this.#passwords -= countPasswords(node.entry);
    this.#entries -= 1;
    this.#referrals -= Number(node.entry.isReferral);
    node.entry = undefined;
    // Places that lead nowhere any more go with it.
    for (let at: Node | undefined = node; at !== undefined && at.key !== '';) {
      if (at.entry !== undefined || (at.children?.size ?? 0) > 0 || at.key === this.#suffix?.key) return;
      if (this.#suffix !== undefined && isWithin(this.#suffix.key, at.key)) return;
      this.#nodes.delete(at.key);
      const above: Node | undefined = this.#nodes.get(parentKey(at.key));
      above?.children?.delete(at.key);
      at = above;
    }
  }
}

/** The places right below one. */
function placesBelow(node: Node | undefined): Iterator<Node, undefined> & Iterable<Node> {
  return node?.children?.values() ?? ([] as Node[]).values();
}

function countPasswords(entry: Entry): number {
  return passwordsOf(entry) === undefined ? 0 : 1;
}
