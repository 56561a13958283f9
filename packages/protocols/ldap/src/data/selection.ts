import { canonicalType, optionsOf } from './attribute-types.js';
import type { Attribute, Entry } from './entry.js';
import { encodeAttribute } from '../wire/encode.js';

/** Which attributes of entries a search wants (RFC 4511, section 4.5.1.8). */
export class Selection {
  readonly #typesOnly: boolean;
  readonly #isAllUser: boolean;
  readonly #isAllOperational: boolean;
  readonly #isAnonymous: boolean;
  /** The options that are asked for, by type. */
  readonly #named = new Map<string, (readonly string[])[]>();

  /** @param isAnonymous - who asks has not bound, and gets the passwords of the tree only by their name */
  constructor(names: readonly string[], typesOnly: boolean, isAnonymous = false) {
    this.#isAnonymous = isAnonymous;
    this.#typesOnly = typesOnly;
    // RFC 4529: @class stands for the attributes of a class; without a schema that is all of them.
    this.#isAllUser = names.length === 0 || names.some((name) => name === '*' || name.startsWith('@'));
    this.#isAllOperational = names.includes('+');
    for (const name of names) {
      if (name === '*' || name === '+' || name === '1.1') continue;
      const type = canonicalType(name);
      const asked = this.#named.get(type);
      if (asked === undefined) this.#named.set(type, [optionsOf(name)]);
      else asked.push(optionsOf(name));
    }
  }

  /** The chosen attributes as a search result carries them. */
  encode(entry: Entry): Buffer[] {
    const chosen: Buffer[] = [];
    for (const attribute of entry.attributes) {
      if (!this.#wants(attribute, entry)) continue;
      chosen.push(this.#typesOnly ? encodeAttribute(attribute.name, []) : attribute.bytes);
    }
    return chosen;
  }

  /** The chosen attributes as LDIF, for the journal. */
  format(entry: Entry): string {
    const isHiding = this.#isAnonymous && entry.guardsPassword;
    if (this.#typesOnly || !this.#isAllUser || this.#isAllOperational || isHiding || entry.isWhole) {
      return entry.attributes
        .filter((attribute) => this.#wants(attribute, entry))
        .map((attribute) => (this.#typesOnly ? `${attribute.name}:\n` : attribute.toLdif()))
        .join('');
    }
    return entry.ldif;
  }

  #wants(attribute: Attribute, entry: Entry): boolean {
    if (entry.isWhole) return true;
    const isHidden = this.#isAnonymous && attribute.type === 'userpassword' && entry.guardsPassword;
    if (!isHidden && (attribute.isOperational ? this.#isAllOperational : this.#isAllUser)) return true;
    return this.#named.get(attribute.type)?.some((options) => attribute.is(attribute.type, options)) === true;
  }
}
