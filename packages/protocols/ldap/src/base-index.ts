import {
  withMock,
  withoutMock,
  type Candidates,
  type IndexedMock,
  type MockIndex,
} from '@backlot/core/plugin';
import { parentKey } from './data/dn.js';
import type { LdapMessage } from './ldap-message.js';
import type { CompiledLdap } from './matcher.js';

type Held = Candidates<CompiledLdap>;
type Change = (held: Held | undefined, mock: IndexedMock<CompiledLdap>) => Held | undefined;

/** Mocks by the filter they want. */
class FilterSlots {
  #any: Held | undefined;
  readonly #byFilter = new Map<string, Held>();

  change(mock: IndexedMock<CompiledLdap>, change: Change): void {
    const { filter } = mock.compiled;
    if (filter === undefined) {
      this.#any = change(this.#any, mock);
      return;
    }
    const held = change(this.#byFilter.get(filter), mock);
    if (held === undefined) this.#byFilter.delete(filter);
    else this.#byFilter.set(filter, held);
  }

  find(message: LdapMessage, found: Held[]): void {
    if (this.#any !== undefined) found.push(this.#any);
    if (this.#byFilter.size === 0) return;
    const held = this.#byFilter.get(message.filterKey);
    if (held !== undefined) found.push(held);
  }

  get isEmpty(): boolean {
    return this.#any === undefined && this.#byFilter.size === 0;
  }
}

/** Finds mocks by the name their base must be within, and by their filter. */
export class BaseIndex implements MockIndex<LdapMessage, CompiledLdap> {
  readonly #byBase = new Map<string, FilterSlots>();
  readonly #anyBase = new FilterSlots();
  readonly #patterns = new FilterSlots();

  add(mock: IndexedMock<CompiledLdap>): void {
    const { base, hasPattern } = mock.compiled;
    if (base === undefined) {
      (hasPattern ? this.#patterns : this.#anyBase).change(mock, withMock);
      return;
    }
    let slots = this.#byBase.get(base.key);
    if (slots === undefined) this.#byBase.set(base.key, (slots = new FilterSlots()));
    slots.change(mock, withMock);
  }

  remove(mock: IndexedMock<CompiledLdap>): void {
    const { base, hasPattern } = mock.compiled;
    if (base === undefined) {
      (hasPattern ? this.#patterns : this.#anyBase).change(mock, withoutMock);
      return;
    }
    const slots = this.#byBase.get(base.key);
    slots?.change(mock, withoutMock);
    if (slots?.isEmpty === true) this.#byBase.delete(base.key);
  }

  find(message: LdapMessage, found: Held[]): void {
    if (message.search === undefined) return;
    if (this.#byBase.size > 0) {
      for (let key = message.search.base.key; key !== ''; key = parentKey(key)) {
        this.#byBase.get(key)?.find(message, found);
      }
    }
    this.#anyBase.find(message, found);
    this.#patterns.find(message, found);
  }
}
