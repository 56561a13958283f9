import type { PiecedText } from '../contract/context.js';
import { createFinder, findInPieces, type TextFinder } from './find-text.js';
import { endsInPieces, startOfPieces } from './pieces.js';

/**
 * A text with gaps: literals in order, and between two of them a gap that takes any run of characters. It is
 * matched by searching each literal once from left to right, so it never backtracks.
 */
export class Glob {
  /** The text every match starts with; `""` when a gap comes first. */
  readonly start: string;
  private readonly end: string;
  private readonly middle: readonly TextFinder[];
  private readonly shortest: number;

  /**
   * @param literals - one more than there are gaps; the first and the last stand at the ends of the text
   * @param minimums - the least number of characters of each gap; 0 when left out
   */
  constructor(
    literals: readonly string[],
    private readonly minimums?: readonly number[],
  ) {
    this.start = literals[0] ?? '';
    this.end = literals.at(-1) ?? '';
    this.middle = literals.slice(1, -1).map(createFinder);
    this.shortest =
      literals.reduce((sum, literal) => sum + literal.length, 0) +
      (minimums ?? []).reduce((sum, minimum) => sum + minimum, 0);
  }

  /**
   * Whether the whole text matches.
   *
   * @param gaps - when given, the texts of the gaps are added to it, in order; only meaningful on a match
   */
  test(text: string, gaps?: string[]): boolean {
    if (text.length < this.shortest || !text.startsWith(this.start) || !text.endsWith(this.end)) {
      return false;
    }
    const limit = text.length - this.end.length;
    let from = this.start.length;
    for (let index = 0; index < this.middle.length; index += 1) {
      const literal = this.middle[index];
      if (literal === undefined) {
        continue;
      }
      const found = literal.findIn(text, from + this.minimum(index));
      const end = found + literal.text.length;
      if (found < 0 || end > limit) {
        return false;
      }
      gaps?.push(text.slice(from, found));
      from = end;
    }
    if (limit - from < this.minimum(this.middle.length)) {
      return false;
    }
    gaps?.push(text.slice(from, limit));
    return true;
  }

  /** Whether a long text matches that is made a piece at a time. Its gaps must have no minimums. */
  *testInPieces(text: PiecedText): Generator<undefined, boolean> {
    if (text.length < this.shortest) return false;
    if (this.start !== '' && (yield* startOfPieces(text, this.start.length)) !== this.start) return false;
    if (this.end !== '' && !(yield* endsInPieces(text, this.end))) return false;
    if (this.middle.length === 0) return true;
    const end = yield* findInPieces(text, this.middle, this.start.length);
    return end >= 0 && end <= text.length - this.end.length;
  }

  private minimum(gap: number): number {
    return this.minimums?.[gap] ?? 0;
  }
}

/**
 * Splits a pattern text at its stars; `\*` is a star of the text itself. Stars in a row are one. A text without
 * a star gives one element.
 */
export function splitAtStars(source: string): string[] {
  const literals: string[] = [];
  let literal = '';
  let from = 0;
  for (let at = source.indexOf('*'); at >= 0; at = source.indexOf('*', from)) {
    if (at > from && source.charAt(at - 1) === '\\') {
      literal += `${source.slice(from, at - 1)}*`;
    } else {
      literal += source.slice(from, at);
      if (literal !== '' || literals.length === 0) {
        literals.push(literal);
      }
      literal = '';
    }
    from = at + 1;
  }
  literal += source.slice(from);
  literals.push(literal);
  return literals;
}
