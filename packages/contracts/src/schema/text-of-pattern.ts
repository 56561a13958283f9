import { compilePattern } from '@backlot/core';
import type { Chance } from '../shared/chance.js';

const LONGEST_PATTERN = 500;
const LONGEST_TEXT = 500;
const MOST_STEPS = 2000;

/**
 * A text that a regular expression matches. What is made is matched against the expression, so parts that are not
 * understood here give no text, and never a wrong one.
 *
 * @returns undefined when none is found
 */
export function textOfPattern(
  pattern: string,
  least: number,
  most: number,
  chance: Chance,
): string | undefined {
  if (pattern.length > LONGEST_PATTERN) return undefined;
  let matches: (text: string) => boolean;
  try {
    const compiled = compilePattern({ regex: pattern });
    matches = (text) => compiled.test(text);
  } catch {
    return undefined;
  }
  // Repeated parts grow until the text is long enough.
  for (let more = 0; more <= 64; more = more * 2 + (more === 0 ? 1 : 0)) {
    const text = new Writer(pattern, chance, more).write();
    if (text === undefined) return undefined;
    if (text.length >= least) return text.length <= most && matches(text) ? text : undefined;
  }
  return undefined;
}

/** Reads an expression from left to right, and writes what each part stands for. */
class Writer {
  #at = 0;
  #steps = 0;

  constructor(
    private readonly pattern: string,
    private readonly chance: Chance,
    private readonly more: number,
  ) {}

  write(): string | undefined {
    try {
      return this.#alternatives();
    } catch {
      return undefined;
    }
  }

  #alternatives(): string {
    const first = this.#sequence();
    while (this.pattern[this.#at] === '|') {
      this.#at += 1;
      this.#sequence();
    }
    return first;
  }

  #sequence(): string {
    let text = '';
    while (this.#at < this.pattern.length && !'|)'.includes(this.pattern.charAt(this.#at))) {
      this.#step(text);
      const start = this.#at;
      const part = this.#atom();
      const times = this.#times();
      text += part;
      const end = this.#at;
      for (let turn = 1; turn < times; turn += 1) {
        this.#step(text);
        this.#at = start;
        text += this.#atom();
      }
      if (times === 0) text = text.slice(0, text.length - part.length);
      this.#at = end;
    }
    return text;
  }

  #step(text: string): void {
    this.#steps += 1;
    if (this.#steps > MOST_STEPS || text.length > LONGEST_TEXT) throw new RangeError('too long');
  }

  #atom(): string {
    const character = this.pattern.charAt(this.#at);
    this.#at += 1;
    if (character === '^' || character === '$') return '';
    if (character === '.') return 'a';
    if (character === '[') return this.#class();
    if (character === '\\') return this.#escape(false)[0] ?? '';
    if (character !== '(') return character;
    const group = /^(\?(?::|<[A-Za-z]\w*>|P<\w+>))?(?!\?)/.exec(this.pattern.slice(this.#at));
    if (group === null) throw new SyntaxError('a group that is not known');
    this.#at += group[0].length;
    const text = this.#alternatives();
    if (this.pattern[this.#at] !== ')') throw new SyntaxError('a group that does not end');
    this.#at += 1;
    return text;
  }

  /** How often the part is written that was just read. */
  #times(): number {
    const found = /^(?:([*+?])|\{(\d{1,4})(,(\d{0,4}))?\})\??/.exec(this.pattern.slice(this.#at));
    if (found === null) return 1;
    this.#at += found[0].length;
    const [, sign, least, , most] = found;
    if (sign === '?') return 1;
    if (sign === '*' || sign === '+') return 1 + this.more;
    const from = Number(least);
    const to =
      found[3] === undefined ? from : most === '' || most === undefined ? from + this.more : Number(most);
    return Math.min(Math.max(from, Math.min(from === 0 ? 1 : from, to)) + this.more, Math.max(to, from));
  }

  #class(): string {
    const isNegated = this.pattern[this.#at] === '^';
    if (isNegated) this.#at += 1;
    const characters: string[] = [];
    for (let isFirst = true; ; isFirst = false) {
      this.#step('');
      const character = this.pattern.charAt(this.#at);
      if (character === '') throw new SyntaxError('a class that does not end');
      this.#at += 1;
      if (character === ']' && !isFirst) break;
      const found = character === '\\' ? this.#escape(true) : [character];
      const range = /^-([^\]\\])/.exec(this.pattern.slice(this.#at));
      if (range !== null && found.length === 1) {
        this.#at += 2;
        const from = (found[0] ?? '').charCodeAt(0);
        const to = Math.min((range[1] ?? '').charCodeAt(0), from + 255);
        for (let code = from; code <= to; code += 1) characters.push(String.fromCharCode(code));
      } else {
        characters.push(...found);
      }
    }
    const choice = isNegated ? [...'abcxyz019-_ '].filter((one) => !characters.includes(one)) : characters;
    if (choice.length === 0) throw new SyntaxError('an empty class');
    return choice[this.chance.int(0, choice.length - 1)] ?? '';
  }

  #escape(inClass: boolean): readonly string[] {
    const character = this.pattern.charAt(this.#at);
    this.#at += 1;
    switch (character) {
      case 'd':
        return inClass ? [...'0123456789'] : [String(this.chance.int(0, 9))];
      case 'w':
        return inClass ? [...'abcdefgh0123'] : ['abcdefgh'.charAt(this.chance.int(0, 7))];
      case 's':
        return [' '];
      case 'D':
      case 'S':
      case 'W':
        return [character === 'W' ? '-' : 'a'];
      case 'b':
      case 'A':
      case 'z':
      case 'Z':
        return [''];
      case 'n':
        return ['\n'];
      case 't':
        return ['\t'];
      case 'r':
        return ['\r'];
      default:
        if (/[A-Za-z0-9]/.test(character)) throw new SyntaxError('an escape that is not known');
        return [character];
    }
  }
}
