import { messageOf, type ExchangeFor, type MatchOf, type OutcomeFor } from '@backlot/core/plugin';
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

/** What a question comes to: a promise only while replicas count the mocks of an alias together, and a fault where they cannot. */
export type Answering = BuiltAnswer | Promise<BuiltAnswer | DnsFault>;

/** A fault that is answered in place of what was found. */
export type DnsFault = Extract<OutcomeFor<DnsShape>, { readonly type: 'fault' }>;

/**
 * Puts the answer of matched mocks together: their records in order, then those of the aliases among them. The
 * first mock with a response code other than NOERROR decides alone, since records beside an error only confuse.
 */
export function buildAnswer(
  exchange: ExchangeFor<DnsShape>,
  matches: readonly MatchOf<DnsShape>[],
  zones: ZoneFiles,
): Answering {
  const { message } = exchange;
  const records: AnswerRecord[] = [];
  return orFailure(() => {
    const only = matches.length === 1 ? matches[0]?.mock.compiled : undefined;
    if (only?.fixed !== undefined && only.type === message.type) return only.fixed;
    const rcode = collect(records, matches, undefined);
    if (rcode !== RCODE.NOERROR) return { rcode, records };
    return beginAliases(exchange, records, zones);
  });
}

/** The answer of a zone file to a question that no mock matches; undefined when no zone file has the name's zone. */
export function answerFromZones(exchange: ExchangeFor<DnsShape>, zones: ZoneFiles): Answering | undefined {
  const found = zones.find(exchange.message);
  if (found === undefined) return undefined;
  const { rcode, referral } = found;
  if (referral !== undefined) return { rcode, records: [], ...referral, isReferral: true };
  return orFailure(() =>
    rcode === RCODE.NOERROR ? beginAliases(exchange, [...found.records], zones) : { rcode, records: [] },
  );
}

function orFailure(make: () => Answering): Answering {
  try {
    return make();
  } catch (thrown) {
    return { rcode: RCODE.SERVFAIL, records: [], failure: messageOf(thrown) };
  }
}

/** The aliases of an answer, as far as they were followed. */
interface Aliases {
  readonly exchange: ExchangeFor<DnsShape>;
  readonly records: AnswerRecord[];
  readonly zones: ZoneFiles;
  /** The keys of the names, that of the question first. */
  readonly seen: string[];
  /** Where the records of the last name begin. */
  start: number;
}

/** RFC 1034 section 4.3.2 step 3a, among the mocks, and behind them in the zone files. */
function beginAliases(exchange: ExchangeFor<DnsShape>, records: AnswerRecord[], zones: ZoneFiles): Answering {
  const { type, key } = exchange.message;
  if (type === TYPE.CNAME || type === TYPE.ANY) return { rcode: RCODE.NOERROR, records };
  return followAliases({ exchange, records, zones, seen: [key], start: 0 });
}

function followAliases(aliases: Aliases): Answering {
  const { exchange, records, seen } = aliases;
  const { message } = exchange;
  while (seen.length <= MAX_ALIASES) {
    const target = aliasIn(records, aliases.start, message.type);
    if (target === undefined || seen.includes(target.key)) break;
    seen.push(target.key);
    aliases.start = records.length;
    const question = message.forName(target);
    const matches = exchange.follow(question);
    if (matches instanceof Promise)
      return matches.then((late) =>
        'type' in late
          ? late
          : orFailure(() => addAlias(aliases, question, target, late) ?? followAliases(aliases)),
      );
    const whole = addAlias(aliases, question, target, matches);
    if (whole !== undefined) return whole;
  }
  return { rcode: RCODE.NOERROR, records };
}

/** Adds what there is for an alias. @returns the answer when the chain ends with it */
function addAlias(
  { records, zones }: Aliases,
  question: DnsMessage,
  target: DomainName,
  matches: readonly MatchOf<DnsShape>[],
): BuiltAnswer | undefined {
  const rcode = collect(records, matches, target);
  if (rcode !== RCODE.NOERROR) return { rcode, records };
  const found = matches.length > 0 ? undefined : zones.find(question);
  if (found === undefined) return undefined;
  if (found.referral !== undefined) return { rcode, records, ...found.referral };
  // RFC 6604 section 3: the response code is that of the last name.
  if (found.records.length === 0) return { rcode: found.rcode, records, missing: question };
  for (const { data, ttl } of found.records) records.push(makeAnswerRecord(data, ttl, target));
  return undefined;
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
