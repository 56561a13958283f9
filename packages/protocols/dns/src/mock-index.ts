import { ComposedIndex, ExactIndex, type Candidates, type Change } from '@backlot/core/plugin';
import type { DnsMessage } from './message.js';
import type { CompiledDns } from './matcher.js';
import { nextDot } from './wire/name.js';

type Held = Candidates<CompiledDns>;

/**
 * Finds mocks by name: exact names, `*.suffix` that is asked for once per label, and the patterns that only a test can
 * tell.
 */
export class NameIndex extends ComposedIndex<DnsMessage, CompiledDns> {
  readonly #exact = new ExactIndex<string | undefined, Held>();
  readonly #suffixes = new ExactIndex<string, Held>();

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
