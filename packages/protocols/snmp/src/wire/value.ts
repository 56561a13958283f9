import { encodeOid } from '../oid.js';
import { encodeElement, encodeInteger, encodeSequence } from './ber.js';
import { TAG } from './tags.js';

/** What a value holds, in the form in which net-snmp has it: a Counter64 is its octets. */
export type NativeValue = number | string | Buffer | null;

/** A value with its type. */
export interface SnmpValue {
  readonly tag: number;
  readonly native: NativeValue;
}

/** An OID and its value, encoded; `text` is how the journal shows it. */
export interface Binding {
  readonly octets: Buffer;
  readonly text: string;
}

const NAMES: Readonly<Record<number, string>> = {
  [TAG.integer]: 'integer',
  [TAG.octetString]: 'string',
  [TAG.null]: 'null',
  [TAG.oid]: 'oid',
  [TAG.ipAddress]: 'ipaddress',
  [TAG.counter32]: 'counter32',
  [TAG.gauge32]: 'gauge32',
  [TAG.timeTicks]: 'timeticks',
  [TAG.opaque]: 'opaque',
  [TAG.counter64]: 'counter64',
  [TAG.noSuchObject]: 'noSuchObject',
  [TAG.noSuchInstance]: 'noSuchInstance',
  [TAG.endOfMibView]: 'endOfMibView',
};

/** The name of a type, as mocks write it. */
export function nameOfType(tag: number): string {
  return NAMES[tag] ?? `type ${tag}`;
}

/** Encodes an OID and its value. */
export function encodeBinding(oid: string, value: SnmpValue): Binding {
  return {
    octets: encodeSequence([encodeElement(TAG.oid, encodeOid(oid)), encodeValue(value)]),
    text: `${oid} = ${formatValue(value)}`,
  };
}

/**
 * Encodes a value.
 *
 * @throws Error when what it holds does not fit its type, which only a client's value can do
 */
export function encodeValue({ tag, native }: SnmpValue): Buffer {
  if (native === null) return encodeElement(tag);
  if (typeof native === 'number') {
    const isSigned = tag === TAG.integer;
    const [least, most] = isSigned ? [-(2 ** 31), 2 ** 31 - 1] : [0, 2 ** 32 - 1];
    if (!Number.isInteger(native) || native < least || native > most) {
      throw new Error(`${nameOfType(tag)} must be ${least} to ${most}, got ${native}`);
    }
    return encodeInteger(native, tag);
  }
  if (typeof native !== 'string') return encodeElement(tag, tag === TAG.counter64 ? shorten(native) : native);
  if (tag === TAG.oid) return encodeElement(tag, encodeOid(native));
  if (tag === TAG.ipAddress) return encodeElement(tag, Buffer.from(native.split('.').map(Number)));
  throw new Error(`${nameOfType(tag)} cannot be written from a text`);
}

/** Writes a value as the journal and templates show it. */
export function formatNative({ tag, native }: SnmpValue): string {
  if (native === null) return '';
  if (typeof native !== 'object') return String(native);
  if (tag === TAG.counter64)
    return native.length === 0 ? '0' : BigInt(`0x${native.toString('hex')}`).toString();
  const text = native.toString('utf8');
  return tag === TAG.octetString && Buffer.from(text).equals(native) ? text : `0x${native.toString('hex')}`;
}

function formatValue(value: SnmpValue): string {
  const text = formatNative(value);
  return text === '' ? nameOfType(value.tag) : `${nameOfType(value.tag)}: ${text}`;
}

/** The shortest octets of an unsigned number (X.690 section 8.3.2), with a zero before a first octet from 0x80 on. */
function shorten(octets: Buffer): Buffer {
  let start = 0;
  while (start < octets.length - 1 && octets[start] === 0) start += 1;
  const significant = octets.subarray(start);
  return (significant[0] ?? 0) < 0x80 ? significant : Buffer.concat([Buffer.from([0]), significant]);
}
