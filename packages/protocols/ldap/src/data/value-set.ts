import { RESULT } from '../result-codes.js';
import { DirectoryError } from './directory-error.js';
import { Attribute } from './entry.js';

/** The values of an attribute while they are changed: what a change costs grows with the change, and not with what is there. */
export class ValueSet {
  readonly #name: string;
  /** By their folded form, in order. */
  readonly #values = new Map<string, Buffer>();

  constructor({ name, values, folded }: Attribute) {
    this.#name = name;
    for (const [index, value] of values.entries()) this.#values.set(folded[index] ?? '', value);
  }

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  /** @throws DirectoryError when a value is there already */
  add({ values, folded }: Attribute): void {
    for (const [index, value] of values.entries()) {
      const key = folded[index] ?? '';
      if (this.#values.has(key)) {
        throw new DirectoryError(RESULT.attributeOrValueExists, `"${this.#name}" has a value more than once`);
      }
      this.#values.set(key, value);
    }
  }

  /** @throws DirectoryError when a value is not there */
  delete({ name, folded }: Attribute): void {
    for (const key of new Set(folded)) {
      if (!this.#values.delete(key)) {
        throw new DirectoryError(RESULT.noSuchAttribute, `"${name}" has no such value to delete`);
      }
    }
  }

  toAttribute(): Attribute {
    return new Attribute(this.#name, [...this.#values.values()], [...this.#values.keys()]);
  }
}
