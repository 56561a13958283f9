import type { Syntax } from './attribute-types.js';
import { foldDn } from './dn.js';
import { foldPlain } from './fold.js';

/** The form of a value in which equal values are the same text. */
export function foldValue(syntax: Syntax, value: Buffer): string {
  if (syntax === 'octets') return value.toString('latin1');
  return foldText(syntax, value.toString('utf8'));
}

/** As {@link foldValue}, of a text. */
function foldText(syntax: Syntax, text: string): string {
  if (syntax === 'dn') return foldDn(text) ?? foldPlain('ignore', text);
  return foldPlain(syntax, text);
}
