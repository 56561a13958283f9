import { invalid } from '@backlot/core/plugin';

/** The wildcards of a protocol's names (topics, subjects, routing keys): words between separators. */
export interface WildcardSyntax {
  /** What stands between words. */
  readonly separator: string;
  /** A word that stands for any one word. */
  readonly one: string;
  /** A word that stands for any number of words. */
  readonly many: string;
  /** Whether `many` also stands for no word at all, so that `a/<many>` matches `a`. */
  readonly manyMatchesParent: boolean;
  /** Whether `many` may stand anywhere in a pattern. Default false: only at its end. */
  readonly manyAnywhere?: boolean;
  /** Whether a wildcard within a longer word is refused. Default false: it is an ordinary character there. */
  readonly wholeWords?: boolean;
  /** Names that begin with this text are not matched by a wildcard in the first word. */
  readonly hiddenPrefix?: string;
}

/** Most words of a pattern. */
const MAX_WORDS = 128;

/**
 * Splits a pattern into its words.
 *
 * @throws BacklotError `invalid` when a wildcard stands where it may not, or there are more than 128 words
 */
export function splitPattern(source: string, syntax: WildcardSyntax): readonly string[] {
  const words = source.split(syntax.separator, MAX_WORDS + 1);
  if (words.length > MAX_WORDS) {
    throw invalid(
      `a pattern has more than ${MAX_WORDS} words; it begins with ${JSON.stringify(source.slice(0, 40))}`,
    );
  }
  for (const [index, word] of words.entries()) {
    const isLast = index === words.length - 1;
    if (word === syntax.many && !isLast && syntax.manyAnywhere !== true) {
      throw invalid(`pattern ${JSON.stringify(source)}: ${syntax.many} may stand only at the end`);
    }
    const isMixed = word !== syntax.one && word !== syntax.many && hasWildcard(word, syntax);
    if (isMixed && syntax.wholeWords === true) {
      throw invalid(
        `pattern ${JSON.stringify(source)}: ${JSON.stringify(word)} mixes a wildcard with other characters; ` +
          `${syntax.one} and ${syntax.many} must stand alone between ${JSON.stringify(syntax.separator)}`,
      );
    }
  }
  return words;
}

/** Whether a name is kept from wildcards in the first word. */
export function isHidden(name: string, syntax: WildcardSyntax): boolean {
  return syntax.hiddenPrefix !== undefined && name.startsWith(syntax.hiddenPrefix);
}

function hasWildcard(word: string, syntax: WildcardSyntax): boolean {
  return word.includes(syntax.one) || word.includes(syntax.many);
}
