import { readInteger } from './integers.js';
import type { Scope } from './scope.js';
import { readText } from './options.js';

/** Reads `1, 5 to 7, 9 to max`; both ends belong to a range. */
export function readRanges(
  { tokens, count }: Scope,
  largest: number,
  least: number,
  add: (start: number, end: number) => void,
): void {
  do {
    count();
    const start = readInteger(tokens, least, largest);
    let end = start;
    if (tokens.takeIf('to')) end = tokens.takeIf('max') ? largest : readInteger(tokens, start, largest);
    add(start, end);
  } while (tokens.takeIf(','));
}

/** Reads what follows `reserved`: names or ranges of numbers. */
export function readReserved(
  scope: Scope,
  names: string[],
  largest: number,
  least: number,
  add: (start: number, end: number) => void,
): void {
  const { tokens, count } = scope;
  const { kind } = tokens.next;
  if (kind === 'text' || kind === 'name') {
    do {
      count();
      names.push(tokens.next.kind === 'name' ? tokens.take().text : readText(tokens));
    } while (tokens.takeIf(','));
  } else readRanges(scope, largest, least, add);
  tokens.expect(';');
}
