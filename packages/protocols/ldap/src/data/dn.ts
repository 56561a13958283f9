import type { KeptBytes } from '@backlot/kit';
import { canonicalType, isAttributeName, syntaxOf } from './attribute-types.js';
import { foldPlain } from './fold.js';

/** One type and value of a name (RFC 4514, section 2.3). */
export interface NamePart {
  /** As it was written. */
  readonly type: string;
  readonly value: Buffer;
}

/** A distinguished name. */
export interface Dn {
  /** As it was written. */
  readonly text: string;
  /** The same text for equal names: the `,` in it only stand between relative names. The root is `''`. */
  readonly key: string;
  /** The relative names, the entry's own first. */
  readonly parts: readonly (readonly NamePart[])[];
}

/** A text that is no distinguished name. */
export class DnError extends Error {
  constructor(text: string, why: string) {
    super(`"${text.length > 200 ? `${text.slice(0, 200)}...` : text}" is no distinguished name: ${why}`);
    this.name = 'DnError';
  }
}

const MAX_PARTS = 100;
const MAX_LENGTH = 64 * 1024;
/** In keys these are written as hexadecimal pairs, so that `,`, `+` and `=` stand for themselves. */
const SPECIAL = /[\\,+=]/g;
const HEX_PAIR = /^[0-9a-fA-F]{2}$/;
const SIMPLE = /^[a-z][a-z0-9-]*=[a-z0-9][a-z0-9._@-]*(?:,[a-z][a-z0-9-]*=[a-z0-9][a-z0-9._@-]*)*$/i;

/** The empty name: the root. */
export const ROOT: Dn = { text: '', key: '', parts: [] };

/**
 * Reads a distinguished name as RFC 4514 writes it; `;` between relative names and spaces around `,` `=` `+` are taken
 * as well, as RFC 2253 asks.
 *
 * @throws DnError
 */
export function parseDn(text: string): Dn {
  if (text.trim() === '') return text === '' ? ROOT : { ...ROOT, text };
  if (text.length > MAX_LENGTH) throw new DnError(text, `it is longer than ${MAX_LENGTH} letters`);
  const parts = SIMPLE.test(text) ? splitSimple(text) : new DnParser(text).parse();
  return { text, key: keyOf(parts), parts };
}

