import { canonicalType, optionsOf } from './attribute-types.js';
import type { Attribute, Entry } from './entry.js';
import { encodeAttribute } from '../wire/encode.js';

/** Which attributes of entries a search wants (RFC 4511, section 4.5.1.8). */
export class Selection {
  readonly #typesOnly: boolean;
  readonly #isAllUser: boolean;
  readonly #isAllOperational: boolean;
  readonly #named: readonly { readonly type: string; readonly options: readonly string[] }[];

  constructor(names: readonly string[], typesOnly: boolean) {
    this.#typesOnly = typesOnly;
    // RFC 4529: @class stands for the attributes of a class; without a schema that is all of them.
    this.#isAllUser = names.length === 0 || names.some((name) => name === '*' || name.startsWith('@'));
    this.#isAllOperational = names.includes('+');
    this.#named = names
      .filter((name) => name !== '*' && name !== '+' && name !== '1.1')
      .map((name) => ({ type: canonicalType(name), options: optionsOf(name) }));
  }

  /** The chosen attributes as a search result carries them. */
  encode(entry: Entry): Buffer[] {
    const chosen: Buffer[] = [];
    for (const attribute of entry.attributes) {
      if (!this.#wants(attribute)) continue;
      chosen.push(this.#typesOnly ? encodeAttribute(attribute.name, []) : attribute.bytes);
    }
    return chosen;
  }

  /** The chosen attributes as LDIF, for the journal. */
  format(entry: Entry): string {
    if (this.#typesOnly || !this.#isAllUser || this.#isAllOperational) {
      return entry.attributes
        .filter((attribute) => this.#wants(attribute))
        .map((attribute) => (this.#typesOnly ? `${attribute.name}:\n` : attribute.toLdif()))
        .join('');
    }
    return entry.ldif;
  }

  #wants(attribute: Attribute): boolean {
    if (attribute.isOperational ? this.#isAllOperational : this.#isAllUser) return true;
    return this.#named.some(({ type, options }) => attribute.is(type, options));
  }
}
