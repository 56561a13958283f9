import type { Entry } from './entry.js';
import { canonicalType, isClassWithin, optionsOf, syntaxOf, type Syntax } from './attribute-types.js';
import { compareFolded, foldPart, foldRoughly } from './fold.js';
import { foldValue } from './values.js';

/** An attribute as a filter names it. */
export interface Described {
  /** As it was written. */
  readonly name: string;
  readonly type: string;
  readonly options: readonly string[];
}

/** An attribute and the value it is compared with. */
interface Assertion extends Described {
  readonly value: Buffer;
  readonly folded: string;
}

/** A filter (RFC 4511, section 4.5.1.7). */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly filters: readonly Filter[] }
  | { readonly kind: 'not'; readonly filter: Filter }
  | ({ readonly kind: 'equal' | 'greater' | 'less' | 'approx' } & Assertion)
  | ({ readonly kind: 'present' } & Described)
  | ({
      readonly kind: 'substrings';
      readonly initial: Buffer | undefined;
      readonly any: readonly Buffer[];
      readonly final: Buffer | undefined;
    } & Described)
  | {
      readonly kind: 'extensible';
      readonly rule: string | undefined;
      readonly attribute: Described | undefined;
      readonly value: Buffer;
      readonly withDn: boolean;
    }
  /** A choice that we do not know: it is neither true nor false. */
  | { readonly kind: 'unknown' };

/** Names of matching rules and what they compare. */
const RULES: ReadonlyMap<string, Syntax | 'all-bits' | 'any-bit'> = new Map([
  ['caseignorematch', 'ignore'],
  ['2.5.13.2', 'ignore'],
  ['caseignoreia5match', 'ignore'],
  ['1.3.6.1.4.1.1466.109.114.2', 'ignore'],
  ['caseexactmatch', 'exact'],
  ['2.5.13.5', 'exact'],
  ['caseexactia5match', 'exact'],
  ['1.3.6.1.4.1.1466.109.114.1', 'exact'],
  ['distinguishednamematch', 'dn'],
  ['2.5.13.1', 'dn'],
  ['integermatch', 'integer'],
  ['2.5.13.14', 'integer'],
  ['octetstringmatch', 'octets'],
  ['2.5.13.17', 'octets'],
  ['telephonenumbermatch', 'telephone'],
  ['2.5.13.20', 'telephone'],
  ['1.2.840.113556.1.4.803', 'all-bits'],
  ['1.2.840.113556.1.4.804', 'any-bit'],
]);

/** An attribute as a filter names it. */
export function describe(name: string): Described {
  return { name, type: canonicalType(name), options: optionsOf(name) };
}

/** An attribute and a value it is compared with. */
export function assertion(name: string, value: Buffer): Assertion {
  const described = describe(name);
  return { ...described, value, folded: foldValue(syntaxOf(described.type), value) };
}

/** Whether an entry fits; `undefined`: it cannot be told (RFC 4511, section 4.5.1.7), which is not enough. */
type Test = (entry: Entry) => boolean | undefined;

/** A filter that is ready to be asked of many entries. */
export interface CompiledFilter {
  readonly test: Test;
  /** For a filter made of others. */
  readonly inner: readonly CompiledFilter[];
  /** What an inner filter says that decides at once; `undefined` for `not`. */
  readonly decisive: boolean | undefined;
}

/** Makes a filter ready. */
export function compileFilter(filter: Filter): CompiledFilter {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const inner = filter.filters.map(compileFilter);
      const decisive = filter.kind === 'or';
      return { inner, decisive, test: (entry) => combine(inner, entry, decisive) };
    }
    case 'not': {
      const inner = compileFilter(filter.filter);
      return { inner: [inner], decisive: undefined, test: (entry) => negate(inner.test(entry)) };
    }
    default:
      return { inner: [], decisive: undefined, test: compileTest(filter) };
  }
}

/**
 * The same as `test`, for an entry that takes long: yields after each part of the filter, see `runInSlices`.
 */
export function* testLong(filter: CompiledFilter, entry: Entry): Generator<undefined, boolean | undefined> {
  const { inner, decisive, test } = filter;
  const [first] = inner;
  if (first === undefined && decisive === undefined) {
    yield;
    return test(entry);
  }
  if (first !== undefined && decisive === undefined) return negate(yield* testLong(first, entry));
  let result: boolean | undefined = decisive === false;
  for (const each of inner) {
    const one = yield* testLong(each, entry);
    if (one === decisive) return decisive;
    if (one === undefined) result = undefined;
  }
  return result;
}

