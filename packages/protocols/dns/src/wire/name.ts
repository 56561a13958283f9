import { domainToASCII } from 'node:url';

/** Octets of a name on the wire, the root label included (RFC 1035 section 2.3.4). */
const MAX_NAME = 255;
const MAX_LABEL = 63;
/** No name of {@link MAX_NAME} octets is written in more characters, each octet being `\DDD` at most. */
const MAX_TEXT = 4 * MAX_NAME;

/** A domain name in the forms that matching and encoding need. Always absolute. */
export interface DomainName {
  /** As people write it, without the last dot; the root is `.`. What is not plain in a label is escaped (RFC 4343 section 2.1). */
  readonly text: string;
  /** {@link text} in lower case: two names are the same when their keys are (RFC 4343). */
  readonly key: string;
  /** Uncompressed octets with the root label. */
  readonly wire: Buffer;
  /** Keys of the name and of each of its parents below the root, longest first. */
  readonly suffixes: readonly string[];
}

/**
 * Reads a name as zone files have it, the last dot optional; `\.` and `\DDD` escape (RFC 1035 section 5.1). Names
 * outside of ASCII become their IDNA form.
 *
 * @param origin - in zone files, what a name without its last dot stands below, as {@link DomainName.text}, and what `@`
 * is; the empty text where there is none, so that such a name is an error
 * @throws Error when a label is empty or longer than 63 octets, or the name longer than 255
 */
export function parseName(source: string, origin?: string): DomainName {
  const given = origin === undefined ? source : withOrigin(source, origin);
  if (given.length > MAX_TEXT)
    throw new Error(
      `a name of ${given.length} characters is too long; ${MAX_NAME} octets are the most (RFC 1035 section 2.3.4)`,
    );
  const text = hasUnicode(given) ? toAscii(given) : given;
  if (text === '.') return { text: '.', key: '.', wire: Buffer.from([0]), suffixes: [] };
  const labels: Buffer[] = [];
  for (const label of splitLabels(text)) {
    if (label.length === 0)
      throw new Error(`name "${source}" has an empty label; use labels of 1 to ${MAX_LABEL} octets`);
    if (label.length > MAX_LABEL) {
      throw new Error(
        `name "${source}" has a label of ${label.length} octets; ${MAX_LABEL} is the most (RFC 1035 section 2.3.4)`,
      );
    }
    labels.push(label);
  }
  const length = labels.reduce((sum, label) => sum + label.length + 1, 1);
  if (length > MAX_NAME)
    throw new Error(
      `name "${source}" takes ${length} octets; ${MAX_NAME} is the most (RFC 1035 section 2.3.4)`,
    );
  return fromLabels(labels, length);
}

function withOrigin(source: string, origin: string): string {
  if (source === '.' || endsInDot(source)) return source;
  if (origin === '')
    throw new Error(
      `name "${source}" is relative, and nothing says to what; end it in a dot, or give an origin`,
    );
  if (source === '@') return origin;
  return origin === '.' ? source : `${source}.${origin}`;
}

/** Whether the last dot separates labels: it has an even number of backslashes in front. */
function endsInDot(text: string): boolean {
  if (!text.endsWith('.')) return false;
  let start = text.length - 1;
  while (text[start - 1] === '\\') start -= 1;
  return (text.length - 1 - start) % 2 === 0;
}

/** Splits a name's key (see {@link DomainName.key}) into itself and its parents below the root, longest first. */
export function suffixesOf(key: string): string[] {
  const suffixes: string[] = [];
  if (key === '.') return suffixes;
  for (let at = 0; at >= 0;) {
    suffixes.push(key.slice(at));
    const dot = nextDot(key, at);
    at = dot < 0 ? -1 : dot + 1;
  }
  return suffixes;
}

/** Where the first dot from `at` on stands that separates labels, or -1. */
export function nextDot(name: string, at: number): number {
  const first = name.indexOf('.', at);
  if (first < 0 || name.indexOf('\\', at) < 0) return first;
  for (let index = at; index < name.length; index += 1) {
    if (name[index] === '\\') index += 1;
    else if (name[index] === '.') return index;
  }
  return -1;
}

/** The text of one label with everything escaped that a name's text could confuse. */
export function formatLabel(label: Uint8Array): string {
  let text = '';
  for (const octet of label) {
    if (octet <= 0x20 || octet >= 0x7f) text += `\\${String(octet).padStart(3, '0')}`;
    else if (isSpecial(octet)) text += `\\${String.fromCharCode(octet)}`;
    else text += String.fromCharCode(octet);
  }
  return text;
}

/** Whether an octet must be escaped in a name's text although it can be printed: `. \ " ( ) ; @ $`. */
export function isSpecial(octet: number): boolean {
  return (
    octet === 0x2e ||
    octet === 0x5c ||
    octet === 0x22 ||
    octet === 0x28 ||
    octet === 0x29 ||
    octet === 0x3b ||
    octet === 0x40 ||
    octet === 0x24
  );
}

/**
 * Octets of a text in which `\DDD` and `\X` escape (RFC 1035 section 5.1).
 *
 * @throws Error when an escape is not complete or above 255
 */
export function unescapeText(text: string): Buffer {
  if (!text.includes('\\')) return Buffer.from(text, 'utf8');
  const parts: Buffer[] = [];
  let plain = 0;
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', plain)) {
    parts.push(Buffer.from(text.slice(plain, at), 'utf8'));
    const digits = /^\d{1,3}/.exec(text.slice(at + 1))?.[0];
    if (digits === undefined) {
      const escaped = String.fromCodePoint(text.codePointAt(at + 1) ?? 0);
      if (at + 1 >= text.length) throw new Error(`"${text}" ends in a backslash; write "\\\\" for one`);
      parts.push(Buffer.from(escaped, 'utf8'));
      plain = at + 1 + escaped.length;
      continue;
    }
    if (digits.length < 3 || Number(digits) > 255)
      throw new Error(`"\\${digits}" in "${text}" is no octet; use three digits up to \\255`);
    parts.push(Buffer.from([Number(digits)]));
    plain = at + 4;
  }
  parts.push(Buffer.from(text.slice(plain), 'utf8'));
  return Buffer.concat(parts);
}

function fromLabels(labels: readonly Buffer[], length: number): DomainName {
  const wire = Buffer.alloc(length);
  let at = 0;
  for (const label of labels) {
    wire[at] = label.length;
    label.copy(wire, at + 1);
    at += label.length + 1;
  }
  const text = labels.map(formatLabel).join('.');
  const key = text.toLowerCase();
  return { text, key, wire, suffixes: suffixesOf(key) };
}

function* splitLabels(text: string): Generator<Buffer> {
  let at = 0;
  for (let dot = nextDot(text, at); dot >= 0; dot = nextDot(text, at)) {
    yield unescapeText(text.slice(at, dot));
    at = dot + 1;
    if (at === text.length) return;
  }
  yield unescapeText(text.slice(at));
}

function hasUnicode(text: string): boolean {
  return /[^\0-\x7f]/.test(text);
}

function toAscii(text: string): string {
  const ascii = domainToASCII(text);
  if (ascii === '') throw new Error(`name "${text}" has no IDNA form; write it in ASCII`);
  return ascii;
}
