import { unescapeText } from '../name.js';
import type { RecordData } from '../record-data.js';
import { TYPE } from '../types.js';
import { FieldReader, numberOctets, splitFields } from './fields.js';
import { absolute } from './names.js';

const MAX_STRING = 255;

/**
 * RFC 1035 section 3.3.14. Text that is wholly in quotes is a list of strings; any other text is one, taken as it
 * stands. A string beyond 255 octets becomes several, which clients join again (RFC 7208 section 3.3).
 */
export function parseTxt(source: string): RecordData {
  const strings = quotedStrings(source) ?? [Buffer.from(source, 'utf8')];
  const pieces = strings.flatMap(splitString);
  const parts = pieces.map((piece) => Buffer.concat([Buffer.from([piece.length]), piece]));
  return { type: TYPE.TXT, parts: [Buffer.concat(parts)], text: pieces.map(quote).join(' ') };
}

/** RFC 8659 section 4.1. */
export function parseCaa(source: string): RecordData {
  const fields = new FieldReader(source, '<flags> <tag> <value>, such as `0 issue "ca.example.net"`');
  const flags = fields.number('flags', 1);
  const { text: tag } = fields.field();
  const value = unescapeText(fields.field().text);
  fields.end();
  if (!/^[a-zA-Z0-9]{1,255}$/.test(tag))
    throw new Error(`"${source}" has the tag "${tag}"; use letters and digits, such as issue`);
  const parts = [Buffer.concat([Buffer.from([flags, tag.length]), Buffer.from(tag), value])];
  return { type: TYPE.CAA, parts, text: `${flags} ${tag} ${quote(value)}` };
}

/** RFC 3403 section 4.1; the replacement must not be compressed. */
export function parseNaptr(source: string, origin?: string): RecordData {
  const form =
    '<order> <preference> "<flags>" "<service>" "<regexp>" <replacement>, such as `100 10 "S" "SIP+D2U" "" _sip._udp.example.com`';
  const fields = new FieldReader(source, form, origin);
  const order = fields.number('the order', 2);
  const preference = fields.number('the preference', 2);
  const strings = [
    fields.characterString('flags'),
    fields.characterString('service'),
    fields.characterString('regexp'),
  ];
  const replacement = fields.name();
  fields.end();
  const octets = Buffer.concat([
    numberOctets(order, 2),
    numberOctets(preference, 2),
    ...strings,
    replacement.wire,
  ]);
  const shown = strings.map((string) => quote(string.subarray(1))).join(' ');
  return {
    type: TYPE.NAPTR,
    parts: [octets],
    text: `${order} ${preference} ${shown} ${absolute(replacement.text)}`,
  };
}

/** A character string as zone files show it. */
export function quote(octets: Uint8Array): string {
  let text = '"';
  for (const octet of octets) {
    if (octet < 0x20 || octet >= 0x7f) text += `\\${String(octet).padStart(3, '0')}`;
    else if (octet === 0x22 || octet === 0x5c) text += `\\${String.fromCharCode(octet)}`;
    else text += String.fromCharCode(octet);
  }
  return `${text}"`;
}

function quotedStrings(source: string): Buffer[] | undefined {
  if (!/^\s*(?:"(?:[^"\\]|\\[^])*"\s*)+$/u.test(source)) return undefined;
  return splitFields(source.trim()).map(({ text }) => unescapeText(text));
}

function splitString(octets: Buffer): Buffer[] {
  if (octets.length <= MAX_STRING) return [octets];
  const pieces: Buffer[] = [];
  for (let at = 0; at < octets.length; at += MAX_STRING) pieces.push(octets.subarray(at, at + MAX_STRING));
  return pieces;
}
