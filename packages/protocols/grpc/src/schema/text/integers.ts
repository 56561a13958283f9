import type { Tokens } from './tokens.js';

/** Reads a whole number, in decimal, octal or hexadecimal. @throws ProtoSyntaxError beyond the bounds */
export function readInteger(tokens: Tokens, low: number, high: number): number {
  const { at } = tokens.next;
  const sign = tokens.takeIf('-') ? -1 : 1;
  const text = tokens.takeA('number', 'a whole number');
  const digits = withPrefix(text);
  const number = sign * Number(digits);
  if (!/^(?:0[xXo][0-9a-fA-F]+|\d+)$/.test(digits) || !(number >= low && number <= high))
    throw tokens.fail(`${number} is no whole number from ${low} to ${high}`, at);
  return number === 0 ? 0 : number;
}

/** A whole number of any notation in decimal; what is none stays as it is. */
export function integerText(sign: string, text: string): string {
  const digits = withPrefix(text);
  if (!/^(?:0[xXo][0-9a-fA-F]+|\d+)$/.test(digits)) return sign + text;
  const integer = BigInt(digits);
  return String(sign === '-' ? -integer : integer);
}

/** Octal numbers as JavaScript has them. */
function withPrefix(text: string): string {
  return /^0[0-7]+$/.test(text) ? `0o${text.slice(1)}` : text;
}
