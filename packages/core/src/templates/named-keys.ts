import { firstWord } from './expression.js';
import { hasRoot } from './lookup.js';
import type { Part } from './parse.js';
import { splitWords, type Word } from './words.js';

/** Takes the name of a key that a template signs with. */
export type NoteKey = (name: string) => void;

const USES = /\bjwt\b/;

/** Whether a text may sign anything. */
export function maySign(text: string): boolean {
  return USES.test(text);
}

/**
 * Notes the keys that calls of `jwt` name in the text itself, such as `{{jwt "k1"}}`; those that a message names are known
 * when it has come.
 */
export function noteKeys(parts: readonly Part[], note: NoteKey, isInside = false): void {
  for (const part of parts) {
    if (part.type === 'text') continue;
    const { first, rest } = firstWord(part.expression);
    noteCall([{ text: first, quoted: false }, ...(splitWords(rest) ?? [])], note, isInside);
    if (part.type === 'section') noteKeys(part.parts, note, true);
  }
}

function noteCall([helper, ...words]: readonly Word[], note: NoteKey, isInside: boolean): void {
  const [key] = words;
  if (helper?.text === 'jwt' && key !== undefined && isName(key, isInside)) note(key.text);
  for (const { call } of words) if (call !== undefined) noteCall(call, note, isInside);
}

/** Inside of a section a word without quotes may be a name of its element. */
function isName({ text, quoted, call }: Word, isInside: boolean): boolean {
  return call === undefined && (quoted || (!isInside && !hasRoot(text)));
}
