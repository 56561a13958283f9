import { isIPv4 } from 'node:net';
import type { TypeName } from '../parse-value.js';

/** A value of a walk, or why there is none. */
export type WalkedValue =
  | {
      readonly line: number;
      readonly oid: string;
      readonly type: TypeName;
      readonly value: string | number | null;
      readonly note?: string;
    }
  | { readonly line: number; readonly problem: string };

const OID = /^\.?(?:iso|[0-2])(?:\.\d+)+$/;
/** Digits of the last part of an OID, beyond which it is none. */
const LONGEST_OID = 1000;
const WALK_LINE = /^(\S+) = (?:([A-Za-z0-9-]+): ?)?(.*)$/s;

/** A value as fields of a mock. */
export function compileSnmpValue({ type, value }: Extract<WalkedValue, { oid: string }>): {
  type: TypeName;
  value: string | number | null;
} {
  return { type, value: typeof value === 'string' ? value.replaceAll('{{', '{{raw "{{"}}') : value };
}

/** Reads what snmpwalk prints; texts may go over several lines. */
export function* readWalk(text: string): Generator<WalkedValue> {
  let open: { line: number; text: string } | undefined;
  let number = 0;
  for (const line of text.split(/\r?\n/)) {
    number += 1;
    if (WALK_LINE.test(line) && isOid(line.slice(0, line.indexOf(' ')))) {
      if (open !== undefined) yield readWalkLine(open);
      open = { line: number, text: line };
    } else if (open !== undefined && open.text.length < 70_000) {
      open.text += `\n${line}`;
    } else if (line.trim() !== '') {
      yield { line: number, problem: 'a line without an OID in numbers is left out; walk with -On' };
    }
  }
  if (open !== undefined) yield readWalkLine(open);
}

function readWalkLine({ line, text }: { line: number; text: string }): WalkedValue {
  const [, name = '', kind = '', rest = ''] = WALK_LINE.exec(text) ?? [];
  const oid = plainOid(name);
  const value = rest.trimEnd();
  const give = (type: TypeName, given: string | number | null, note?: string): WalkedValue => ({
    line,
    oid,
    type,
    value: given,
    ...(note === undefined ? {} : { note }),
  });
  const number = /-?\d+/.exec(/\((-?\d+)\)/.exec(value)?.[1] ?? value)?.[0];
  switch (kind.toLowerCase()) {
    case 'string':
      return give('string', value.startsWith('"') ? unquote(value) : value);
    case 'hex-string':
      return /^[\dA-Fa-f\s]*$/.test(value)
        ? give('hex', value.replaceAll(/\s+/g, ' ').trim())
        : give('string', value);
    case 'integer':
      return number === undefined ? noNumber(line) : give('integer', Number(number));
    case 'gauge32':
    case 'unsigned32':
      return number === undefined ? noNumber(line) : give('gauge32', Number(number));
    case 'counter32':
      return number === undefined ? noNumber(line) : give('counter32', Number(number));
    case 'counter64':
      return number === undefined ? noNumber(line) : give('counter64', number);
    case 'timeticks':
      return number === undefined ? noNumber(line) : give('timeticks', Number(number));
    case 'ipaddress':
      return give('ipaddress', value);
    case 'oid':
      return isOid(value)
        ? give('oid', plainOid(value))
        : { line, problem: 'an OID that is not in numbers is left out; walk with -On' };
    case 'network address':
      return give('hex', value.replaceAll(':', ' '));
    case 'null':
      return give('null', null);
    case 'bits': {
      const [bytes = ''] = /^[\dA-Fa-f]{2}( [\dA-Fa-f]{2})*/.exec(value) ?? [];
      return give('hex', bytes);
    }
    case 'opaque': {
      const octets = readOpaque(value);
      return octets === undefined
        ? { line, problem: 'a value of the type Opaque that is no Float or Double is left out' }
        : give('opaque', octets);
    }
    case '':
      if (value === '""') return give('string', '');
      if (/^\d{1,10}$/.test(value))
        return give(
          'timeticks',
          Number(value),
          'a number without a type is taken as Timeticks, which -Ot writes so',
        );
      return { line, problem: 'a line that names no value, such as "No more variables", is left out' };
    default:
      return { line, problem: `a value of the type ${kind.slice(0, 40)} is left out` };
  }
}

