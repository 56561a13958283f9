import type { Change } from '../contract/mock-index.js';
import { AffixTable } from './affix-table.js';
import { ExactIndex } from './exact-index.js';

/** What an index asks of a pattern: the hints of {@link Pattern}. */
export interface PatternHints {
  /** The only text that can match. */
  readonly exact?: string | undefined;
  /** The literal start of every text that matches. */
  readonly prefix?: string | undefined;
  /** The literal end of every text that matches. */
  readonly suffix?: string | undefined;
}

/**
 * An index over patterns of one text, such as a key, a topic or an address: something is kept for patterns with the same
 * hints. A look-up reads its text once, however many patterns there are and whether or not they have stars; patterns
 * with a literal text at neither end are found by every text.
 *
 * It gives candidates: those with stars must still be tested, and hardly ever one is given that does not even begin or end
 * like the text.
 */
export class PatternIndex<B> {
  readonly #exact = new ExactIndex<string, B>();
  readonly #prefixed = new AffixTable<B>('prefix');
  readonly #suffixed = new AffixTable<B>('suffix');
  #others: B | undefined;

  /** Whether nothing is kept. */
  get isEmpty(): boolean {
    return (
      this.#exact.size === 0 &&
      this.#prefixed.size === 0 &&
      this.#suffixed.size === 0 &&
      this.#others === undefined
    );
  }

  /**
   * Changes what is kept for patterns with these hints.
   */
  change({ exact, prefix = '', suffix = '' }: PatternHints, change: Change<B>): void {
    if (exact !== undefined) this.#exact.change(exact, change);
    else if (prefix === '' && suffix === '') this.#others = change(this.#others);
    // The longer text tells more patterns apart.
    else if (prefix.length >= suffix.length) this.#prefixed.change(prefix, change);
    else this.#suffixed.change(suffix, change);
  }

  /** Adds to `out` what is kept for every pattern that may match the text. */
  find(text: string, out: B[]): void {
    this.#exact.find(text, out);
    if (this.#prefixed.size > 0) this.#prefixed.find(text, out);
    if (this.#suffixed.size > 0) this.#suffixed.find(text, out);
    if (this.#others !== undefined) out.push(this.#others);
  }
}
