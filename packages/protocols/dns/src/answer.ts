import { messageOf, type ExchangeFor, type MatchOf } from '@backlot/core/plugin';
import type { DnsShape } from './shape.js';
import { isTemplate, type CompiledRecord } from './matcher.js';
import type { DnsMessage } from './message.js';
import { makeAnswerRecord, type AnswerRecord } from './wire/answer-record.js';
import type { Answer } from './wire/message-writer.js';
import type { DomainName } from './wire/name.js';
import { RCODE } from './wire/rcodes.js';
import type { RecordData } from './wire/record-data.js';
import { parseRecord } from './wire/rdata/parse-record.js';
import { TYPE } from './wire/types.js';
import type { Found } from './zone/zone.js';

/** How many aliases are followed; a chain that is longer is answered as far as it was followed. */
const MAX_ALIASES = 16;

/** An answer, and why it is SERVFAIL when a record could not be made. */
export interface BuiltAnswer extends Answer {
  readonly failure?: string;
  /** The question whose answer is not there: what an alias led to, in a zone of a zone file. */
  readonly missing?: DnsMessage;
}

/** Where the questions are answered that no mock does. */
export interface ZoneFiles {
  find(message: DnsMessage): Found | undefined;
}

/**
 * Puts the answer of matched mocks together: their records in order, then those of the aliases among them. The
 * first mock with a response code other than NOERROR decides alone, since records beside an error only confuse.
 */
export function buildAnswer(
  exchange: ExchangeFor<DnsShape>,
  matches: readonly MatchOf<DnsShape>[],
  zones: ZoneFiles,
): BuiltAnswer {
  const { message } = exchange;
  const records: AnswerRecord[] = [];
  try {
    const only = matches.length === 1 ? matches[0]?.mock.compiled : undefined;
    if (only?.fixed !== undefined && only.type === message.type) return only.fixed;
    const rcode = collect(records, matches, undefined);
    if (rcode !== RCODE.NOERROR) return { rcode, records };
    return followAliases(exchange, records, zones);
  } catch (thrown) {
    return { rcode: RCODE.SERVFAIL, records: [], failure: messageOf(thrown) };
  }
}

/** The answer of a zone file to a question that no mock matches; undefined when no zone file has the name's zone. */
export function answerFromZones(exchange: ExchangeFor<DnsShape>, zones: ZoneFiles): BuiltAnswer | undefined {
  const found = zones.find(exchange.message);
  if (found === undefined) return undefined;
  const { rcode, referral } = found;
  if (referral !== undefined) return { rcode, records: [], ...referral, isReferral: true };
  try {
    return rcode === RCODE.NOERROR
      ? followAliases(exchange, [...found.records], zones)
      : { rcode, records: [] };
  } catch (thrown) {
    return { rcode: RCODE.SERVFAIL, records: [], failure: messageOf(thrown) };
  }
}

/** RFC 1034 section 4.3.2 step 3a, among the mocks, and behind them in the zone files. */
function followAliases(
  exchange: ExchangeFor<DnsShape>,
  records: AnswerRecord[],
  zones: ZoneFiles,
): BuiltAnswer {
  const { message } = exchange;
  const plain = { rcode: RCODE.NOERROR, records };
  if (message.type === TYPE.CNAME || message.type === TYPE.ANY) return plain;
  const seen = [message.key];
  let start = 0;
  for (let aliases = 0; aliases < MAX_ALIASES; aliases += 1) {
    const target = aliasIn(records, start, message.type);
    if (target === undefined || seen.includes(target.key)) return plain;
    seen.push(target.key);
    start = records.length;
    const question = message.forName(target);
    const matches = exchange.follow(question);
    const rcode = collect(records, matches, target);
    if (rcode !== RCODE.NOERROR) return { rcode, records };
    const found = matches.length > 0 ? undefined : zones.find(question);
    if (found === undefined) continue;
    if (found.referral !== undefined) return { ...plain, ...found.referral };
    // RFC 6604 section 3: the response code is that of the last name.
    if (found.records.length === 0) return { rcode: found.rcode, records, missing: question };
    for (const { data, ttl } of found.records) records.push(makeAnswerRecord(data, ttl, target));
  }
  return plain;
}

/** The target of the first alias from `start` on, unless there are records of the type itself, which answer the question. */
function aliasIn(records: readonly AnswerRecord[], start: number, type: number): DomainName | undefined {
  let target: DomainName | undefined;
  for (let index = start; index < records.length; index += 1) {
    const data = records[index]?.data;
    if (data?.type === type) return undefined;
    if (data?.type === TYPE.CNAME && target === undefined) {
      const part = data.parts[0];
      if (part !== undefined) target = 'name' in part ? part.name : undefined;
    }
  }
  return target;
}

/** Adds the records of matches; answers the response code. */
function collect(
  into: AnswerRecord[],
  matches: readonly MatchOf<DnsShape>[],
  owner: DomainName | undefined,
): number {
  const start = into.length;
  for (const match of matches) {
    const { records, ttl, rcode } = match.mock.compiled;
    if (rcode !== RCODE.NOERROR) into.length = start;
    for (let index = 0; index < records.length; index += 1) {
      const record = records[index];
      if (record === undefined) continue;
      if (owner === undefined && !isTemplate(record)) into.push(record);
      else into.push(makeAnswerRecord(makeData(match, record, index), ttl, owner));
    }
    if (rcode !== RCODE.NOERROR) return rcode;
  }
  return RCODE.NOERROR;
}

function makeData(match: MatchOf<DnsShape>, record: CompiledRecord, index: number): RecordData {
  if (!isTemplate(record)) return record.data;
  const rendered = match.render(record);
  try {
    return parseRecord(match.mock.compiled.type, rendered);
  } catch (thrown) {
    throw new Error(`mock "${match.mock.id}", /records/${index}: ${messageOf(thrown)}`, { cause: thrown });
  }
}