/** The key of a text, or `undefined` when it is no name. */
export function foldDn(text: string): string | undefined {
  // Many values of attributes that hold names are none, and this tells most of them.
  if (!text.includes('=') && text.trim() !== '') return undefined;
  const { stackTraceLimit } = Error;
  // Nobody reads where it was thrown, and finding that out is most of what a value costs that is no name.
  Error.stackTraceLimit = 0;
  try {
    return parseDn(text).key;
  } catch {
    return undefined;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** The key of the name above, `''` at the top. */
export function parentKey(key: string): string {
  const comma = key.indexOf(',');
  return comma < 0 ? '' : key.slice(comma + 1);
}

/** Whether a key is a name itself or below it. */
export function isWithin(key: string, above: string): boolean {
  return above === '' || key === above || (key.endsWith(above) && key[key.length - above.length - 1] === ',');
}

/** The name made of relative names. */
export function makeDn(parts: Dn['parts']): Dn {
  return { text: formatDn(parts), key: keyOf(parts), parts };
}

/** The same name for an entry, of which there are many: its parts are read again by the few who ask for them. */
export function compactDn({ text, key }: Dn): Dn {
  return new CompactDn(text, key);
}

class CompactDn implements Dn {
  constructor(
    readonly text: string,
    readonly key: string,
  ) {}

  get parts(): Dn['parts'] {
    return parseDn(this.text).parts;
  }
}

/** The same name with values of its own, for who keeps it. */
export function copyDn({ text, key, parts }: Dn, kept: KeptBytes): Dn {
  return {
    text,
    key,
    parts: parts.map((rdn) => rdn.map(({ type, value }) => ({ type, value: kept.copy(value) }))),
  };
}

/** Writes a name without needless spaces (RFC 4514, section 2). */
export function formatDn(parts: Dn['parts']): string {
  return parts
    .map((rdn) => rdn.map(({ type, value }) => `${type}=${escapeValue(value)}`).join('+'))
    .join(',');
}

function keyOf(parts: Dn['parts']): string {
  let key = '';
  for (const rdn of parts) {
    const [only] = rdn;
    const one =
      rdn.length === 1 && only !== undefined ? keyOfPart(only) : rdn.map(keyOfPart).sort().join('+');
    key = key === '' ? one : `${key},${one}`;
  }
  return key;
}

function keyOfPart({ type, value }: NamePart): string {
  const canonical = canonicalType(type);
  const folded = foldPlain(syntaxOf(canonical), value.toString('utf8'));
  return `${canonical}=${folded.replace(SPECIAL, (found) => `\\${found.charCodeAt(0).toString(16)}`)}`;
}

function escapeValue(value: Buffer): string {
  const text = value.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(value))
    return `#04${hexLength(value.length)}${value.toString('hex')}`;
  return text
    .replace(/[\\,+"<>;=]/g, '\\$&')
    .replaceAll('\0', '\\00')
    .replace(/^[ #]/, '\\$&')
    .replace(/ $/, '\\ ');
}

function hexLength(length: number): string {
  if (length < 0x80) return length.toString(16).padStart(2, '0');
  const digits = length.toString(16);
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  return `${(0x80 + even.length / 2).toString(16)}${even}`;
}

function tooManyParts(text: string): DnError {
  return new DnError(text, `it has more than ${MAX_PARTS} parts`);
}

function splitSimple(text: string): NamePart[][] {
  const names = text.split(',', MAX_PARTS + 1);
  if (names.length > MAX_PARTS) throw tooManyParts(text);
  return names.map((rdn) => {
    const equals = rdn.indexOf('=');
    return [{ type: rdn.slice(0, equals), value: Buffer.from(rdn.slice(equals + 1), 'utf8') }];
  });
}

/** Reads what is not simple, letter by letter. */
class DnParser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): NamePart[][] {
    const parts: NamePart[][] = [];
    let rdn: NamePart[] = [];
    parts.push(rdn);
    for (let count = 0; ; count += 1) {
      if (count === MAX_PARTS) throw tooManyParts(this.#text);
      rdn.push(this.#part());
      const next = this.#text[this.#at];
      if (next === undefined) return parts;
      this.#at += 1;
      if (next === '+') continue;
      rdn = [];
      parts.push(rdn);
    }
  }

  #part(): NamePart {
    const equals = this.#text.indexOf('=', this.#at);
    const type = (equals < 0 ? this.#text.slice(this.#at) : this.#text.slice(this.#at, equals)).trim();
    if (equals < 0) throw new DnError(this.#text, `"${type}" has no "="; write it as in uid=ada`);
    const name = /^oid\./i.test(type) ? type.slice(4) : type;
    if (!isAttributeName(name) || name.includes(';')) {
      throw new DnError(this.#text, `"${type}" is no attribute type`);
    }
    this.#at = equals + 1;
    while (this.#text[this.#at] === ' ') this.#at += 1;
    const first = this.#text[this.#at];
    return {
      type: name,
      value: first === '#' ? this.#hex() : first === '"' ? this.#quoted() : this.#string(),
    };
  }

  #string(): Buffer {
    const bytes: Buffer[] = [];
    let start = this.#at;
    // How much of the end is not trimmed, because it was escaped.
    let kept = 0;
    let length = 0;
    const add = (piece: Buffer): void => {
      bytes.push(piece);
      length += piece.length;
    };
    for (;;) {
      const letter = this.#text[this.#at];
      if (letter === undefined || letter === ',' || letter === '+' || letter === ';') break;
      if (letter === '\\') {
        add(Buffer.from(this.#text.slice(start, this.#at), 'utf8'));
        add(this.#escaped());
        kept = length;
        start = this.#at;
      } else if (letter === '"' || letter === '<' || letter === '>') {
        throw new DnError(this.#text, `${letter} must be escaped as \\${letter}`);
      } else this.#at += 1;
    }
    add(Buffer.from(this.#text.slice(start, this.#at), 'utf8'));
    const value = Buffer.concat(bytes);
    let end = value.length;
    while (end > kept && value[end - 1] === 0x20) end -= 1;
    return value.subarray(0, end);
  }

  #escaped(): Buffer {
    const pair = this.#text.slice(this.#at + 1, this.#at + 3);
    if (HEX_PAIR.test(pair)) {
      this.#at += 3;
      return Buffer.from(pair, 'hex');
    }
    const letter = pair[0];
    if (letter === undefined || !/[\\,+"<>;= #]/.test(letter)) {
      throw new DnError(this.#text, `"\\${pair}" is no escape; write the byte as two hexadecimal digits`);
    }
    this.#at += 2;
    return Buffer.from(letter, 'utf8');
  }

  #quoted(): Buffer {
    const bytes: Buffer[] = [];
    this.#at += 1;
    for (;;) {
      const letter = this.#text[this.#at];
      if (letter === undefined) throw new DnError(this.#text, 'a quoted value does not end');
      if (letter === '"') break;
      if (letter === '\\') bytes.push(this.#escaped());
      else {
        const whole = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0);
        bytes.push(Buffer.from(whole, 'utf8'));
        this.#at += whole.length;
      }
    }
    this.#at += 1;
    this.#skipSpaces();
    return Buffer.concat(bytes);
  }

  /** RFC 4514, section 2.4: the BER of the value; only that of strings has a meaning here. */
  #hex(): Buffer {
    const found = /^#((?:[0-9a-fA-F]{2})+)/.exec(this.#text.slice(this.#at));
    if (found === null) throw new DnError(this.#text, 'after "#" the value stands in hexadecimal digits');
    this.#at += found[0].length;
    this.#skipSpaces();
    const bytes = Buffer.from(found[1] ?? '', 'hex');
    const size = bytes[1] ?? 0;
    const header = size < 0x80 ? 2 : 2 + (size & 0x7f);
    return bytes.subarray(header);
  }

  #skipSpaces(): void {
    while (this.#text[this.#at] === ' ') this.#at += 1;
    const next = this.#text[this.#at];
    if (next !== undefined && !',;+'.includes(next)) {
      throw new DnError(this.#text, `"${next}" stands where the value has ended`);
    }
  }
}
