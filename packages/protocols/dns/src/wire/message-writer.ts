import { suffixesOf, type DomainName } from './name.js';
import { FLAG, HEADER_SIZE, type Query } from './query.js';
import { RCODE } from './rcodes.js';
import type { AnswerRecord } from './answer-record.js';
import { CLASS_IN, TYPE } from './types.js';

/** What the length prefix of TCP can say (RFC 1035 section 4.2.2). */
export const MAX_MESSAGE = 65_535;
/** What we take over UDP ourselves: the size that passes without fragments (DNS Flag Day 2020). */
const OUR_UDP_SIZE = 1232;
const OPT_SIZE = 11;
/** A compression pointer has 14 bits for the offset (RFC 1035 section 4.1.4). */
const MAX_POINTER = 0x3fff;
/** The question's name follows the header. */
const QUESTION_POINTER = 0xc000 | HEADER_SIZE;

/** An answer to a query. */
export interface Answer {
  readonly rcode: number;
  readonly records: readonly AnswerRecord[];
  /** All records encoded, see {@link encodeRecords}. */
  readonly octets?: Buffer | undefined;
  /** Records of the authority section: the SOA of a negative answer (RFC 2308, section 2). */
  readonly authority?: readonly AnswerRecord[] | undefined;
  /** Records of the additional section: the addresses of the name servers of a referral. */
  readonly additional?: readonly AnswerRecord[] | undefined;
  /** Whether another zone has the name, so that the answer is not authoritative. */
  readonly isReferral?: boolean | undefined;
}

/** The octets of records of the name in the question; undefined when a name in them may be compressed. */
export function encodeRecords(records: readonly AnswerRecord[]): Buffer | undefined {
  const all: Buffer[] = [];
  for (const { owner, ttl, data } of records) {
    const [value] = data.parts;
    if (owner !== undefined || data.parts.length !== 1 || value === undefined || 'name' in value)
      return undefined;
    const head = Buffer.alloc(12);
    head.writeUInt16BE(QUESTION_POINTER, 0);
    head.writeUInt16BE(data.type, 2);
    head.writeUInt16BE(CLASS_IN, 4);
    head.writeUInt32BE(ttl, 6);
    head.writeUInt16BE(value.length, 10);
    all.push(head, value);
  }
  return Buffer.concat(all);
}

/**
 * Encodes answers. One writer serves a whole server: the octets of an answer are copied out when it is complete.
 */
export class MessageWriter {
  readonly #buffer = Buffer.allocUnsafe(MAX_MESSAGE);
  #length = 0;
  /** How many octets the records may end at. */
  #room = MAX_MESSAGE;
  #fits = true;
  #query: Query | undefined;
  #names: Map<string, number> | undefined;

  /**
   * The octets of an answer.
   *
   * @param limit - how many octets the client takes; an answer beyond it is sent without records and with TC set
   * (RFC 2181 section 9), so that nothing sent to an address that nobody has checked grows beyond the request by much
   * @param prefixed - whether the two octets of length that TCP has go in front
   * @returns `undefined` when the answer is beyond what DNS can carry
   */
  write(query: Query, answer: Answer, limit: number, prefixed: boolean): Buffer | undefined {
    const flags = this.#begin(query, answer);
    this.#room = query.edns === undefined ? limit : limit - OPT_SIZE;
    if (answer.octets !== undefined) this.#writeOctets(answer.octets);
    else this.#writeRecords(answer.records);
    const { authority = [], additional = [] } = answer;
    if (authority.length > 0) this.#writeRecords(authority);
    if (additional.length > 0) this.#writeRecords(additional);
    let count = answer.records.length;
    let authorityCount = authority.length;
    let additionalCount = additional.length;
    if (!this.#fits) {
      if (limit >= MAX_MESSAGE) return undefined;
      this.#begin(query, answer);
      this.#buffer.writeUInt16BE(flags | FLAG.TC, 2);
      count = 0;
      authorityCount = 0;
      additionalCount = 0;
    }
    this.#buffer.writeUInt16BE(count, 6);
    if (authorityCount > 0) this.#buffer.writeUInt16BE(authorityCount, 8);
    if (query.edns !== undefined) {
      additionalCount += 1;
      this.#writeOpt(answer.rcode, query.edns.dnssecOk);
    }
    if (additionalCount > 0) this.#buffer.writeUInt16BE(additionalCount, 10);
    return this.#copyOut(prefixed);
  }

