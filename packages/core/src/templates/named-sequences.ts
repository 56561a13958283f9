import { compileSectionExpression, firstWord } from './expression.js';
import { hasRoot } from './lookup.js';
import type { Part } from './parse.js';
import { splitWords, type Word } from './words.js';

/** Takes the name of a sequence that a rendering of a template counts on once at most; undefined where that is not known before. */
export type NoteSequence = (name: string | undefined) => void;

const USES = /\bseq\b/;

/** Whether a text may count. */
export function mayCount(text: string): boolean {
  return USES.test(text);
}

/**
 * Notes each call of `seq`, such as `{{seq "orders"}}`: nothing is known of one whose name the message says, or that stands in a section
 * which is gone through more than once.
 */
export function noteSequences(parts: readonly Part[], note: NoteSequence, isRepeated = false): void {
  for (const part of parts) {
    if (part.type === 'text') continue;
    const { first, rest } = firstWord(part.expression);
    const words = [{ text: first, quoted: false }, ...(splitWords(rest) ?? [])];
    noteCall(words, isRepeated ? () => note(undefined) : note);
    // The words of a condition may be a call as well.
    if (part.type !== 'section') continue;
    const { isCondition } = compileSectionExpression(part.expression, isRepeated);
    noteSequences(part.parts, note, isRepeated || !(isCondition || part.inverted));
  }
}

function noteCall(words: readonly Word[], note: NoteSequence): void {
  const at = words.findIndex(({ text, quoted }) => text === 'seq' && !quoted);
  const name = at < 0 ? undefined : words[at + 1];
  if (name !== undefined)
    note(name.call === undefined && (name.quoted || !hasRoot(name.text)) ? name.text : undefined);
  for (const { call } of words) if (call !== undefined) noteCall(call, note);
}
