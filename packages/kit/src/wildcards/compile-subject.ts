import { invalid } from '@backlot/core/plugin';
import { isHidden, splitPattern, type WildcardSyntax } from './wildcard-syntax.js';

/** A pattern of words, ready to be compared. */
export interface CompiledSubject {
  readonly source: string;
  /**
   * The pattern with only the syntax's own wildcards: each `{name}` is written as the one for any one word. A
   * {@link WildcardIndex} takes it.
   */
  readonly wildcards: string;
  /** Whether it matches one name only, the one that it is written as. */
  readonly isExact: boolean;
  /** Whether it matches a name. */
  test(name: string): boolean;
  /** The words of a name that stand at `{name}`, by that name; `undefined` when the pattern does not match. */
  captures(name: string): Readonly<Record<string, string>> | undefined;
}

/** One word of a pattern: its text, any one word, or any number of words. */
type Part = { readonly text: string } | 'one' | 'many';

const CAPTURE = /^\{([A-Za-z_][A-Za-z0-9_]*)\}$/;

/**
 * Compiles a pattern. Beside the syntax's own wildcards, a word `{name}` matches any one word and captures it under
 * that name.
 *
 * @throws BacklotError `invalid` when a wildcard stands where it may not, or a name is given twice
 */
export function compileSubject(source: string, syntax: WildcardSyntax): CompiledSubject {
  const words = splitPattern(source, syntax);
  const captured = new Map<string, number>();
  const parts: Part[] = [];
  for (const word of words) {
    const name = CAPTURE.exec(word)?.[1];
    if (name !== undefined && captured.has(name)) {
      throw invalid(
        `pattern ${JSON.stringify(source)}: {${name}} stands in it twice; give each word its own name`,
      );
    }
    if (name !== undefined) captured.set(name, parts.length);
    if (word === syntax.many) {
      if (!syntax.manyMatchesParent) parts.push('one');
      parts.push('many');
    } else parts.push(name !== undefined || word === syntax.one ? 'one' : { text: word });
  }
  const isExact = parts.every((part) => typeof part === 'object');
  const startsWild = typeof parts[0] === 'string';
  const hasMany = parts.includes('many');
  // Where `many` can only come last, the words behind it need not be looked at.
  const enough = hasMany && parts.indexOf('many') < parts.length - 1 ? undefined : parts.length + 1;

  const align = (name: string): { words: string[]; at: number[] } | undefined => {
    if (startsWild && isHidden(name, syntax)) return undefined;
    const split = name.split(syntax.separator, enough);
    const at = alignWords(parts, split);
    return at === undefined ? undefined : { words: split, at };
  };

  function makeTest(): (name: string) => boolean {
    if (isExact) return (name) => name === source;
    if (enough === undefined) return (name) => align(name) !== undefined;
    return (name) => !(startsWild && isHidden(name, syntax)) && fits(parts, name, syntax.separator);
  }

  return {
    source,
    wildcards: words.map((word) => (CAPTURE.test(word) ? syntax.one : word)).join(syntax.separator),
    isExact,
    test: makeTest(),
    captures(name) {
      const aligned = align(name);
      if (aligned === undefined) return undefined;
      const result = Object.create(null) as Record<string, string>;
      for (const [key, part] of captured) result[key] = aligned.words[aligned.at[part] ?? -1] ?? '';
      return result;
    },
  };
}

/** Whether a name fits parts of which only the last may be `many`; without taking it apart. */
function fits(parts: readonly Part[], name: string, separator: string): boolean {
  let start = 0;
  for (const part of parts) {
    if (part === 'many') return true;
    if (start < 0) return false;
    const at = name.indexOf(separator, start);
    const end = at < 0 ? name.length : at;
    if (part !== 'one') {
      const { text } = part;
      if (end - start !== text.length || !name.startsWith(text, start)) return false;
    }
    start = at < 0 ? -1 : at + separator.length;
  }
  return start < 0;
}

/**
 * Where each part stands among the words, or `undefined` when they do not fit. Only the last `many` is ever tried
 * again, which is enough and keeps the work within words times parts.
 */
function alignWords(parts: readonly Part[], words: readonly string[]): number[] | undefined {
  const at: number[] = [];
  let part = 0;
  let word = 0;
  let lastMany = -1;
  let afterMany = 0;
  while (word < words.length) {
    const expected = parts[part];
    if (expected === 'many') {
      lastMany = part;
      afterMany = word;
      part += 1;
    } else if (expected === 'one' || (expected !== undefined && expected.text === words[word])) {
      at[part] = word;
      part += 1;
      word += 1;
    } else if (lastMany >= 0) {
      afterMany += 1;
      part = lastMany + 1;
      word = afterMany;
    } else return undefined;
  }
  while (parts[part] === 'many') part += 1;
  return part === parts.length ? at : undefined;
}
