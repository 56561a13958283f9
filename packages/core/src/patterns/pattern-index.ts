import type { Change } from '../contract/mock-index.js';
import { AffixTable } from './affix-table.js';
import { ExactIndex } from './exact-index.js';

/** What the index must know of a pattern; a {@link Pattern} has these members. */
export interface PatternHints {
  /** The only text that can match. */
  readonly exact?: string | undefined;
  /** The literal start of every text that matches. */
  readonly prefix?: string | undefined;
  /** The literal end of every text that matches. */
  readonly suffix?: string | undefined;
}

/**
 * An index over patterns of one text, such as a key, a topic or an address: it holds something, mostly mocks, for all
 * patterns with the same hints. A look-up reads its text once, however many patterns there are and whether or not they
 * have stars. Patterns that have no literal text at either end are found by every text.
 *
 * It gives candidates, which must still be tested unless they are `exact`. Very rarely one is among them whose literal
 * text the text does not even begin or end with.
 */
export class PatternIndex<B> {
  readonly #exact = new ExactIndex<string, B>();
  readonly #prefixed = new AffixTable<B>('prefix');
  readonly #suffixed = new AffixTable<B>('suffix');
  #others: B | undefined;

  /** Whether nothing is held. */
  get isEmpty(): boolean {
    return (
      this.#exact.size === 0 &&
      this.#prefixed.size === 0 &&
      this.#suffixed.size === 0 &&
      this.#others === undefined
    );
  }

  /** Replaces what is held for patterns with these hints by what `change` makes of it. */
  change({ exact, prefix = '', suffix = '' }: PatternHints, change: Change<B>): void {
    if (exact !== undefined) this.#exact.change(exact, change);
    else if (prefix === '' && suffix === '') this.#others = change(this.#others);
    // The longer text tells more patterns apart.
    else if (prefix.length >= suffix.length) this.#prefixed.change(prefix, change);
    else this.#suffixed.change(suffix, change);
  }

  /** Appends to `out` what is held for every pattern that may match the text. */
  find(text: string, out: B[]): void {
    this.#exact.find(text, out);
    if (this.#prefixed.size > 0) this.#prefixed.find(text, out);
    if (this.#suffixed.size > 0) this.#suffixed.find(text, out);
    if (this.#others !== undefined) out.push(this.#others);
  }
}