/** Whether an entry fits. */
export function evaluate(filter: Filter, entry: Entry): boolean | undefined {
  return compileFilter(filter).test(entry);
}

function compileTest(filter: Exclude<Filter, { kind: 'and' | 'or' | 'not' }>): Test {
  switch (filter.kind) {
    case 'present':
      // RFC 4512, section 2.4: every entry has it, so one that was written without it is found all the same.
      if (filter.type === 'objectclass') return () => true;
      return (entry) => entry.attributes.some((attribute) => attribute.is(filter.type, filter.options));
    case 'equal':
      return someValue(filter, equalTo(filter));
    case 'greater':
      return someValue(filter, (folded) => compareFolded(folded, filter.folded) >= 0);
    case 'less':
      return someValue(filter, (folded) => compareFolded(folded, filter.folded) <= 0);
    case 'approx': {
      const rough = foldRoughly(filter.value.toString('utf8'));
      return someValue(filter, (folded) => foldRoughly(folded) === rough);
    }
    case 'substrings':
      return someValue(filter, partsOf(filter));
    case 'extensible':
      return (entry) => evaluateExtensible(filter, entry);
    case 'unknown':
      return () => undefined;
  }
}

function negate(inner: boolean | undefined): boolean | undefined {
  return inner === undefined ? undefined : !inner;
}

/** How an assertion compares with a folded value of its attribute. */
export function equalTo({ type, folded: wanted }: Assertion): (folded: string) => boolean {
  if (type === 'objectclass') return (folded) => isClassWithin(folded, wanted);
  return (folded) => folded === wanted;
}

function combine(filters: readonly CompiledFilter[], entry: Entry, decisive: boolean): boolean | undefined {
  let result: boolean | undefined = !decisive;
  for (const filter of filters) {
    const one = filter.test(entry);
    if (one === decisive) return decisive;
    if (one === undefined) result = undefined;
  }
  return result;
}

function someValue({ type, options }: Described, fits: (folded: string) => boolean): Test {
  return (entry) => {
    for (const attribute of entry.attributes) {
      if (attribute.is(type, options) && attribute.folded.some(fits)) return true;
    }
    return false;
  };
}

function partsOf(filter: Extract<Filter, { kind: 'substrings' }>): (folded: string) => boolean {
  const syntax = syntaxOf(filter.type);
  const initial = filter.initial === undefined ? '' : foldPart(syntax, filter.initial);
  const final = filter.final === undefined ? '' : foldPart(syntax, filter.final);
  const any = filter.any.map((part) => foldPart(syntax, part));
  return (folded) => {
    if (!folded.startsWith(initial)) return false;
    let at = initial.length;
    for (const part of any) {
      const found = folded.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return folded.length - final.length >= at && folded.endsWith(final);
  };
}

function evaluateExtensible(
  { rule, attribute, value, withDn }: Extract<Filter, { kind: 'extensible' }>,
  entry: Entry,
): boolean | undefined {
  const known = rule === undefined ? undefined : RULES.get(rule.toLowerCase());
  if (rule !== undefined && known === undefined) return undefined;
  if (rule === undefined && attribute === undefined) return undefined;
  const fits = (type: string, own: Buffer): boolean => compareBy(known ?? syntaxOf(type), own, value, type);
  for (const { type, options, values } of entry.attributes) {
    const isMeant =
      attribute === undefined ||
      (attribute.type === type && attribute.options.every((option) => options.includes(option)));
    if (isMeant && values.some((own) => fits(type, own))) return true;
  }
  if (!withDn) return false;
  return entry.dn.parts.some((rdn) =>
    rdn.some((part) => {
      const type = canonicalType(part.type);
      return (attribute === undefined || attribute.type === type) && fits(type, part.value);
    }),
  );
}

function compareBy(by: Syntax | 'all-bits' | 'any-bit', own: Buffer, wanted: Buffer, type: string): boolean {
  if (by !== 'all-bits' && by !== 'any-bit') {
    const folded = foldValue(by, wanted);
    const mine = foldValue(by, own);
    return type === 'objectclass' ? isClassWithin(mine, folded) : mine === folded;
  }
  const mask = toInteger(wanted);
  const bits = toInteger(own);
  if (mask === undefined || bits === undefined) return false;
  return by === 'all-bits' ? (bits & mask) === mask : (bits & mask) !== 0n;
}

function toInteger(value: Buffer): bigint | undefined {
  const text = value.toString('utf8');
  return /^-?\d{1,20}$/.test(text) ? BigInt(text) : undefined;
}
