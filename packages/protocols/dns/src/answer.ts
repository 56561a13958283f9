import { messageOf, type ExchangeFor, type MatchOf } from '@backlot/core/plugin';
import type { DnsShape } from './shape.js';
import { isTemplate, type CompiledRecord } from './matcher.js';
import { makeAnswerRecord, type AnswerRecord } from './wire/answer-record.js';
import type { Answer } from './wire/message-writer.js';
import type { DomainName } from './wire/name.js';
import { RCODE } from './wire/rcodes.js';
import type { RecordData } from './wire/record-data.js';
import { parseRecord } from './wire/rdata/parse-record.js';
import { TYPE } from './wire/types.js';

/** How many aliases are followed; a chain that is longer is answered as far as it was followed. */
const MAX_ALIASES = 16;

/** An answer, and why it is SERVFAIL when a record could not be made. */
export interface BuiltAnswer extends Answer {
  readonly failure?: string;
}

/**
 * Puts the answer of matched mocks together: their records in order, then those of the aliases among them. The
 * first mock with a response code other than NOERROR decides alone, since records beside an error only confuse.
 */
export function buildAnswer(
  exchange: ExchangeFor<DnsShape>,
  matches: readonly MatchOf<DnsShape>[],
): BuiltAnswer {
  const { message } = exchange;
  const records: AnswerRecord[] = [];
  try {
    const only = matches.length === 1 ? matches[0]?.mock.compiled : undefined;
    if (only?.fixed !== undefined && only.type === message.type) return only.fixed;
    const rcode = collect(records, matches, undefined);
    if (rcode !== RCODE.NOERROR) return { rcode, records };
    if (message.type === TYPE.CNAME || message.type === TYPE.ANY) return { rcode, records };
    return { rcode: followAliases(exchange, records), records };
  } catch (thrown) {
    return { rcode: RCODE.SERVFAIL, records: [], failure: messageOf(thrown) };
  }
}

/** RFC 1034 section 4.3.2 step 3a, among the mocks. */
function followAliases(exchange: ExchangeFor<DnsShape>, records: AnswerRecord[]): number {
  const { message } = exchange;
  const seen = [message.key];
  let start = 0;
  for (let aliases = 0; aliases < MAX_ALIASES; aliases += 1) {
    const target = aliasIn(records, start, message.type);
    if (target === undefined || seen.includes(target.key)) return RCODE.NOERROR;
    seen.push(target.key);
    start = records.length;
    const rcode = collect(records, exchange.follow(message.forName(target)), target);
    if (rcode !== RCODE.NOERROR) return rcode;
  }
  return RCODE.NOERROR;
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