/** The octets of a number that net-snmp puts into an Opaque: its tag, its length and the number (IEEE 754). */
function readOpaque(value: string): string | undefined {
  const [, kind, digits = ''] =
    /^(Float|Double): (-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|inf|nan))$/i.exec(value) ?? [];
  if (kind === undefined) return undefined;
  const number = Number(digits.replace(/inf/i, 'Infinity').replace(/-?nan/i, 'NaN'));
  const isFloat = kind.toLowerCase() === 'float';
  const octets = Buffer.alloc(isFloat ? 4 : 8);
  if (isFloat) octets.writeFloatBE(number);
  else octets.writeDoubleBE(number);
  return `${isFloat ? '9f7804' : '9f7908'}${octets.toString('hex')}`;
}

function noNumber(line: number): WalkedValue {
  return { line, problem: 'a number that is none is left out' };
}

/** The numbers of ASN.1 tags that snmprec has, as types. */
const TAGS: Readonly<Record<string, TypeName>> = {
  2: 'integer',
  4: 'string',
  5: 'null',
  6: 'oid',
  64: 'ipaddress',
  65: 'counter32',
  66: 'gauge32',
  67: 'timeticks',
  68: 'opaque',
  70: 'counter64',
};

/** Reads a recording of snmpsim: `oid|tag|value` in each line. */
export function* readSnmprec(text: string): Generator<WalkedValue> {
  let line = 0;
  for (const row of text.split(/\r?\n/)) {
    line += 1;
    if (row.trim() === '' || row.startsWith('#')) continue;
    const [, oid = '', tag = '', hex, module, value = ''] =
      /^([\d.]+)\|(\d+)(x|e)?(?::(\w+))?\|(.*)$/s.exec(row) ?? [];
    const type = TAGS[tag];
    if (!isOid(oid)) yield { line, problem: 'a line that is no oid|tag|value is left out' };
    else if (type === undefined)
      yield { line, problem: `the tag ${tag.slice(0, 20)} is not known; the value is left out` };
    else if (module !== undefined)
      yield { line, problem: `a value that the module ${module.slice(0, 40)} computes is left out` };
    else yield readRecorded(line, plainOid(oid), type, value, hex === 'x');
  }
}

function readRecorded(line: number, oid: string, type: TypeName, value: string, isHex: boolean): WalkedValue {
  if (type === 'null') return { line, oid, type, value: null };
  if (type === 'string' || type === 'opaque') {
    if (isHex || type === 'opaque') {
      return /^([\dA-Fa-f]{2})*$/.test(value)
        ? { line, oid, type: type === 'opaque' ? type : 'hex', value }
        : { line, problem: 'hexadecimal octets that are none are left out' };
    }
    return { line, oid, type, value };
  }
  if (type === 'ipaddress') {
    // Four octets that are all letters, digits or signs are written as they are.
    const octets = isHex
      ? Buffer.from(value, 'hex')
      : value.length === 4 && !isIPv4(value)
        ? Buffer.from(value, 'latin1')
        : undefined;
    return { line, oid, type, value: octets === undefined ? value : [...octets].join('.') };
  }
  if (type === 'oid')
    return isOid(value)
      ? { line, oid, type, value: plainOid(value) }
      : { line, problem: 'an OID that is none is left out' };
  if (!/^-?\d{1,20}$/.test(value)) return noNumber(line);
  return { line, oid, type, value: type === 'counter64' ? value : Number(value) };
}

function isOid(text: string): boolean {
  return text.length <= LONGEST_OID && OID.test(text);
}

function plainOid(text: string): string {
  return text.replace(/^\./, '').replace(/^iso/, '1');
}

function unquote(text: string): string {
  return text
    .replace(/^"/, '')
    .replace(/"$/, '')
    .replaceAll(/\\(["\\])/g, '$1');
}
