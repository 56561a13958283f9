import { ComposedIndex, ExactIndex, type Candidates, type Change } from '@backlot/core/plugin';
import { parentKey } from './data/dn.js';
import type { LdapMessage, Operation } from './message.js';
import type { CompiledLdap } from './matcher.js';

type Held = Candidates<CompiledLdap>;
/** Mocks by the filter they want; those that take any are held under `undefined`. */
type ByFilter = ExactIndex<string | undefined, Held>;
type ByName = ExactIndex<string | undefined, Held>;

/** Finds mocks by their operation, and those of searches by the name that their base must be within and by their filter. */
export class BaseIndex extends ComposedIndex<LdapMessage, CompiledLdap> {
  readonly #byBase = new Map<string, ByFilter>();
  readonly #anyBase: ByFilter = new ExactIndex();
  readonly #patterns: ByFilter = new ExactIndex();
  /** Those for one base alone. */
  readonly #byExactBase = new Map<string, ByFilter>();
  /** Those of other operations, by the one name that they are for; all others are held under `undefined`. */
  readonly #others = new Map<Operation, ByName>();

  find(message: LdapMessage, found: Held[]): void {
    if (message.search === undefined) {
      const byName = this.#others.get(message.method);
      if (byName === undefined) return;
      byName.find(undefined, found);
      if (byName.size > 1 || byName.get(undefined) === undefined) byName.find(message.nameKey, found);
      return;
    }
    const { key } = message.search.base;
    if (this.#byBase.size > 0) {
      for (let at = key; at !== ''; at = parentKey(at)) {
        const byFilter = this.#byBase.get(at);
        if (byFilter !== undefined) findIn(byFilter, message, found);
      }
    }
    const exact = this.#byExactBase.size === 0 ? undefined : this.#byExactBase.get(key);
    if (exact !== undefined) findIn(exact, message, found);
    findIn(this.#anyBase, message, found);
    findIn(this.#patterns, message, found);
  }

  /** Whether a mock is for searches with this base alone. @param key - of its name */
  isMeant(key: string): boolean {
    return this.#byExactBase.size > 0 && this.#byExactBase.has(key);
  }

  protected change(mock: CompiledLdap, change: Change<Held>): void {
    const { operation, base, exactKey, hasPattern, filter } = mock;
    if (operation !== 'SEARCH') {
      changeIn(this.#others, operation, exactKey, change);
      return;
    }
    if (exactKey !== undefined) changeIn(this.#byExactBase, exactKey, filter, change);
    else if (base !== undefined) changeIn(this.#byBase, base.key, filter, change);
    else (hasPattern ? this.#patterns : this.#anyBase).change(filter, change);
  }
}

/** Changes what an index of a map holds, which is there while it holds something. */
function changeIn<K>(
  map: Map<K, ExactIndex<string | undefined, Held>>,
  at: K,
  key: string | undefined,
  change: Change<Held>,
): void {
  const index = map.get(at) ?? new ExactIndex<string | undefined, Held>();
  index.change(key, change);
  if (index.size === 0) map.delete(at);
  else map.set(at, index);
}

function findIn(byFilter: ByFilter, message: LdapMessage, found: Held[]): void {
  if (byFilter.size === 0) return;
  byFilter.find(undefined, found);
  // Writing the filter down as a key costs something: only where mocks want one.
  if (byFilter.size > 1 || byFilter.get(undefined) === undefined) byFilter.find(message.filterKey, found);
}
