import { isUtf8 } from 'node:buffer';
import { isSecretName, REDACTED, redactText } from '@backlot/kit/upstream';
import { formatLine } from '../data/entry.js';
import type { Result } from '../wire/encode.js';
import { BerReader } from '../wire/ber-reader.js';
import { decodeControls, type Control } from '../wire/request.js';
import { TAG } from '../wire/tags.js';

/** An attribute of an entry as it came. */
export interface ReadAttribute {
  readonly name: string;
  readonly values: readonly Buffer[];
}

/** An entry as it came. */
export interface ReadEntry {
  readonly dn: string;
  readonly attributes: readonly ReadAttribute[];
}

/** The content of a message: which it answers, and with what. */
export interface ReadMessage {
  readonly id: number;
  readonly tag: number;
  readonly operation: Buffer;
  readonly controls: readonly Control[];
}

/** Reads a message of a server. @param frame - without the tag and the length around it */
export function readMessage(frame: Buffer): ReadMessage {
  const reader = new BerReader(frame);
  const id = reader.integer();
  const { tag } = reader;
  const operation = reader.element();
  const controls = reader.tag === TAG.controls ? decodeControls(reader.bytes(TAG.controls)) : [];
  return { id, tag, operation, controls };
}

/** Reads how an operation has ended. */
export function readResult({ tag, operation }: ReadMessage): Result {
  const reader = new BerReader(operation).inside(tag);
  const code = reader.integer(TAG.enumerated);
  const matchedDn = reader.text();
  const message = reader.text();
  return reader.tag === TAG.referral
    ? { code, matchedDn, message, referral: readTexts(reader.inside(TAG.referral)) }
    : { code, matchedDn, message };
}

/** Reads a SearchResultEntry (RFC 4511, section 4.5.2). */
export function readEntry({ tag, operation }: Pick<ReadMessage, 'tag' | 'operation'>): ReadEntry {
  const reader = new BerReader(operation).inside(tag);
  const dn = reader.text();
  return { dn, attributes: readAttributes(reader.bytes(TAG.sequence)) };
}

/** Reads attributes that stand one behind the other. */
export function readAttributes(bytes: Buffer): readonly ReadAttribute[] {
  const list = new BerReader(bytes);
  const attributes: ReadAttribute[] = [];
  while (!list.isAtEnd) {
    const one = list.inside(TAG.sequence);
    const name = one.text();
    const set = one.inside(TAG.set);
    const values: Buffer[] = [];
    while (!set.isAtEnd) values.push(set.bytes(TAG.octets));
    attributes.push({ name, values });
  }
  return attributes;
}

/** Reads a SearchResultReference (RFC 4511, section 4.5.3). */
export function readReference({ tag, operation }: ReadMessage): readonly string[] {
  return readTexts(new BerReader(operation).inside(tag));
}

function readTexts(reader: BerReader): readonly string[] {
  const texts: string[] = [];
  while (!reader.isAtEnd) texts.push(reader.text());
  return texts;
}

/** A value without its secrets. @param name - of its attribute */
export function redactValue(name: string, value: Buffer): Buffer {
  if (value.length === 0) return value;
  if (isSecretName(name.split(';', 1)[0] ?? '')) return Buffer.from(REDACTED);
  if (!isUtf8(value)) return value;
  const text = value.toString('utf8');
  const redacted = redactText(text);
  return redacted === text ? value : Buffer.from(redacted);
}

/** An entry as LDIF, without its secrets. */
export function formatEntry({ dn, attributes }: ReadEntry): string {
  const lines = attributes.flatMap(({ name, values }) =>
    values.map((value) => formatLine(name, redactValue(name, value))),
  );
  return formatLine('dn', Buffer.from(redactText(dn))) + lines.join('');
}
