import type { Syntax } from './attribute-types.js';

const INTEGER = /^-?\d{1,400}$/;
const PLAIN_WORD = /^[a-z0-9]*$/i;
const COMBINING = /\p{M}/gu;
const NOT_WORD = /[^\p{L}\p{N}]/gu;
const NEEDS_SQUEEZE = /^\s|\s$|\s\s|[^\S ]/;

/** The form of a text in which equal values are the same text, for syntaxes other than names. */
export function foldPlain(syntax: Syntax, text: string): string {
  switch (syntax) {
    case 'octets':
      return Buffer.from(text, 'utf8').toString('latin1');
    case 'exact':
      return squeeze(text);
    case 'integer':
      return INTEGER.test(text) ? BigInt(text).toString() : foldCase(text);
    case 'telephone':
      return text.replace(/[\s-]/g, '').toLowerCase();
    default:
      return foldCase(text);
  }
}

/** A part of a value in a substring filter: spaces at its ends count. */
export function foldPart(syntax: Syntax, value: Buffer): string {
  if (syntax === 'octets') return value.toString('latin1');
  const text = value.toString('utf8');
  if (syntax === 'telephone') return text.replace(/[\s-]/g, '').toLowerCase();
  const spaced = text.replace(/\s+/g, ' ');
  return syntax === 'exact' ? spaced : spaced.toLowerCase();
}

/** The form in which values that are about the same are the same text: letters and digits without accents. */
export function foldRoughly(text: string): string {
  if (PLAIN_WORD.test(text)) return text.toLowerCase();
  return text.normalize('NFD').replace(COMBINING, '').replace(NOT_WORD, '').toLowerCase();
}

/** Compares folded values for `>=` and `<=`: as numbers where both are. */
export function compareFolded(a: string, b: string): number {
  if (INTEGER.test(a) && INTEGER.test(b)) {
    const first = BigInt(a);
    const second = BigInt(b);
    return first < second ? -1 : first > second ? 1 : 0;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

function foldCase(text: string): string {
  return squeeze(text).toLowerCase();
}

function squeeze(text: string): string {
  return NEEDS_SQUEEZE.test(text) ? text.trim().replace(/\s+/g, ' ') : text;
}