  #begin(query: Query, { rcode, isReferral = false }: Answer): number {
    const buffer = this.#buffer;
    const isAuthoritative = (rcode === RCODE.NOERROR || rcode === RCODE.NXDOMAIN) && !isReferral;
    const flags =
      FLAG.QR |
      (isAuthoritative ? FLAG.AA : 0) |
      FLAG.RA |
      (query.flags & (FLAG.OPCODE | FLAG.RD | FLAG.CD)) |
      (rcode & 0x0f);
    const hasQuestion = query.questionEnd > HEADER_SIZE;
    buffer.writeUInt16BE(query.id, 0);
    buffer.writeUInt16BE(flags, 2);
    buffer.writeUInt32BE(hasQuestion ? 0x0001_0000 : 0, 4);
    buffer.writeUInt32BE(0, 8);
    // The question goes back octet for octet: resolvers check the case of its letters (draft-vixie-dnsext-dns0x20).
    query.bytes.copy(buffer, HEADER_SIZE, HEADER_SIZE, query.questionEnd);
    this.#length = query.questionEnd;
    this.#fits = true;
    this.#query = query;
    this.#names = undefined;
    return flags;
  }

  #copyOut(prefixed: boolean): Buffer {
    if (!prefixed) {
      const message = Buffer.allocUnsafe(this.#length);
      this.#buffer.copy(message, 0, 0, this.#length);
      return message;
    }
    const message = Buffer.allocUnsafe(this.#length + 2);
    message.writeUInt16BE(this.#length, 0);
    this.#buffer.copy(message, 2, 0, this.#length);
    return message;
  }

  /** Whether so many octets more have room. */
  #reserve(octets: number): boolean {
    if (this.#length + octets > this.#room) this.#fits = false;
    return this.#fits;
  }

  #writeOctets(octets: Buffer): void {
    if (this.#reserve(octets.length)) this.#length += octets.copy(this.#buffer, this.#length);
  }

  /** Up to the first that has no room: thousands may follow it. */
  #writeRecords(records: readonly AnswerRecord[]): void {
    for (const record of records) {
      this.#writeRecord(record);
      if (!this.#fits) return;
    }
  }

  #writeRecord(record: AnswerRecord): void {
    if (record.owner === undefined) {
      if (!this.#reserve(2)) return;
      this.#length = this.#buffer.writeUInt16BE(QUESTION_POINTER, this.#length);
    } else {
      this.#writeName(record.owner);
    }
    const { data } = record;
    if (!this.#reserve(10)) return;
    let at = this.#buffer.writeUInt16BE(data.type, this.#length);
    at = this.#buffer.writeUInt16BE(CLASS_IN, at);
    at = this.#buffer.writeUInt32BE(record.ttl, at);
    const start = at + 2;
    this.#length = start;
    for (const part of data.parts) {
      if ('name' in part) this.#writeName(part.name);
      else this.#writeOctets(part);
    }
    if (this.#fits) this.#buffer.writeUInt16BE(this.#length - start, at);
  }

  #writeName(name: DomainName): void {
    const names = (this.#names ??= this.#questionNames());
    let offset = 0;
    for (const suffix of name.suffixes) {
      const known = names.get(suffix);
      if (known !== undefined) {
        if (this.#reserve(2)) this.#length = this.#buffer.writeUInt16BE(0xc000 | known, this.#length);
        return;
      }
      const size = (name.wire[offset] ?? 0) + 1;
      if (!this.#reserve(size)) return;
      if (this.#length <= MAX_POINTER) names.set(suffix, this.#length);
      this.#length += name.wire.copy(this.#buffer, this.#length, offset, offset + size);
      offset += size;
    }
    if (this.#reserve(1)) this.#length = this.#buffer.writeUInt8(0, this.#length);
  }

  #questionNames(): Map<string, number> {
    const names = new Map<string, number>();
    let at = HEADER_SIZE;
    for (const suffix of suffixesOf(this.#query?.key ?? '.')) {
      names.set(suffix, at);
      at += (this.#buffer[at] ?? 0) + 1;
    }
    return names;
  }

  /** RFC 6891 section 6.1.3: the upper eight bits of the response code, version 0, and DO as it was asked (RFC 3225). */
  #writeOpt(rcode: number, dnssecOk: boolean): void {
    let at = this.#buffer.writeUInt8(0, this.#length);
    at = this.#buffer.writeUInt16BE(TYPE.OPT, at);
    at = this.#buffer.writeUInt16BE(OUR_UDP_SIZE, at);
    at = this.#buffer.writeUInt8(rcode >>> 4, at);
    at = this.#buffer.writeUInt8(0, at);
    at = this.#buffer.writeUInt16BE(dnssecOk ? 0x8000 : 0, at);
    this.#length = this.#buffer.writeUInt16BE(0, at);
  }
}
