import type { ImportFile } from '@backlot/core/plugin';
import { isTree, memberOf } from '../shared/values.js';

/** How many references may lead to each other before something is found. */
const MOST_HOPS = 50;

/** A place in a document, and the document, where references of the place begin. */
export interface Found {
  readonly value: unknown;
  readonly document: ImportFile;
}

/** Follows references, one at a time where somebody needs what is behind it; nothing is ever expanded. */
export class References {
  readonly #missing: (reference: string) => void;

  /** @param missing - told of each reference that leads nowhere */
  constructor(missing: (reference: string) => void) {
    this.#missing = missing;
  }

  /** What stands behind a value that may be a reference. What leads nowhere is `undefined`. */
  follow({ value, document }: Found): Found {
    let found: Found = { value, document };
    for (let hop = 0; hop < MOST_HOPS; hop += 1) {
      const reference = memberOf(found.value, '$ref');
      if (typeof reference !== 'string') return found;
      const next = this.#find(reference, found.document);
      if (next === undefined) break;
      found = next;
    }
    const reference = memberOf(found.value, '$ref');
    if (typeof reference === 'string') this.#missing(reference);
    return { value: undefined, document };
  }

  #find(reference: string, document: ImportFile): Found | undefined {
    const [file = '', pointer = ''] = reference.split('#', 2);
    const target = file === '' ? document : document.near(file);
    if (target === undefined) return undefined;
    let value = target.tree;
    for (const step of pointer.split('/').slice(1)) {
      value = stepInto(value, decode(step).replaceAll('~1', '/').replaceAll('~0', '~'));
      if (value === undefined) return undefined;
    }
    return pointer !== '' && !pointer.startsWith('/') ? undefined : { value, document: target };
  }
}

function stepInto(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return /^\d{1,9}$/.test(step) ? (value[Number(step)] as unknown) : undefined;
  return isTree(value) ? memberOf(value, step) : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
