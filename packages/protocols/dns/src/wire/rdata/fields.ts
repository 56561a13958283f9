import { isIP } from 'node:net';
import { parseName, unescapeText, type DomainName } from '../name.js';
import { parseSeconds } from '../seconds.js';

/** One field of a record's text. */
export interface Field {
  /** With its escapes, without its quotes. */
  readonly text: string;
  readonly isQuoted: boolean;
}

/**
 * Splits a record's text as zone files have it (RFC 1035 section 5.1): at white space, `"quoted strings"` whole, also where they follow a `key=`.
 * Parentheses only join lines there, so they are left out.
 *
 * @throws Error when a quoted string has no end
 */
export function splitFields(source: string): Field[] {
  const fields: Field[] = [];
  const pattern =
    /[\s()]+|"((?:[^"\\]|\\[^])*)"|((?:[^\s()"\\]|\\[^])(?:[^\s()"\\]|\\[^]|"(?:[^"\\]|\\[^])*")*)|(["\\])/gu;
  for (const [, quoted, bare, broken] of source.matchAll(pattern)) {
    if (quoted !== undefined) fields.push({ text: quoted, isQuoted: true });
    else if (bare !== undefined) fields.push({ text: bare, isQuoted: false });
    else if (broken !== undefined)
      throw new Error(
        `"${source}" has a ${broken === '"' ? 'quote without its end' : 'backslash at the end'}`,
      );
  }
  return fields;
}

/** Reads the fields of one record in order; what is missing or wrong is an error that says what would be right. */
export class FieldReader {
  readonly #source: string;
  readonly #form: string;
  readonly #fields: readonly Field[];
  readonly #origin: string | undefined;
  #next = 0;

  /**
   * @param form - the fields in words, such as `<preference> <exchange>`, and an example
   * @param origin - what relative names stand below, see `parseName`
   */
  constructor(source: string, form: string, origin?: string) {
    this.#origin = origin;
    this.#source = source;
    this.#form = form;
    this.#fields = splitFields(source);
  }

  /** Whether a field is left. */
  get hasMore(): boolean {
    return this.#next < this.#fields.length;
  }

  field(): Field {
    const field = this.#fields[this.#next];
    if (field === undefined) throw this.#error('is too short');
    this.#next += 1;
    return field;
  }

  /** An unsigned number of so many octets. */
  number(name: string, octets: 1 | 2 | 4): number {
    const { text } = this.field();
    const most = 2 ** (8 * octets) - 1;
    const value = Number(text);
    if (!/^\d+$/.test(text) || value > most)
      throw this.#error(`has ${name} "${text}"; use a number from 0 to ${most}`);
    return value;
  }

  /** Seconds, also with units as in `1h30m`. */
  seconds(name: string): number {
    const { text } = this.field();
    if (/^\d+$/.test(text)) {
      this.#next -= 1;
      return this.number(name, 4);
    }
    try {
      return parseSeconds(text);
    } catch {
      throw this.#error(`has ${name} "${text}"; use a number of seconds, or units as in 1h30m`);
    }
  }

  /** @param change - what the text goes through before it is read as a name */
  name(change: (text: string) => string = (text) => text): DomainName {
    return parseName(change(this.field().text), this.#origin);
  }

  /** A character string with its length in front (RFC 1035 section 3.3). */
  characterString(name: string): Buffer {
    const octets = unescapeText(this.field().text);
    if (octets.length > 255) throw this.#error(`has a ${name} of ${octets.length} octets; 255 is the most`);
    return Buffer.concat([Buffer.from([octets.length]), octets]);
  }

  /** @throws Error when a field is left */
  end(): void {
    if (this.hasMore) throw this.#error(`has "${this.field().text}" too much`);
  }

  #error(what: string): Error {
    return new Error(`"${this.#source}" ${what}; use ${this.#form}`);
  }
}

/** The octets of a number. */
export function numberOctets(value: number, octets: 1 | 2 | 4): Buffer {
  const bytes = Buffer.alloc(octets);
  bytes.writeUIntBE(value, 0, octets);
  return bytes;
}

/**
 * The octets of an IPv4 address.
 *
 * @throws Error when the text is none
 */
export function parseIpv4(text: string): Buffer {
  if (isIP(text) !== 4)
    throw new Error(`"${text}" is not an IPv4 address; use four numbers up to 255 such as 192.0.2.1`);
  return Buffer.from(text.split('.').map(Number));
}

/**
 * The octets of an IPv6 address.
 *
 * @throws Error when the text is none
 */
export function parseIpv6(text: string): Buffer {
  if (isIP(text) !== 6 || text.includes('%'))
    throw new Error(`"${text}" is not an IPv6 address; use one such as 2001:db8::1`);
  const dotted = /^(.*:)([\d.]+)$/.exec(text);
  const tail = dotted?.[2]?.includes('.') === true ? parseIpv4(dotted[2]) : undefined;
  const plain =
    tail === undefined
      ? text
      : `${dotted?.[1] ?? ''}${tail.readUInt16BE(0).toString(16)}:${tail.readUInt16BE(2).toString(16)}`;
  const [head = '', rest] = plain.split('::');
  const front = groups(head);
  const back = rest === undefined ? [] : groups(rest);
  const all = [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back];
  const octets = Buffer.alloc(16);
  all.forEach((group, index) => octets.writeUInt16BE(group, index * 2));
  return octets;
}

function groups(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}
