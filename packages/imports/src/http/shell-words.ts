/** A command of a shell, as its words. */
export interface ShellCommand {
  readonly words: string[];
  /** The line where it begins, from 1. */
  readonly line: number;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0' };

/**
 * Splits a text into commands and their words as a POSIX shell does, with the `$'...'` of bash. Nothing is expanded.
 *
 * @param most - commands that are read
 */
export function splitCommands(text: string, most: number): readonly ShellCommand[] {
  const commands: ShellCommand[] = [];
  let words: string[] = [];
  let word: string | undefined;
  let line = 1;
  let start = 1;
  const endWord = (): void => {
    if (word === undefined) return;
    if (words.length === 0) start = line;
    words.push(word);
    word = undefined;
  };
  const endCommand = (): void => {
    endWord();
    if (words.length > 0) commands.push({ words, line: start });
    words = [];
  };
  for (let at = 0; at < text.length && commands.length < most; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') {
      at += 1;
      const next = text.charAt(at);
      if (next === '\n') line += 1;
      else if (next === '\r' && text.charAt(at + 1) === '\n') at += 1;
      else word = (word ?? '') + next;
    } else if (character === "'") {
      const isDollar = word?.endsWith('$') === true;
      const end = isDollar ? endOfDollar(text, at + 1) : text.indexOf("'", at + 1);
      const inner = text.slice(at + 1, end < 0 ? text.length : end);
      word = isDollar ? (word ?? '').slice(0, -1) + unescape(inner) : (word ?? '') + inner;
      line += countLines(inner);
      at = end < 0 ? text.length : end;
    } else if (character === '"') {
      let inner = '';
      for (at += 1; at < text.length && text.charAt(at) !== '"'; at += 1) {
        if (text.charAt(at) === '\\' && '"\\$`\n'.includes(text.charAt(at + 1))) at += 1;
        inner += text.charAt(at);
      }
      word = (word ?? '') + inner;
      line += countLines(inner);
    } else if (character === '\n' || character === ';' || character === '|' || character === '&') {
      if (
        character === '&' &&
        word !== undefined &&
        text.charAt(at + 1) !== '&' &&
        !/\s/.test(text.charAt(at + 1))
      ) {
        // A url that nobody has quoted.
        word += character;
        continue;
      }
      endCommand();
      if (character === '\n') line += 1;
    } else if (character === '#' && word === undefined) {
      const end = text.indexOf('\n', at);
      at = end < 0 ? text.length : end - 1;
    } else if (/\s/.test(character)) {
      endWord();
    } else {
      word = (word ?? '') + character;
    }
  }
  endCommand();
  return commands;
}

function endOfDollar(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text.charAt(at) === '\\') at += 1;
    else if (text.charAt(at) === "'") return at;
  }
  return -1;
}

function unescape(text: string): string {
  return text.replaceAll(/\\(u[\da-fA-F]{4}|x[\da-fA-F]{2}|.)/gs, (_all, escape: string) =>
    escape.length > 1
      ? String.fromCharCode(Number.parseInt(escape.slice(1), 16))
      : (ESCAPES[escape] ?? escape),
  );
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
