import {
  pointTo,
  type CompiledMock,
  type CompileTools,
  type Miss,
  type Pattern,
  type PatternSource,
  type Template,
  type TestResult,
  type ValueOf,
  type ValueTemplate,
} from '@backlot/core/plugin';
import { isAttributeName } from './data/attribute-types.js';
import { foldDn, formatDn, isWithin, parseDn, ROOT, type Dn } from './data/dn.js';
import { Attribute, Entry } from './data/entry.js';
import { filterKey, parseFilter } from './data/filter-text.js';
import { readValues } from './data/read-values.js';
import type { LdapMessage, Operation } from './message.js';
import { parseResultCode, RESULT } from './result-codes.js';
import type { GivenValues, MockSchema } from './schemas.js';
import type { Scope } from './scopes.js';

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
  /** See `Entry.isWhole`. */
  readonly isWhole: boolean;
}

/** A compiled mock. */
export interface CompiledLdap extends CompiledMock<LdapMessage> {
  readonly operation: Operation;
  /** The name at or below which the base must be; `undefined`: a pattern, any base, or what is no name. */
  readonly base: Dn | undefined;
  /** The key of the one name that is meant, see `LdapMessage.nameKey`; `undefined`: what is below counts too. */
  readonly exactKey: string | undefined;
  readonly hasPattern: boolean;
  /** See `LdapMessage.filterKey`; `undefined`: any filter. */
  readonly filter: string | undefined;
  readonly entries: readonly CompiledEntry[];
  /** Addresses of servers that go on with the search. */
  readonly references: readonly (readonly Template[])[];
  readonly resultCode: number;
  readonly matchedDn: Template | undefined;
  readonly message: Template | undefined;
  /** Addresses of other servers, with which the operation ends; none for another end. */
  readonly referral: readonly Template[];
}

/** Whether a name is made when it is asked for. */
export function isTemplate(dn: Dn | Template): dn is Template {
  return 'render' in dn;
}

/** Compiles a mock. */
export function compileMock(mock: ValueOf<typeof MockSchema>, tools: CompileTools): CompiledLdap {
  const operation = (mock.operation ?? 'search').toUpperCase() as Operation;
  checkFields(mock, tools);
  const wanted = compileWanted(mock, operation, tools);
  const { result_code: code, referral = [] } = mock;
  const success = operation === 'COMPARE' ? RESULT.compareTrue : RESULT.success;
  const resultCode =
    code === undefined
      ? success
      : tools.attempt<number>('/result_code', success, () => parseResultCode(code));
  if (code !== undefined && referral.length > 0)
    tools.problem(
      '/result_code',
      'an operation that ends with `referral` has the code 10; leave one of the two out',
    );
  const entries: CompiledEntry[] = [];
  const areWhole = mock.requested !== undefined;
  if (mock.dn !== undefined || mock.attributes !== undefined)
    entries.push(compileEntry(mock.dn, mock.attributes, '', areWhole, tools));
  mock.entries?.forEach(({ dn, attributes }, index) =>
    entries.push(compileEntry(dn, attributes, `/entries/${index}`, areWhole, tools)),
  );
  const text = (source: string, at: string): Template => tools.template(source, at, { target: 'text' });
  const optional = (source: string | undefined, at: string): Template | undefined =>
    source === undefined ? undefined : text(source, at);
  return {
    operation,
    base: wanted.base.dn,
    exactKey: wanted.base.exactKey,
    hasPattern: wanted.base.pattern !== undefined,
    filter: wanted.filter,
    entries,
    references: (mock.references ?? []).map((each, index) =>
      typeof each === 'string'
        ? [text(each, `/references/${index}`)]
        : each.map((one, place) => text(one, `/references/${index}/${place}`)),
    ),
    resultCode,
    matchedDn: optional(mock.matched_dn, '/matched_dn'),
    message: optional(mock.message, '/message'),
    referral: referral.map((each, index) => text(each, `/referral/${index}`)),
    test: (message) => testMessage(wanted, message),
  };
}

/** Fields that only searches have. */
const OF_SEARCHES = [
  'search_scope',
  'filter',
  'requested',
  'dn',
  'attributes',
  'entries',
  'references',
] as const;

function checkFields(mock: ValueOf<typeof MockSchema>, tools: CompileTools): void {
  const { operation = 'search', body } = mock;
  if (operation === 'search') {
    if (body !== undefined)
      tools.problem('/body', 'a search has a `filter`; `body` is for mocks of other operations');
    return;
  }
  for (const name of OF_SEARCHES)
    if (mock[name] !== undefined)
      tools.problem(`/${name}`, `stands in mocks of searches alone, and this one is for ${operation}`);
}

/** What a message must be. */
interface Wanted {
  readonly operation: Operation;
  readonly base: Base;
  readonly scope: Scope | undefined;
  readonly filter: string | undefined;
  readonly filterText: string;
  /** See {@link requestedKey}. */
  readonly requested: string | undefined;
  /** The key of who has bound. */
  readonly boundAs: string | undefined;
  readonly body: Pattern | undefined;
}

