import { ComposedIndex, ExactIndex, type Candidates, type Change } from '@backlot/core/plugin';
import { parentKey } from './data/dn.js';
import type { LdapMessage } from './message.js';
import type { CompiledLdap } from './matcher.js';

type Held = Candidates<CompiledLdap>;
/** Mocks by the filter they want; those that take any are held under `undefined`. */
type ByFilter = ExactIndex<string | undefined, Held>;

/** Finds mocks by the name their base must be within, and by their filter. */
export class BaseIndex extends ComposedIndex<LdapMessage, CompiledLdap> {
  readonly #byBase = new Map<string, ByFilter>();
  readonly #anyBase: ByFilter = new ExactIndex();
  readonly #patterns: ByFilter = new ExactIndex();

  find(message: LdapMessage, found: Held[]): void {
    if (message.search === undefined) return;
    if (this.#byBase.size > 0) {
      for (let key = message.search.base.key; key !== ''; key = parentKey(key)) {
        const byFilter = this.#byBase.get(key);
        if (byFilter !== undefined) findIn(byFilter, message, found);
      }
    }
    findIn(this.#anyBase, message, found);
    findIn(this.#patterns, message, found);
  }

  protected change({ base, hasPattern, filter }: CompiledLdap, change: Change<Held>): void {
    if (base === undefined) {
      (hasPattern ? this.#patterns : this.#anyBase).change(filter, change);
      return;
    }
    const byFilter = this.#byBase.get(base.key) ?? new ExactIndex();
    byFilter.change(filter, change);
    if (byFilter.size === 0) this.#byBase.delete(base.key);
    else this.#byBase.set(base.key, byFilter);
  }
}

function findIn(byFilter: ByFilter, message: LdapMessage, found: Held[]): void {
  if (byFilter.size === 0) return;
  byFilter.find(undefined, found);
  // Writing the filter down as a key costs something: only where mocks want one.
  if (byFilter.size > 1 || byFilter.get(undefined) === undefined) byFilter.find(message.filterKey, found);
}
