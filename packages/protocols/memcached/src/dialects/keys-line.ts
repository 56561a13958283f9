import { ERRORS, type ProtocolError } from '../wire/error-text.js';
import { flatten } from '../wire/latin.js';
import { parseSigned } from '../wire/numbers.js';
import { MAX_KEY } from './text-commands.js';

const SPACE = 32;
const KEYS_LINE = /^ *(get|gets|bget|gat|gats) /;
const TOO_LONG = new RegExp(`[^ ]{${MAX_KEY + 1}}`);

/** The words of a line, cut out one by one: a line may have half a million keys, each of which is answered in its turn. */
export class WordReader {
  readonly #line: string;
  #at = 0;

  constructor(line: string) {
    this.#line = line;
  }

  /** The next word, in memory of its own; `undefined` behind the last. */
  next(): string | undefined {
    const line = this.#line;
    while (line.charCodeAt(this.#at) === SPACE) this.#at += 1;
    const start = this.#at;
    if (start >= line.length) return undefined;
    const end = line.indexOf(' ', start);
    this.#at = end < 0 ? line.length : end;
    return flatten(line.slice(start, this.#at));
  }
}

/** A retrieval of many keys. */
export interface KeysLine {
  readonly command: string;
  readonly exptime: number;
  /** The first of the keys. */
  readonly keys: readonly string[];
  /** The others. */
  readonly others: WordReader;
}

/** Reads a long line; `undefined` when it is no line of keys to retrieve. */
export function readKeysLine(line: string): KeysLine | ProtocolError | undefined {
  const command = KEYS_LINE.exec(line)?.[1];
  if (command === undefined) return undefined;
  const words = new WordReader(line);
  words.next();
  const exptime = command.startsWith('gat') ? parseSigned(words.next() ?? '') : 0;
  if (exptime === undefined) return ERRORS.badExptime;
  if (TOO_LONG.test(line)) return ERRORS.badLine;
  const first = words.next();
  if (first === undefined) return ERRORS.unknown;
  return { command, exptime, keys: [first], others: words };
}
