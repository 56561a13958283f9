import type { PiecedText } from '@backlot/core/plugin';

/** What is written at once: values of about so many characters, and slices of longer texts. */
const PIECE = 32 * 1024;

/** A text that is made a piece at a time, within a value that is written as JSON. */
export class TextInPieces {
  readonly length: number;
  readonly #text: PiecedText;

  constructor(text: PiecedText) {
    this.#text = text;
    this.length = text.length;
  }

  pieces(): Iterable<string> {
    return this.#text.pieces();
  }

  /** The whole text, for who does not write it in pieces. */
  toJSON(): string {
    return [...this.pieces()].join('');
  }
}

/** The beginning of a long text, of so many characters, or one less where the last two are one letter: whole groups of base64 and whole letters. */
export function beginningOf(text: PiecedText, most: number): PiecedText {
  const length = most - (most % 4);
  if (text.length <= most) return text;
  return {
    length,
    *pieces() {
      let left = length;
      for (const piece of text.pieces()) {
        const part = piece.length > left ? piece.slice(0, left) : piece;
        left -= part.length;
        if (left > 0) yield part;
        else {
          // A letter of two characters is not cut.
          const last = part.charCodeAt(part.length - 1);
          yield last >= 0xd800 && last < 0xdc00 ? part.slice(0, -1) : part;
          return;
        }
      }
    },
  };
}

type Entry = readonly [key: string, value: unknown];

/**
 * A value as JSON, as `JSON.stringify` writes it, in pieces: a small value is one, a long text, list or object several, so
 * that no piece takes long to make and the whole is never one text.
 */
export function* jsonPieces(value: unknown): Generator<string> {
  if (value instanceof TextInPieces) yield* textPieces(value.pieces());
  else if (isSmall(value)) yield JSON.stringify(value) ?? 'null';
  else if (typeof value === 'string') yield* textPieces([value]);
  else if (hasJsonForm(value)) yield* jsonPieces(value.toJSON(''));
  else if (Array.isArray(value)) yield* listPieces(value);
  else yield* objectPieces(Object.entries(value as object));
}

/** A list as JSON; an item is asked for when those before it have been written. */
export function* listPieces(items: Iterable<unknown>): Generator<string> {
  let before = '[';
  for (const item of items) {
    yield before;
    yield* jsonPieces(isNothing(item) ? null : item);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

/** An object as JSON whose last field is a list. */
export function* withinPieces(
  fields: Readonly<Record<string, unknown>>,
  name: string,
  items: Iterable<unknown>,
): Generator<string> {
  const start = JSON.stringify(fields).slice(0, -1);
  yield `${start}${start === '{' ? '' : ','}${JSON.stringify(name)}:`;
  yield* listPieces(items);
  yield '}';
}

/** An object as JSON; a field is asked for when those before it have been written. */
export function* objectPieces(entries: Iterable<Entry>): Generator<string> {
  let before = '{';
  for (const [key, value] of entries) {
    if (isNothing(value)) continue;
    yield before;
    yield* jsonPieces(key);
    yield ':';
    yield* jsonPieces(value);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

function* textPieces(texts: Iterable<string>): Generator<string> {
  yield '"';
  for (const text of texts) {
    for (let start = 0; start < text.length;) {
      const end = endWithin(text, start + PIECE);
      yield JSON.stringify(text.slice(start, end)).slice(1, -1);
      start = end;
    }
  }
  yield '"';
}

/** The end of a part of a text that is `end` characters long at most and does not go through a surrogate pair. */
export function endWithin(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last < 0xdc00 ? end - 1 : end;
}

/** Whether a value is written at once; looks at as much of it as that takes. */
export function isSmall(value: unknown, most = PIECE): boolean {
  return weigh(value, most) >= 0;
}

/** What is left of an allowance of characters, roughly; below zero when the value does not fit. */
function weigh(value: unknown, allowance: number): number {
  if (typeof value === 'string') return allowance - value.length;
  if (typeof value !== 'object' || value === null) return allowance - 8;
  if (value instanceof TextInPieces) return allowance - value.length;
  if (hasJsonForm(value)) {
    // A buffer becomes a long list, which need not be made to know it.
    return ArrayBuffer.isView(value) ? allowance - 4 * value.byteLength : weigh(value.toJSON(''), allowance);
  }
  let left = allowance - 2;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index += 1) left = weigh(value[index], left);
    return left;
  }
  for (const key in value) {
    if (left < 0) break;
    left = weigh((value as Record<string, unknown>)[key], left - key.length);
  }
  return left;
}

function hasJsonForm(value: unknown): value is { toJSON(key: string): unknown } {
  return (
    typeof value === 'object' && value !== null && 'toJSON' in value && typeof value.toJSON === 'function'
  );
}

/** Whether JSON has nothing for a value: it is left out of an object, and null in a list. */
function isNothing(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol';
}
