import { AffixTable } from './affix-table.js';

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
  readonly #exact = new Map<string, B>();
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
   *
   * @param change - gives what to keep in place of what was kept; `undefined` to keep nothing
   */
  change(
    { exact, prefix = '', suffix = '' }: PatternHints,
    change: (kept: B | undefined) => B | undefined,
  ): void {
    if (exact !== undefined) this.#changeExact(exact, change);
    else if (prefix === '' && suffix === '') this.#others = change(this.#others);
    // The longer text tells more patterns apart.
    else if (prefix.length >= suffix.length) this.#prefixed.change(prefix, change);
    else this.#suffixed.change(suffix, change);
  }

  /** Adds to `out` what is kept for every pattern that may match the text. */
  find(text: string, out: B[]): void {
    const exact = this.#exact.size > 0 ? this.#exact.get(text) : undefined;
    if (exact !== undefined) out.push(exact);
    if (this.#prefixed.size > 0) this.#prefixed.find(text, out);
    if (this.#suffixed.size > 0) this.#suffixed.find(text, out);
    if (this.#others !== undefined) out.push(this.#others);
  }

  #changeExact(text: string, change: (kept: B | undefined) => B | undefined): void {
    const next = change(this.#exact.get(text));
    if (next === undefined) this.#exact.delete(text);
    else this.#exact.set(text, next);
  }
}
