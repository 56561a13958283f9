import type { Context } from '@backlot/core/plugin';
import { parentKey, type Dn } from './data/dn.js';
import { isTemplate } from './matcher.js';
import type { LdapShape } from './shape.js';

/** Most names that are listed as naming contexts. */
const MAX_ROOTS = 1000;

/** The names that mocks in effect speak of: a search below one that finds nothing is no search below nothing. */
export class KnownNames {
  readonly #mocks: Context<LdapShape>['mocks'];
  /** Those names and all above them; made when somebody asks. */
  #known: ReadonlySet<string> | undefined;

  constructor(mocks: Context<LdapShape>['mocks']) {
    this.#mocks = mocks;
    mocks.onChange(() => {
      this.#known = undefined;
    });
  }

  /** Whether a mock speaks of a name, or of one below it. */
  has(key: string): boolean {
    return (this.#known ??= this.#collect()).has(key);
  }

  /** The topmost names that mocks are for. */
  roots(): string[] {
    const bases = new Map<string, string>();
    for (const { compiled } of this.#mocks.values()) {
      const { operation, base } = compiled;
      if (operation === 'SEARCH' && base !== undefined && base.key !== '') bases.set(base.key, base.text);
    }
    const roots: string[] = [];
    for (const [key, text] of bases) {
      if (!hasAbove(bases, key)) roots.push(text);
      if (roots.length === MAX_ROOTS) break;
    }
    return roots;
  }

  #collect(): Set<string> {
    const known = new Set<string>();
    const note = ({ key }: Dn): void => {
      for (let at = key; at !== '' && !known.has(at); at = parentKey(at)) known.add(at);
    };
    for (const { compiled } of this.#mocks.values()) {
      if (compiled.operation !== 'SEARCH') continue;
      if (compiled.base !== undefined) note(compiled.base);
      for (const { dn } of compiled.entries) if (dn !== undefined && !isTemplate(dn)) note(dn);
    }
    return known;
  }
}

function hasAbove(bases: ReadonlyMap<string, string>, key: string): boolean {
  for (let above = parentKey(key); above !== ''; above = parentKey(above)) {
    if (bases.has(above)) return true;
  }
  return false;
}
