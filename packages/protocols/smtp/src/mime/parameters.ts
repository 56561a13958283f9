import { decoderFor } from '@backlot/kit';

/** A value with parameters, as Content-Type and Content-Disposition have it (RFC 2045, 5.1). */
export interface Parameterised {
  /** In lower case. */
  readonly value: string;
  /** By name in lower case, continuations put together (RFC 2231). */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Parameters beyond these are passed over. */
const MAX_PARAMETERS = 1000;
const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\[^])*)"?|([^;]*))|;/g;
const SECTION = /\*(?:(\d{1,9})(\*)?)?$/;

/** A piece of a parameter that is longer than a line, or in a charset of its own. */
interface Piece {
  readonly number: number;
  readonly value: string;
  readonly isEncoded: boolean;
}

/** Reads a value such as `text/plain; charset="utf-8"`; what cannot be read is left out. */
export function readParameters(field: string): Parameterised {
  const text = withoutComments(field);
  const semicolon = text.indexOf(';');
  const value = (semicolon < 0 ? text : text.slice(0, semicolon)).trim().toLowerCase();
  const parameters = new Map<string, string>();
  const pieces = new Map<string, Piece[]>();
  if (semicolon < 0) return { value, parameters };
  let count = 0;
  for (const [, name, quoted, token = ''] of text.slice(semicolon).matchAll(PARAMETER)) {
    if (name === undefined) continue;
    count += 1;
    if (count > MAX_PARAMETERS) break;
    const key = name.toLowerCase();
    const given = quoted === undefined ? token.trim() : quoted.replace(/\\([^])/g, '$1');
    const section = SECTION.exec(key);
    if (section === null) {
      // The first one counts, so that no second boundary hides the parts of the first.
      if (!parameters.has(key)) parameters.set(key, given);
      continue;
    }
    const [, number, star] = section;
    const piece = {
      number: Number(number ?? 0),
      value: given,
      isEncoded: number === undefined || star !== undefined,
    };
    const base = key.slice(0, section.index);
    const held = pieces.get(base);
    if (held === undefined) pieces.set(base, [piece]);
    else held.push(piece);
  }
  for (const [key, list] of pieces) parameters.set(key, joinPieces(list));
  return { value, parameters };
}

/** Percent-encoded neighbours are decoded together: a character may lie across them (RFC 2231, 4.1). */
function joinPieces(pieces: readonly Piece[]): string {
  const texts: string[] = [];
  let charset = '';
  let encoded: Buffer[] = [];
  const flush = (): void => {
    if (encoded.length > 0) texts.push(decoderFor(charset).decode(Buffer.concat(encoded)));
    encoded = [];
  };
  const sorted = [...pieces].sort((a, b) => a.number - b.number);
  for (const [index, { value, isEncoded }] of sorted.entries()) {
    if (!isEncoded) {
      flush();
      texts.push(value);
      continue;
    }
    const marked = index === 0 ? /^([^']*)'[^']*'([^]*)$/.exec(value) : null;
    if (marked !== null) charset = marked[1] ?? '';
    encoded.push(decodePercent(marked?.[2] ?? value));
  }
  flush();
  return texts.join('');
}

function decodePercent(text: string): Buffer {
  const latin = Buffer.from(text, 'utf8').toString('latin1');
  const plain = latin.replace(/%([0-9a-f]{2})/gi, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(plain, 'latin1');
}

/** The text without comments in parentheses (RFC 5322, 3.2.2); within a word or a quoted string they are none. */
function withoutComments(text: string): string {
  if (!text.includes('(')) return text;
  const kept: string[] = [];
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at] ?? '';
    if (letter === '\\') {
      if (depth === 0) kept.push(text.slice(at, at + 2));
      at += 1;
    } else if (letter === '"' && depth === 0) {
      isQuoted = !isQuoted;
      kept.push(letter);
    } else if (letter === '(' && !isQuoted && (depth > 0 || /[\s;]/.test(text[at - 1] ?? ';'))) depth += 1;
    else if (letter === ')' && depth > 0) depth -= 1;
    else if (depth === 0) kept.push(letter);
  }
  // A comment without an end would hide all that follows it.
  return depth > 0 ? text : kept.join('');
}
