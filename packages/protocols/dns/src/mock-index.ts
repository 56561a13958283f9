import {
  ComposedIndex,
  ExactIndex,
  type Candidates,
  type Change,
  type IndexedMock,
} from '@backlot/core/plugin';
import type { DnsMessage } from './message.js';
import type { CompiledDns } from './matcher.js';
import { MockNames } from './mock-names.js';
import { nextDot, suffixesOf } from './wire/name.js';
import type { ZoneSet } from './zone/zone-set.js';

type Held = Candidates<CompiledDns>;

/**
 * Finds mocks by name: exact names, `*.suffix` that is asked for once per label, and the patterns that only a test can
 * tell.
 */
export class NameIndex extends ComposedIndex<DnsMessage, CompiledDns> {
  readonly #exact = new ExactIndex<string | undefined, Held>();
  readonly #suffixes = new ExactIndex<string, Held>();
  /** Kept only where it matters which names exist: for wildcards. */
  #names: MockNames | undefined;
  #zones: ZoneSet | undefined;
  #hasWildcards = false;

  /** Takes what the configuration says, before the first mock is compiled. */
  configure(zones: ZoneSet, hasWildcards: boolean): void {
    this.#zones = zones.size === 0 ? undefined : zones;
    this.#hasWildcards = hasWildcards;
    this.#names = hasWildcards || zones.size > 0 ? new MockNames() : undefined;
  }

  /** The zones of zone files, if there are any. */
  get zones(): ZoneSet | undefined {
    return this.#zones;
  }

  /** Whether `*.suffix` is a wildcard of RFC 4592. */
  get hasWildcards(): boolean {
    return this.#hasWildcards;
  }

  /** Whether the name is that of a mock, or above one; always false where nobody needs to know. */
  hasName(key: string): boolean {
    return this.#names?.has(key) === true;
  }

  /** Whether `suffix` is the closest encloser of a name below it: no name from it down to the other exists. */
  isClosest(suffix: string, key: string): boolean {
    for (const name of suffixesOf(key)) {
      if (name.length <= suffix.length) break;
      if (this.hasName(name) || this.#zones?.has(name) === true) return false;
    }
    return true;
  }

  override add(mock: IndexedMock<CompiledDns>): void {
    super.add(mock);
    const name = ownName(mock.compiled);
    if (name !== undefined) this.#names?.add(name);
  }

  override remove(mock: IndexedMock<CompiledDns>): void {
    super.remove(mock);
    const name = ownName(mock.compiled);
    if (name !== undefined) this.#names?.remove(name);
  }

  find({ key }: DnsMessage, found: Held[]): void {
    this.#exact.find(key, found);
    if (this.#suffixes.size > 0) {
      for (let dot = nextDot(key, 0); dot >= 0; dot = nextDot(key, dot + 1))
        this.#suffixes.find(key.slice(dot + 1), found);
    }
    this.#exact.find(undefined, found);
  }

  protected change({ exact, suffix }: CompiledDns, change: Change<Held>): void {
    if (exact === undefined && suffix !== undefined) this.#suffixes.change(suffix, change);
    else this.#exact.change(exact, change);
  }
}

/** The name that exists by a mock; `*` is a label as others are. */
function ownName({ exact, suffix, isWildcard }: CompiledDns): string | undefined {
  return isWildcard && suffix !== undefined ? `*.${suffix}` : exact;
}
