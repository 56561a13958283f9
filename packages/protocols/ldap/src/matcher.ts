import {
  pointTo,
  type CompiledMock,
  type CompileTools,
  type Pattern,
  type PatternSource,
  type Template,
  type TestResult,
  type ValueOf,
  type ValueTemplate,
} from '@backlot/core/plugin';
import { isAttributeName } from './data/attribute-types.js';
import { formatDn, isWithin, parseDn, ROOT, type Dn } from './data/dn.js';
import { Attribute, Entry } from './data/entry.js';
import { filterKey, parseFilter } from './data/filter-text.js';
import { readValues } from './data/read-values.js';
import type { LdapMessage } from './message.js';
import { parseResultCode, RESULT } from './result-codes.js';
import type { GivenValues, MockSchema } from './schemas.js';

/** One attribute of an entry to answer. */
interface CompiledAttribute {
  readonly name: string;
  /** Its place in the mock, for messages. */
  readonly at: string;
  readonly values: ValueTemplate;
}

/** One entry to answer. */
export interface CompiledEntry {
  /** Where its name stands in the mock, for messages. */
  readonly at: string;
  /** Its name; `undefined`: the base of the search. */
  readonly dn: Dn | Template | undefined;
  /** Its attributes when no value is a template. */
  readonly fixed: Entry | undefined;
  readonly attributes: readonly CompiledAttribute[];
}

/** A compiled mock. */
export interface CompiledLdap extends CompiledMock<LdapMessage> {
  /** The name at or below which the base must be; `undefined`: a pattern, or any base. */
  readonly base: Dn | undefined;
  readonly hasPattern: boolean;
  /** See `LdapMessage.filterKey`; `undefined`: any filter. */
  readonly filter: string | undefined;
  readonly entries: readonly CompiledEntry[];
  readonly resultCode: number;
  /** Addresses of other servers, with which the search ends; none for another end. */
  readonly referral: readonly Template[];
}

/** Whether a name is made when it is asked for. */
export function isTemplate(dn: Dn | Template): dn is Template {
  return 'render' in dn;
}

/** Compiles a mock. */
export function compileMock(mock: ValueOf<typeof MockSchema>, tools: CompileTools): CompiledLdap {
  const base = compileBase(mock.base_dn, tools);
  const filter = compileFilter(mock.filter, tools);
  const { result_code: code, referral = [] } = mock;
  const resultCode =
    code === undefined
      ? RESULT.success
      : tools.attempt<number>('/result_code', RESULT.success, () => parseResultCode(code));
  if (code !== undefined && referral.length > 0)
    tools.problem(
      '/result_code',
      'a search that ends with `referral` has the code 10; leave one of the two out',
    );
  const entries: CompiledEntry[] = [];
  if (mock.dn !== undefined || mock.attributes !== undefined) {
    entries.push(compileEntry(mock.dn, mock.attributes, '', tools));
  }
  mock.entries?.forEach(({ dn, attributes }, index) =>
    entries.push(compileEntry(dn, attributes, `/entries/${index}`, tools)),
  );
  return {
    base: base.dn,
    hasPattern: base.pattern !== undefined,
    filter,
    entries,
    resultCode,
    referral: referral.map((each, index) => tools.template(each, `/referral/${index}`, { target: 'text' })),
    test: (message) => testMessage(base, filter, mock.filter ?? '', message),
  };
}

interface Base {
  readonly dn?: Dn;
  readonly pattern?: Pattern;
}

function compileBase(source: PatternSource | undefined, tools: CompileTools): Base {
  if (source === undefined || source === '' || source === '*') return {};
  if (typeof source === 'string' && !source.startsWith('re:') && !source.includes('*')) {
    return { dn: tools.attempt('/base_dn', ROOT, () => parseDn(source)) };
  }
  return { pattern: tools.pattern(source, '/base_dn', { caseInsensitive: true }) };
}

function compileFilter(source: string | undefined, tools: CompileTools): string | undefined {
  if (source === undefined || source === '*' || source === '') return undefined;
  return tools.attempt('/filter', undefined, () => filterKey(parseFilter(source)));
}

function compileEntry(
  dn: string | undefined,
  attributes: GivenValues | undefined,
  at: string,
  tools: CompileTools,
): CompiledEntry {
  const compiled = Object.entries(attributes ?? {}).map(([name, values]): CompiledAttribute => {
    const place = pointTo(`${at}/attributes`, name);
    if (!isAttributeName(name)) {
      tools.problem(place, `"${name}" is no attribute; use a name such as cn, or userCertificate;binary`);
    }
    return { name, at: place, values: tools.value(values, place) };
  });
  const fixed = compileFixed(compiled, attributes ?? {}, tools);
  return { at: `${at}/dn`, dn: compileDn(dn, `${at}/dn`, tools), fixed, attributes: compiled };
}

function compileDn(source: string | undefined, at: string, tools: CompileTools): Dn | Template | undefined {
  if (source === undefined) return undefined;
  const template = tools.template(source, at, { target: 'text' });
  return template.constant ? tools.attempt(at, ROOT, () => parseDn(template.source)) : template;
}

/** Values without tags are read here, so that a bad one is refused, and all of them together are kept when all are so. */
function compileFixed(
  compiled: readonly CompiledAttribute[],
  given: GivenValues,
  tools: CompileTools,
): Entry | undefined {
  const attributes: Attribute[] = [];
  let isFixed = true;
  for (const { name, at, values } of compiled) {
    if (!values.constant) isFixed = false;
    else {
      const read = tools.attempt<Buffer[]>(at, [], () => readValues(name, given[name]));
      if (read.length > 0) attributes.push(new Attribute(name, read));
    }
  }
  return isFixed ? new Entry(ROOT, attributes) : undefined;
}

function testMessage(
  { dn, pattern }: Base,
  filter: string | undefined,
  filterText: string,
  message: LdapMessage,
): TestResult {
  const { search } = message;
  if (search === undefined) return () => `operation: got ${message.method}, want SEARCH`;
  if (dn !== undefined && !isWithin(search.base.key, dn.key)) {
    return () => `base_dn: got "${message.path}", want "${dn.text}" or below it`;
  }
  if (pattern !== undefined && fittingName(pattern, search.base, message) === undefined) {
    return () => pattern.reason('base_dn', message.path, message);
  }
  if (filter !== undefined && filter !== message.filterKey) {
    return () => `filter: got "${message.body}", want "${filterText}"`;
  }
  return true;
}

/** The base itself, or one of the names above it. */
function fittingName(pattern: Pattern, { parts }: Dn, message: LdapMessage): string | undefined {
  for (let from = 0; from < Math.max(parts.length, 1); from += 1) {
    const name = formatDn(parts.slice(from));
    if (pattern.test(name, message)) return name;
  }
  return undefined;
}
