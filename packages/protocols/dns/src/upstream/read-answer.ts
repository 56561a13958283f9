import { messageOf } from '@backlot/core/plugin';
import { FLAG, HEADER_SIZE } from '../wire/query.js';
import { absolute } from '../wire/rdata/names.js';
import { parseRecord } from '../wire/rdata/parse-record.js';
import { quote } from '../wire/rdata/text.js';
import { readName, skipName, type ReadName } from '../wire/read-name.js';
import { CLASS_IN, nameOfType, TYPE } from '../wire/types.js';

/** A record of an answer that was received. */
export interface ReceivedRecord {
  /** Whose it is, in lower case. */
  readonly owner: string;
  readonly type: number;
  /** Seconds. */
  readonly ttl: number;
  /** As zone files have it. */
  readonly text: string;
}

/** An answer that was received. */
export interface ReceivedAnswer {
  readonly bytes: Buffer;
  /** The response code, with the upper bits that EDNS has. */
  readonly rcode: number;
  /** Whether the client is to ask again by TCP. */
  readonly isTruncated: boolean;
  /** Those of the answer section; or why they cannot be read. */
  readonly records: readonly ReceivedRecord[] | string;
}

/** Whether octets are the answer to a query, by its number and its question. */
export function isAnswerTo(query: Buffer, questionEnd: number, data: Buffer): boolean {
  if (data.length < HEADER_SIZE || data.readUInt16BE(0) !== query.readUInt16BE(0)) return false;
  if ((data.readUInt16BE(2) & FLAG.QR) === 0) return false;
  return (
    data.readUInt16BE(4) === 0 ||
    data.subarray(HEADER_SIZE, questionEnd).equals(query.subarray(HEADER_SIZE, questionEnd))
  );
}

/** Reads an answer. */
export function readAnswer(bytes: Buffer): ReceivedAnswer {
  const flags = bytes.readUInt16BE(2);
  const answer = { bytes, rcode: flags & 0x0f, isTruncated: (flags & FLAG.TC) !== 0 };
  try {
    return { ...answer, ...readSections(bytes, answer.rcode) };
  } catch (thrown) {
    return { ...answer, records: messageOf(thrown) };
  }
}

function readSections(bytes: Buffer, low: number): Pick<ReceivedAnswer, 'rcode' | 'records'> {
  let at = HEADER_SIZE;
  for (let count = bytes.readUInt16BE(4); count > 0; count -= 1) at = behindName(bytes, at) + 4;
  const answers = bytes.readUInt16BE(6);
  const others = bytes.readUInt16BE(8) + bytes.readUInt16BE(10);
  const records: ReceivedRecord[] = [];
  let rcode = low;
  for (let index = 0; index < answers + others; index += 1) {
    const start = behindName(bytes, at);
    const type = bytes.readUInt16BE(start);
    const dataAt = start + 10;
    const end = dataAt + bytes.readUInt16BE(start + 8);
    if (end > bytes.length) throw new Error('a record of it is cut off');
    if (index < answers && bytes.readUInt16BE(start + 2) === CLASS_IN)
      records.push({
        owner: nameAt(bytes, at).key,
        type,
        ttl: Math.min(bytes.readUInt32BE(start + 4), 2 ** 31 - 1),
        text: textOf(type, bytes, dataAt, end),
      });
    else if (type === TYPE.OPT) rcode = low | ((bytes[start + 4] ?? 0) << 4);
    at = end;
  }
  return { rcode, records };
}

/** The data of a record as zone files have it; that of types that are not read here as octets (RFC 3597). */
function textOf(type: number, bytes: Buffer, start: number, end: number): string {
  const data = bytes.subarray(start, end);
  const numbers = (count: number): string =>
    Array.from({ length: count }, (_, index) => bytes.readUInt16BE(start + 2 * index)).join(' ');
  const name = (at: number): string => absolute(nameAt(bytes, at).text);
  switch (type) {
    case TYPE.A:
      return data.join('.');
    case TYPE.CNAME:
    case TYPE.NS:
    case TYPE.PTR:
      return name(start);
    case TYPE.MX:
      return `${numbers(1)} ${name(start + 2)}`;
    case TYPE.SRV:
      return `${numbers(3)} ${name(start + 6)}`;
    case TYPE.SOA: {
      const mailbox = behindName(bytes, start);
      const rest = behindName(bytes, mailbox);
      const counts = Array.from({ length: 5 }, (_, index) => bytes.readUInt32BE(rest + 4 * index));
      return `${name(start)} ${name(mailbox)} ${counts.join(' ')}`;
    }
    case TYPE.TXT:
      return stringsIn(data).map(quote).join(' ');
    case TYPE.AAAA:
      return addressOf(data);
    case TYPE.CAA:
      return `${data[0] ?? 0} ${data.toString('latin1', 2, 2 + (data[1] ?? 0))} ${quote(data.subarray(2 + (data[1] ?? 0)))}`;
    default:
      return parseRecord(type, `\\# ${data.length} ${data.toString('hex')}`).text;
  }
}

function addressOf(data: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, index) => data.readUInt16BE(2 * index).toString(16));
  // The URL standard writes the shortest form.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

function stringsIn(data: Buffer): Buffer[] {
  const strings: Buffer[] = [];
  for (let at = 0; at < data.length; at += 1 + (data[at] ?? 0))
    strings.push(data.subarray(at + 1, at + 1 + (data[at] ?? 0)));
  return strings;
}

function nameAt(bytes: Buffer, at: number): ReadName {
  const name: ReadName = { text: '', key: '', end: -1 };
  readName(bytes, at, name);
  if (name.end < 0) throw new Error('a name of it is malformed');
  return name;
}

function behindName(bytes: Buffer, at: number): number {
  const end = skipName(bytes, at);
  if (end < 0) throw new Error('a name of it is malformed');
  return end;
}

/** A record as differences and the journal show it. */
export function lineOf({ owner, type, text }: Pick<ReceivedRecord, 'owner' | 'type' | 'text'>): string {
  return `${owner} ${nameOfType(type)} ${text}`;
}