function compileWanted(mock: ValueOf<typeof MockSchema>, operation: Operation, tools: CompileTools): Wanted {
  const { base_dn: base, exact_base: isExact, filter, requested, bind_dn: bound, body } = mock;
  return {
    operation,
    base: isExact === true ? compileExactBase(base, operation, tools) : compileBase(base, tools),
    scope: mock.search_scope,
    filter: compileFilter(filter, tools),
    filterText: filter ?? '',
    requested: requested === undefined ? undefined : requestedKey(requested),
    boundAs: bound === undefined ? undefined : boundKey(bound),
    body: body === undefined ? undefined : tools.pattern(body, '/body'),
  };
}

/** The same text for lists of attributes that ask for the same. */
export function requestedKey(names: readonly string[]): string {
  const folded = names.length === 0 ? ['*'] : names.map((name) => name.toLowerCase());
  return [...new Set(folded)].sort().join(' ');
}

/** The same text for the same who has bound. */
export function boundKey(name: string): string {
  return foldDn(name) ?? name;
}

interface Base {
  readonly dn?: Dn;
  readonly pattern?: Pattern;
  readonly exactKey?: string;
  readonly text?: string;
}

function compileBase(source: PatternSource | undefined, tools: CompileTools): Base {
  if (source === undefined || source === '' || source === '*') return {};
  if (typeof source === 'string' && !source.startsWith('re:') && !source.includes('*')) {
    return { dn: tools.attempt('/base_dn', ROOT, () => parseDn(source)) };
  }
  return { pattern: tools.pattern(source, '/base_dn', { caseInsensitive: true }) };
}

/** The one name that is meant. That of a bind may be none, such as `ada@example.com`. */
function compileExactBase(
  source: PatternSource | undefined,
  operation: Operation,
  tools: CompileTools,
): Base {
  if (typeof source !== 'string') {
    tools.problem('/exact_base', 'needs `base_dn` as a text, which is the name that is meant');
    return {};
  }
  if (operation === 'BIND' && foldDn(source) === undefined) return { exactKey: source, text: source };
  const dn = tools.attempt('/base_dn', ROOT, () => parseDn(source));
  return { dn, exactKey: dn.key, text: source };
}

function compileFilter(source: string | undefined, tools: CompileTools): string | undefined {
  if (source === undefined || source === '*' || source === '') return undefined;
  return tools.attempt('/filter', undefined, () => filterKey(parseFilter(source)));
}

function compileEntry(
  dn: string | undefined,
  attributes: GivenValues | undefined,
  at: string,
  isWhole: boolean,
  tools: CompileTools,
): CompiledEntry {
  const compiled = Object.entries(attributes ?? {}).map(([name, values]): CompiledAttribute => {
    const place = pointTo(`${at}/attributes`, name);
    if (!isAttributeName(name)) {
      tools.problem(place, `"${name}" is no attribute; use a name such as cn, or userCertificate;binary`);
    }
    return { name, at: place, values: tools.value(values, place) };
  });
  const fixed = compileFixed(compiled, attributes ?? {}, isWhole, tools);
  return { at: `${at}/dn`, dn: compileDn(dn, `${at}/dn`, tools), fixed, attributes: compiled, isWhole };
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
  isWhole: boolean,
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
  return isFixed ? new Entry(ROOT, attributes, isWhole) : undefined;
}

function testMessage(wanted: Wanted, message: LdapMessage): TestResult {
  const { operation, base, scope, filter, filterText, requested, boundAs, body } = wanted;
  const { search } = message;
  if (operation !== message.method) return () => `operation: got ${message.method}, want ${operation}`;
  const misfit = testBase(base, message);
  if (misfit !== undefined) return misfit;
  if (search !== undefined) {
    if (scope !== undefined && scope !== search.scope)
      return () => `search_scope: got ${search.scope}, want ${scope}`;
    if (filter !== undefined && filter !== message.filterKey)
      return () => `filter: got "${message.body}", want "${filterText}"`;
    if (requested !== undefined && requested !== requestedKey(search.attributes))
      return () => `requested: got "${requestedKey(search.attributes)}", want "${requested}"`;
  }
  if (boundAs !== undefined && boundAs !== boundKey(message.boundAs))
    return () => `bind_dn: got "${message.boundAs}", want "${boundAs}"`;
  if (body !== undefined && !body.test(message.body, message))
    return () => body.reason('body', message.body, message);
  return true;
}

function testBase({ dn, pattern, exactKey, text }: Base, message: LdapMessage): Miss | undefined {
  if (exactKey !== undefined)
    return message.nameKey === exactKey
      ? undefined
      : () => `base_dn: got "${message.path}", want "${text ?? ''}" itself`;
  if (dn !== undefined && !isWithin(message.nameKey, dn.key))
    return () => `base_dn: got "${message.path}", want "${dn.text}" or below it`;
  if (pattern !== undefined && fittingName(pattern, message) === undefined)
    return () => pattern.reason('base_dn', message.path, message);
  return undefined;
}

/** The name itself, or one of the names above it. What is no name is taken as it is. */
function fittingName(pattern: Pattern, message: LdapMessage): string | undefined {
  const { search, path } = message;
  const parts = search?.base.parts ?? (foldDn(path) === undefined ? undefined : parseDn(path).parts);
  if (parts === undefined) return pattern.test(path, message) ? path : undefined;
  for (let from = 0; from < Math.max(parts.length, 1); from += 1) {
    const name = formatDn(parts.slice(from));
    if (pattern.test(name, message)) return name;
  }
  return undefined;
}
