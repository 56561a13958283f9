import { RCODE } from './rcodes.js';
import { readName, skipName, type ReadName } from './read-name.js';
import { TYPE } from './types.js';

/** Octets of the header (RFC 1035 section 4.1.1). */
export const HEADER_SIZE = 12;
/** What a client takes over UDP that says nothing about it (RFC 1035 section 4.2.1). */
export const PLAIN_UDP_SIZE = 512;
/** Bits of the second 16 bits of the header. */
export const FLAG = {
  QR: 0x8000,
  AA: 0x0400,
  TC: 0x0200,
  RD: 0x0100,
  RA: 0x0080,
  AD: 0x0020,
  CD: 0x0010,
  OPCODE: 0x7800,
} as const;

/** A query as it was received. */
export interface Query {
  /** From its begin to the end of the question at least. */
  bytes: Buffer;
  readonly id: number;
  /** The second 16 bits of the header. */
  readonly flags: number;
  /** What is wrong with it: a response code to answer at once; 0 when nothing is. */
  rcode: number;
  /** The offset behind the question; {@link HEADER_SIZE} when it could not be read. */
  questionEnd: number;
  /** The name in the spelling of the question. */
  name: string;
  /** The name in lower case. */
  key: string;
  type: number;
  class: number;
  edns: Edns | undefined;
}

/** What a client says with EDNS(0) (RFC 6891 section 6.1). */
export interface Edns {
  /** How many octets it takes over UDP. */
  readonly size: number;
  readonly version: number;
  /** Whether it asks for DNSSEC records (RFC 3225). */
  readonly dnssecOk: boolean;
}

const name: ReadName = { text: '', key: '', end: 0 };

/**
 * Reads a query. Answers `undefined` for what must not be answered: fewer octets than a header has, and answers
 * themselves, so that two servers can never keep each other busy.
 */
export function readQuery(bytes: Buffer): Query | undefined {
  if (bytes.length < HEADER_SIZE) return undefined;
  const flags = bytes.readUInt16BE(2);
  if ((flags & FLAG.QR) !== 0) return undefined;
  const query: Query = {
    bytes,
    id: bytes.readUInt16BE(0),
    flags,
    rcode: RCODE.NOERROR,
    questionEnd: HEADER_SIZE,
    name: '.',
    key: '.',
    type: 0,
    class: 0,
    edns: undefined,
  };
  // RFC 9619: a query has one question.
  const hasQuestion = bytes.readUInt16BE(4) === 1 && readQuestion(query);
  if ((flags & FLAG.OPCODE) !== 0) query.rcode = RCODE.NOTIMP;
  else if (!hasQuestion || !readSections(query)) query.rcode = RCODE.FORMERR;
  return query;
}

/** Lets go of what follows the question, of which an answer that waits for its delay needs nothing. */
export function forgetRecords(query: Query): void {
  query.bytes = Buffer.from(query.bytes.subarray(0, query.questionEnd));
}

function readQuestion(query: Query): boolean {
  readName(query.bytes, HEADER_SIZE, name);
  if (name.end < 0 || name.end + 4 > query.bytes.length) return false;
  query.name = name.text;
  query.key = name.key;
  query.type = query.bytes.readUInt16BE(name.end);
  query.class = query.bytes.readUInt16BE(name.end + 2);
  query.questionEnd = name.end + 4;
  return true;
}

/** Goes over the records that follow the question; only OPT among the additional ones says something to us. */
function readSections(query: Query): boolean {
  const { bytes } = query;
  const before = bytes.readUInt16BE(6) + bytes.readUInt16BE(8);
  const count = before + bytes.readUInt16BE(10);
  let at = query.questionEnd;
  for (let index = 0; index < count; index += 1) {
    const isRoot = bytes[at] === 0;
    const nameEnd = skipName(bytes, at);
    if (nameEnd < 0 || nameEnd + 10 > bytes.length) return false;
    const type = bytes.readUInt16BE(nameEnd);
    const end = nameEnd + 10 + bytes.readUInt16BE(nameEnd + 8);
    if (end > bytes.length) return false;
    if (type === TYPE.OPT) {
      // RFC 6891 section 6.1.1: one at most, of the root, among the additional records.
      if (index < before || !isRoot || query.edns !== undefined) return false;
      query.edns = {
        size: bytes.readUInt16BE(nameEnd + 2),
        version: bytes[nameEnd + 5] ?? 0,
        dnssecOk: ((bytes[nameEnd + 6] ?? 0) & 0x80) !== 0,
      };
    }
    at = end;
  }
  return true;
}
