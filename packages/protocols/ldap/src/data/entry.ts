import { encodeAttribute } from '../wire/encode.js';
import { canonicalType, isBinary, isOperational, optionsOf, syntaxOf } from './attribute-types.js';
import { compactDn, type Dn } from './dn.js';
import { referencesOf } from './referrals.js';
import { foldValue } from './values.js';

/** One attribute of an entry: what it is, and its values in order. */
export class Attribute {
  /** As it was written. */
  readonly name: string;
  /** In lower case, without options; the same for all names of a type. */
  readonly type: string;
  readonly options: readonly string[];
  readonly isOperational: boolean;
  readonly #values: readonly Buffer[] | string;
  #folded: readonly string[] | undefined;
  #bytes: Buffer | undefined;

  /**
   * @param values - a text is a single value, of which bytes are made when they are asked for: those that a server keeps by itself
   *   are in every entry, and few look at them
   * @param folded - the values as {@link folded} gives them, where they are known
   */
  constructor(name: string, values: readonly Buffer[] | string, folded?: readonly string[]) {
    this.#folded = folded;
    this.name = name;
    this.type = canonicalType(name);
    this.options = optionsOf(name);
    this.#values = values;
    this.isOperational = isOperational(this.type);
  }

  get values(): readonly Buffer[] {
    const values = this.#values;
    return typeof values === 'string' ? [Buffer.from(values, 'utf8')] : values;
  }

  /** How many values there are. */
  get count(): number {
    return typeof this.#values === 'string' ? 1 : this.#values.length;
  }

  /** The same type and the same options. */
  get key(): string {
    return this.options.length === 0 ? this.type : `${this.type};${[...this.options].sort().join(';')}`;
  }

  /** The values in the form in which equal ones are the same text. */
  get folded(): readonly string[] {
    return (this.#folded ??= this.values.map((value) => foldValue(syntaxOf(this.type), value)));
  }

  /** As a search result carries it. */
  get bytes(): Buffer {
    return (this.#bytes ??= encodeAttribute(this.name, this.values));
  }

  /** Whether this is a type, with at least these options (RFC 4512, section 2.5.2). */
  is(type: string, options: readonly string[]): boolean {
    return this.type === type && options.every((option) => this.options.includes(option));
  }

  /** As lines of LDIF (RFC 2849). */
  toLdif(): string {
    return this.values.map((value) => formatLine(this.name, value)).join('');
  }
}

/** An entry; it never changes. */
export class Entry {
  readonly dn: Dn;
  readonly attributes: readonly Attribute[];
  /** Whether it is answered with all of its attributes, whichever a search asks for. */
  readonly isWhole: boolean;
  #ldif: string | undefined;
  #size: number | undefined;
  #guardsPassword: boolean | undefined;
  #isReferral: boolean | undefined;

  constructor(dn: Dn, attributes: readonly Attribute[], isWhole = false) {
    this.dn = compactDn(dn);
    this.attributes = attributes;
    this.isWhole = isWhole;
  }

  /** The same attributes under another name. */
  named(dn: Dn): Entry {
    const entry = new Entry(dn, this.attributes, this.isWhole);
    entry.#ldif = this.ldif;
    return entry;
  }

  /** Bytes that it holds, roughly. */
  get size(): number {
    return (this.#size ??= this.#measure());
  }

  /** Whether it is an entry of the tree, as those with an entryDN are, and has a password. Mocks show what they hold. */
  get guardsPassword(): boolean {
    return (this.#guardsPassword ??=
      this.attributes.some(({ type }) => type === 'userpassword') &&
      this.attributes.some(({ type }) => type === 'entrydn'));
  }

  /** Whether it refers to other servers. */
  get isReferral(): boolean {
    return (this.#isReferral ??= referencesOf(this) !== undefined);
  }

  /** How many values its attributes have together. */
  get valueCount(): number {
    return this.attributes.reduce((total, { count }) => total + count, 0);
  }

  #measure(): number {
    let size = 200 + 3 * this.dn.text.length;
    for (const { name, values } of this.attributes) {
      size += 200 + name.length;
      for (const value of values) size += 100 + value.length;
    }
    return size;
  }

  /** Its attributes as LDIF, without those that only the server keeps. */
  get ldif(): string {
    return (this.#ldif ??= this.attributes
      .filter(({ isOperational: isKept }) => !isKept)
      .map((attribute) => attribute.toLdif())
      .join(''));
  }
}

/** One line of LDIF; base64 where a reader could mistake the value. */
export function formatLine(name: string, value: Buffer): string {
  const text = value.toString('utf8');
  const isSafe = /^(?:[^\0\r\n :<\ufffd][^\0\r\n\ufffd]*)?$/.test(text) && !text.endsWith(' ');
  return isSafe && !isBinary(name) ? `${name}: ${text}\n` : `${name}:: ${value.toString('base64')}\n`;
}
