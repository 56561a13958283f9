import type { ImportFile } from '@backlot/core/plugin';
import { isTree, memberOf, type References, type Tree } from '@backlot/contracts';

/** Schemas and lists of one bundle. */
const MOST = 20_000;
const DEEPEST = 100;

/**
 * A schema that stands by itself: what it refers to becomes one of its own definitions, and nothing is expanded.
 *
 * @returns undefined for one that is too large, or refers to what there is not
 */
export function bundleSchema(
  schema: unknown,
  document: ImportFile,
  references: References,
): Tree | undefined {
  const bundling = new Bundling(references);
  const bundled = bundling.copy(schema, document, 0);
  if (bundling.isBroken || !isTree(bundled)) return undefined;
  return bundling.definitions.size === 0
    ? bundled
    : { ...bundled, definitions: Object.fromEntries(bundling.definitions) };
}

class Bundling {
  readonly definitions = new Map<string, unknown>();
  isBroken = false;
  readonly #names = new Map<unknown, string>();
  #left = MOST;

  constructor(private readonly references: References) {}

  copy(value: unknown, document: ImportFile, depth: number): unknown {
    this.#left -= 1;
    if (this.#left < 0 || depth > DEEPEST) {
      this.isBroken = true;
      return {};
    }
    if (Array.isArray(value)) return value.map((item) => this.copy(item, document, depth + 1));
    if (!isTree(value)) return value;
    const reference = memberOf(value, '$ref');
    if (typeof reference === 'string')
      return { $ref: `#/definitions/${this.#define(value, reference, document, depth)}` };
    return Object.fromEntries(
      Object.entries(value)
        .filter(([word]) => !word.startsWith('x-') && word !== 'definitions' && word !== '$id')
        .map(([word, member]) => [word, this.copy(member, document, depth + 1)]),
    );
  }

  #define(value: Tree, reference: string, from: ImportFile, depth: number): string {
    const { value: found, document } = this.references.follow({ value, document: from });
    if (found === undefined) {
      this.isBroken = true;
      return '';
    }
    const known = this.#names.get(found);
    if (known !== undefined) return known;
    const wanted = reference.slice(reference.lastIndexOf('/') + 1).replaceAll(/[^\w-]+/g, '_') || 'schema';
    let name = wanted;
    const taken = new Set(this.#names.values());
    for (let number = 2; taken.has(name); number += 1) name = `${wanted}_${number}`;
    this.#names.set(found, name);
    this.definitions.set(name, this.copy(found, document, depth + 1));
    return name;
  }
}
