import { ExactIndex, type Change } from '@backlot/core/plugin';
import { WildcardIndex } from './wildcard-index.js';
import type { WildcardSyntax } from './wildcard-syntax.js';

/** What the index must know of a pattern of words. */
export interface WildcardHints {
  /** The only name that can match. */
  readonly exact?: string | undefined;
  /** The pattern with only the syntax's own wildcards; used when it is not exact. */
  readonly wildcards?: string | undefined;
}

/**
 * An index over patterns of words, such as topics. Exact names are in a map and patterns with wildcards in a tree; a
 * pattern that gives neither hint is found by every name. It gives candidates: those without a hint must still be
 * tested, the others match.
 */
export class WildcardNames<H> {
  readonly #exact = new ExactIndex<string | undefined, H>();
  readonly #slots = new ExactIndex<string, { held: H }>();
  readonly #tree: WildcardIndex<{ held: H }>;

  constructor(syntax: WildcardSyntax) {
    this.#tree = new WildcardIndex(syntax);
  }

  /** Whether nothing is held. */
  get isEmpty(): boolean {
    return this.#exact.size === 0 && this.#slots.size === 0;
  }

  /**
   * Replaces what is held for patterns with these hints by what `change` makes of it.
   *
   * @throws BacklotError `invalid` when the pattern is not one of this syntax
   */
  change({ exact, wildcards }: WildcardHints, change: Change<H>): void {
    if (exact !== undefined || wildcards === undefined) this.#exact.change(exact, change);
    else this.#slots.change(wildcards, (slot) => this.#changeSlot(wildcards, slot, change));
  }

  /** Whether something is held for a pattern that is not exact. */
  get hasPatterns(): boolean {
    return this.#slots.size > 0 || this.#exact.get(undefined) !== undefined;
  }

  /** Appends to `found` what is held for every pattern that may match the name. */
  find(name: string, found: H[]): void {
    this.#exact.find(name, found);
    this.findPatterns(name, found);
  }

  /** Appends to `found` what is held for exactly this name. */
  findExact(name: string, found: H[]): void {
    this.#exact.find(name, found);
  }

  /** {@link find} without {@link findExact}. */
  findPatterns(name: string, found: H[]): void {
    if (this.#tree.size > 0) for (const { held } of this.#tree.match(name)) found.push(held);
    this.#exact.find(undefined, found);
  }

  #changeSlot(wildcards: string, slot: { held: H } | undefined, change: Change<H>): { held: H } | undefined {
    const held = change(slot?.held);
    if (held === undefined) {
      if (slot !== undefined) this.#tree.remove(wildcards, slot);
      return undefined;
    }
    if (slot === undefined) {
      const made = { held };
      this.#tree.add(wildcards, made);
      return made;
    }
    slot.held = held;
    return slot;
  }
}
