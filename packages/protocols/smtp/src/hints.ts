import type { PatternSource } from '@backlot/core/plugin';

/** A text without which a pattern cannot match: the whole value, or the domain of an address. */
export interface Hint {
  readonly type: 'exact' | 'domain';
  readonly text: string;
}

/** The hint of a pattern for addresses: the address, or the domain of `*@domain`, both in lower case. */
export function addressHint(source: PatternSource): Hint | undefined {
  const exact = exactText(source);
  if (exact !== undefined) return { type: 'exact', text: exact.toLowerCase() };
  const suffix = suffixText(source);
  const at = suffix?.lastIndexOf('@') ?? -1;
  if (suffix === undefined || at < 0 || suffix.length === at + 1) return undefined;
  return { type: 'domain', text: suffix.slice(at + 1).toLowerCase() };
}

/** The hint of a pattern for other texts: the text. */
export function textHint(source: PatternSource): Hint | undefined {
  const text = exactText(source);
  return text === undefined ? undefined : { type: 'exact', text };
}

/** The domain of an address, in lower case; undefined when it has none. */
export function domainOf(address: string): string | undefined {
  const at = address.lastIndexOf('@');
  return at < 0 ? undefined : address.slice(at + 1).toLowerCase();
}

function exactText(source: PatternSource): string | undefined {
  if (typeof source === 'object') return source.equals;
  return isPlain(source) ? source : undefined;
}

function suffixText(source: PatternSource): string | undefined {
  if (typeof source === 'object') return source.suffix;
  const end = source.slice(source.lastIndexOf('*') + 1);
  return source.startsWith('re:') || !isPlain(end) ? undefined : end;
}

/** Whether a pattern is its own text: a star, even an escaped one, makes it another. */
function isPlain(source: string): boolean {
  return !source.startsWith('re:') && !source.includes('*') && !source.includes('\\');
}
