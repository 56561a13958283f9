import type {
  CompiledMock,
  CompileTools,
  Pattern,
  PatternSource,
  Template,
  TestResult,
  ValueOf,
} from '@backlot/core/plugin';
import type { DnsMessage } from './message.js';
import type { NameIndex } from './mock-index.js';
import type { MockSchema } from './schemas.js';
import { makeAnswerRecord, type AnswerRecord } from './wire/answer-record.js';
import { encodeRecords, type Answer } from './wire/message-writer.js';
import { parseName } from './wire/name.js';
import { parseRcode, RCODE } from './wire/rcodes.js';
import { parseRecord } from './wire/rdata/parse-record.js';
import { isDataType, nameOfType, numberOfType, TYPE } from './wire/types.js';

/** What clients may keep a record for, in seconds, when the mock does not say. */
const DEFAULT_TTL = 60;

/** One record of a mock, or the template that makes its data when it is asked for. */
export type CompiledRecord = AnswerRecord | Template;

/** A compiled DNS mock. */
export interface CompiledDns extends CompiledMock<DnsMessage> {
  /** The key of the only name that matches. */
  readonly exact: string | undefined;
  /** The key of the name below which every name matches. */
  readonly suffix: string | undefined;
  /** Whether {@link suffix} has the wildcard of RFC 4592, which answers for no name that exists. */
  readonly isWildcard: boolean;
  readonly type: number;
  /** Seconds. */
  readonly ttl: number;
  readonly rcode: number;
  readonly records: readonly CompiledRecord[];
  /** The whole answer when this is the only mock that matches, unless a record is a template. */
  readonly fixed: Answer | undefined;
}

interface NameMatcher {
  readonly exact?: string;
  readonly suffix?: string;
  readonly isWildcard?: boolean;
  readonly test: (key: string, message: DnsMessage) => boolean;
  readonly reason: (name: string, message: DnsMessage) => string;
}

/** Whether a record is made when it is asked for. */
export function isTemplate(record: CompiledRecord): record is Template {
  return 'render' in record;
}

function isFixed(records: readonly CompiledRecord[]): records is readonly AnswerRecord[] {
  return !records.some(isTemplate);
}

/** Compiles a mock. Records without templates are read and encoded here, so that a bad one is refused. */
export function compileDns(
  mock: ValueOf<typeof MockSchema>,
  tools: CompileTools,
  names: NameIndex,
): CompiledDns {
  const name = compileName(mock.name, tools, names);
  const records = mock.records ?? [];
  const type = compileType(mock, tools);
  const ttl = mock.ttl ?? DEFAULT_TTL;
  const rcode =
    mock.rcode === undefined
      ? RCODE.NOERROR
      : tools.attempt('/rcode', RCODE.NOERROR, () => parseRcode(mock.rcode ?? 0));
  const compiled = compileRecords(records, type, ttl, tools);
  return {
    exact: name.exact,
    suffix: name.suffix,
    isWildcard: name.isWildcard === true,
    type,
    ttl,
    rcode,
    records: compiled,
    fixed: isFixed(compiled) ? { rcode, records: compiled, octets: encodeRecords(compiled) } : undefined,
    test: (message) => testMessage(name, type, message),
  };
}

function testMessage(name: NameMatcher, type: number, message: DnsMessage): TestResult {
  if (!name.test(message.key, message)) return () => name.reason(message.path, message);
  if (fitsType(type, message.type)) return true;
  return () => `type: got ${nameOfType(message.type)}, want ${nameOfType(type)}`;
}

/** RFC 1034 section 3.6.2: a CNAME answers questions of every type. */
function fitsType(own: number, asked: number): boolean {
  return own === asked || asked === TYPE.ANY || own === TYPE.CNAME || own === TYPE.ANY;
}

function compileType(mock: ValueOf<typeof MockSchema>, tools: CompileTools): number {
  const hasRecords = (mock.records?.length ?? 0) > 0;
  if (mock.type === undefined) return mock.rcode !== undefined && !hasRecords ? TYPE.ANY : TYPE.A;
  const type = numberOfType(mock.type);
  if (type !== undefined && isDataType(type)) return type;
  if (type === TYPE.ANY && !hasRecords) return type;
  tools.problem(
    '/type',
    type === TYPE.ANY
      ? 'type ANY has no records of its own; name the type of the records, such as A'
      : `"${mock.type}" is not a record type; use one such as A, AAAA, CNAME, MX, TXT, SRV, or TYPE followed by its number`,
  );
  return TYPE.A;
}

function compileRecords(
  records: readonly string[],
  type: number,
  ttl: number,
  tools: CompileTools,
): CompiledRecord[] {
  const compiled: CompiledRecord[] = [];
  records.forEach((source, index) => {
    const at = `/records/${index}`;
    const template = tools.template(source, at, { target: 'text' });
    const record = template.constant
      ? tools.attempt(at, undefined, () => makeAnswerRecord(parseRecord(type, template.source), ttl))
      : template;
    if (record !== undefined) compiled.push(record);
  });
  return compiled;
}

function compileName(source: PatternSource, tools: CompileTools, names: NameIndex): NameMatcher {
  if (typeof source === 'string' && !source.startsWith('re:') && source !== '') {
    const isBelow = source.startsWith('*.') && !source.includes('*', 1);
    if (isBelow || !source.includes('*')) {
      const parsed = tools.attempt('/name', undefined, () => parseName(isBelow ? source.slice(2) : source));
      if (parsed !== undefined) {
        if (!isBelow) return matchExactly(parsed.key, parsed.text);
        return names.hasWildcards ? matchWildcard(parsed.key, source, names) : matchBelow(parsed.key, source);
      }
    }
  }
  return matchPattern(tools.pattern(withoutLastDot(source), '/name', { caseInsensitive: true }));
}

function matchExactly(exact: string, shown: string): NameMatcher {
  return { exact, test: (key) => key === exact, reason: (name) => `name: got "${name}", want "${shown}"` };
}

function matchBelow(suffix: string, source: string): NameMatcher {
  const end = `.${suffix}`;
  return {
    suffix,
    test: (key) => key.endsWith(end),
    reason: (name) => `name: got "${name}", want "${source}"`,
  };
}

function matchWildcard(suffix: string, source: string, names: NameIndex): NameMatcher {
  const end = `.${suffix}`;
  const own = `*${end}`;
  return {
    suffix,
    isWildcard: true,
    test: (key) => key === own || (key.endsWith(end) && names.isClosest(suffix, key)),
    reason: (name, { key }) =>
      key.endsWith(end)
        ? `name: "${name}" exists, or a name above it that is nearer than "${source}"`
        : `name: got "${name}", want "${source}"`,
  };
}

function matchPattern(pattern: Pattern): NameMatcher {
  return {
    // The name as it was asked, for what is captured of it.
    test: (_key, message) => pattern.test(message.path, message),
    reason: (name, message) => pattern.reason('name', name, message),
  };
}

/** Names are compared without their last dot, so a text pattern that has one would never match. */
function withoutLastDot(source: PatternSource): PatternSource {
  return typeof source === 'string' && !source.startsWith('re:') && source.length > 1 && source.endsWith('.')
    ? source.slice(0, -1)
    : source;
}
