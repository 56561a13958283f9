/** One word of a zone file. */
export interface Word {
  /** With its escapes; of a quoted string without the quotes. */
  readonly text: string;
  readonly isQuoted: boolean;
}

/** One entry of a zone file: a line, or several that parentheses join. */
export interface Entry {
  /** The line on which it begins, from 1. */
  readonly line: number;
  /** Whether its first word stands at the begin of the line, where the owner of a record or a directive is. */
  readonly isAtMargin: boolean;
  readonly words: readonly Word[];
}

/** Something wrong in a zone file, and the line. */
export class ZoneError extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** The most characters of one entry: those of the largest record, were every octet written as `\DDD`. */
const MAX_ENTRY = 4 * 65_536;

/** What ends a word that is not quoted. */
const ENDS = new Set([' ', '\t', '\r', '\n', '\f', '(', ')', ';']);

/**
 * Splits a zone file into entries (RFC 1035 section 5.1): comments are left out, parentheses join lines, and what is
 * quoted or escaped has no meaning of its own. Lines without a word are no entries.
 *
 * @throws ZoneError for quotes and parentheses without their other half
 */
export function* scanEntries(source: string): Generator<Entry> {
  let line = 1;
  let words: Word[] = [];
  let begin = 1;
  let isAtMargin = false;
  let lineStart = 0;
  let opened = 0;
  let size = 0;
  let isOpen = false;
  for (let at = 0; at < source.length;) {
    const character = source[at] ?? '';
    if (character === '\n') {
      if (!isOpen && words.length > 0) {
        yield { line: begin, isAtMargin, words };
        words = [];
      }
      at += 1;
      line += 1;
      lineStart = at;
    } else if (character === ';') {
      const end = source.indexOf('\n', at);
      at = end < 0 ? source.length : end;
    } else if (character === '(') {
      if (isOpen) throw new ZoneError(line, 'a parenthesis inside parentheses; close the first one before');
      isOpen = true;
      opened = line;
      at += 1;
    } else if (character === ')') {
      if (!isOpen) throw new ZoneError(line, 'a closing parenthesis without an opening one');
      isOpen = false;
      at += 1;
    } else if (ENDS.has(character)) {
      at += 1;
    } else {
      if (words.length === 0) {
        begin = line;
        size = 0;
        isAtMargin = at === lineStart;
      }
      const end = character === '"' ? endOfQuotes(source, at, line) : endOfWord(source, at, line);
      size += end - at + 1;
      if (size > MAX_ENTRY)
        throw new ZoneError(begin, `an entry of more than ${MAX_ENTRY} characters; write shorter ones`);
      words.push(
        character === '"'
          ? { text: source.slice(at + 1, end - 1), isQuoted: true }
          : { text: source.slice(at, end), isQuoted: false },
      );
      at = end;
    }
  }
  if (isOpen) throw new ZoneError(opened, 'an opening parenthesis without its end');
  if (words.length > 0) yield { line: begin, isAtMargin, words };
}

function endOfQuotes(source: string, start: number, line: number): number {
  for (let at = start + 1; at < source.length; at += 1) {
    const character = source[at];
    if (character === '"') return at + 1;
    if (character === '\n') break;
    if (character === '\\' && source[at + 1] !== '\n') at += 1;
  }
  throw new ZoneError(line, 'a quote without its end on the same line');
}

/** Quotes that follow a `key=` belong to the word (RFC 9460 appendix A). */
function endOfWord(source: string, start: number, line: number): number {
  let at = start;
  while (at < source.length && !ENDS.has(source[at] ?? '')) {
    if (source[at] === '"') {
      at = endOfQuotes(source, at, line);
    } else if (source[at] === '\\') {
      if (at + 1 >= source.length || source[at + 1] === '\n' || source[at + 1] === '\r')
        throw new ZoneError(line, 'a backslash at the end of the line; write "\\\\" for one');
      at += 2;
    } else {
      at += 1;
    }
  }
  return at;
}
