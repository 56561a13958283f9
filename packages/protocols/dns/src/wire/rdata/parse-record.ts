import type { RecordData } from '../record-data.js';
import { nameOfType, TYPE } from '../types.js';
import { FieldReader, parseIpv4, parseIpv6 } from './fields.js';
import { parseMx, parseNameRecord, parseSoa, parseSrv } from './names.js';
import { parseServiceBinding } from './service-binding.js';
import { parseCaa, parseNaptr, parseTxt } from './text.js';

/** The octets that one record's data can have, with room for the header, a question and its owner. */
const MAX_DATA = 65_000;

const PARSERS: ReadonlyMap<number, (source: string, origin?: string) => RecordData> = new Map([
  [TYPE.A, (source: string) => ({ type: TYPE.A, parts: [parseIpv4(source)], text: source })],
  [TYPE.AAAA, (source: string) => ({ type: TYPE.AAAA, parts: [parseIpv6(source)], text: source })],
  [TYPE.CNAME, (source: string, origin?: string) => parseNameRecord(TYPE.CNAME, source, origin)],
  [TYPE.NS, (source: string, origin?: string) => parseNameRecord(TYPE.NS, source, origin)],
  [TYPE.PTR, (source: string, origin?: string) => parseNameRecord(TYPE.PTR, source, origin)],
  [TYPE.MX, parseMx],
  [TYPE.TXT, parseTxt],
  [TYPE.SRV, parseSrv],
  [TYPE.SOA, parseSoa],
  [TYPE.CAA, parseCaa],
  [TYPE.NAPTR, parseNaptr],
  [TYPE.SVCB, (source: string, origin?: string) => parseServiceBinding(TYPE.SVCB, source, origin)],
  [TYPE.HTTPS, (source: string, origin?: string) => parseServiceBinding(TYPE.HTTPS, source, origin)],
]);

/**
 * Reads the data of a record as zone files have it. Any type can be given as octets (RFC 3597 section 5):
 * `\# 4 c0000201`.
 *
 * @param origin - what relative names stand below, see `parseName`; when absent, all names are absolute
 * @throws Error when the text does not fit the type
 */
export function parseRecord(type: number, source: string, origin?: string): RecordData {
  const parser = PARSERS.get(type);
  const isText = type === TYPE.TXT;
  const text = isText ? source : source.trim();
  const isGeneric = /^\\#(\s|$)/.test(text);
  if (parser === undefined && !isGeneric) {
    throw new Error(
      `records of type ${nameOfType(type)} are given as octets, such as "\\# 4 c0000201", got "${source}"`,
    );
  }
  const data = isGeneric || parser === undefined ? parseGeneric(type, text) : parser(text, origin);
  const length = data.parts.reduce(
    (sum, part) => sum + ('name' in part ? part.name.wire.length : part.length),
    0,
  );
  if (length > MAX_DATA) throw new Error(`the record takes ${length} octets; ${MAX_DATA} is the most`);
  return data;
}

function parseGeneric(type: number, source: string): RecordData {
  const fields = new FieldReader(source, '\\# <octets> <hexadecimal digits>, such as "\\# 4 c0000201"');
  fields.field();
  const length = fields.number('a length', 2);
  let digits = '';
  while (fields.hasMore) digits += fields.field().text;
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(digits) || digits.length !== length * 2) {
    throw new Error(`"${source}" announces ${length} octets; give ${length * 2} hexadecimal digits`);
  }
  return {
    type,
    parts: [Buffer.from(digits, 'hex')],
    text: `\\# ${length}${length === 0 ? '' : ` ${digits.toLowerCase()}`}`,
  };
}
