import type { JournalEntry } from '../contract/journal.js';
import type { Expectation } from '../contract/verification.js';
import type { Json } from '../contract/given.js';
import { isBacklotError, type Problem } from '../errors.js';
import { LATER } from '../contract/matcher.js';
import { explainedEntry } from '../host/explained-entry.js';
import { messageOf } from '../host/explain-message.js';
import { SPAN } from '../contract/span.js';
import type { MessageTest } from '../faults/compile-match.js';
import type { KindHost } from '../host/kind-host.js';
import { compilePattern } from '../patterns/pattern.js';
import { parseDuration } from '../time/duration.js';
import { show } from '../validation/messages.js';
import { isObject, pointTo } from '../validation/pointer.js';
import { suggest } from '../validation/suggest.js';
import { createValidator } from '../validation/validator.js';
import { ANY_KIND_NAMES, EXPECTATION_FIELDS, expectedMessageSchemaOf } from './check-schema.js';
import { compileSpanTest } from './span-test.js';

/** An expectation that is ready to look at messages. */
export interface CompiledExpectation {
  /** The kind whose messages are meant; `span` for spans. */
  readonly protocol: string;
  readonly name: string | undefined;
  readonly min: number;
  readonly max: number;
  readonly before: string | undefined;
  readonly apart:
    { readonly min: number; readonly max: number; readonly from: string | undefined } | undefined;
  /** Whether a message is meant; where it is not, why. */
  test(entry: JournalEntry): true | string;
}

/** Finds a kind by its name. */
export type FindKind = (name: string) => KindHost | undefined;

/**
 * Makes an expectation ready, whose fields of all kinds have passed their schema.
 *
 * @param problems - takes what is wrong; the result is of no use then
 */
export function compileExpectation(
  given: Expectation,
  at: string,
  find: FindKind,
  names: readonly string[],
  problems: Problem[],
): CompiledExpectation | undefined {
  const kinds = Object.keys(given).filter((name) => !Object.hasOwn(EXPECTATION_FIELDS, name));
  const [name, second] = kinds;
  const known = name === undefined ? undefined : find(name);
  for (const each of kinds)
    if (each !== SPAN && find(each) === undefined)
      problems.push({ path: pointTo(at, each), message: describeUnknown(each, names) });
  if (name === undefined || second !== undefined)
    problems.push({
      path: at,
      message: `must have one field that is called as a protocol is, got ${name === undefined ? 'none' : kinds.join(', ')}`,
    });
  if (name === undefined || second !== undefined) return undefined;
  const path = pointTo(at, name);
  const test =
    name === SPAN
      ? compileSpanTest(given[name], path, problems)
      : known && compileMessageTest(known, given[name], path, problems);
  if (test === undefined) return undefined;
  const [min, max] = boundsOf(given.times);
  if (min > max)
    problems.push({ path: `${at}/times`, message: `min ${min} must not be more than max ${max}` });
  const apart = given.apart;
  const duration = (text: string | undefined, field: string, otherwise: number): number => {
    try {
      return text === undefined ? otherwise : parseDuration(text);
    } catch (thrown) {
      problems.push({ path: `${at}/apart/${field}`, message: (thrown as Error).message });
      return otherwise;
    }
  };
  return {
    protocol: name,
    name: given.name,
    min,
    max,
    before: given.before,
    apart: apart && {
      min: duration(apart.min, 'min', 0),
      max: duration(apart.max, 'max', Infinity),
      from: apart.from,
    },
    test,
  };
}

/** @returns undefined when something is wrong with the kind, or with the form of what was given */
function compileMessageTest(
  kind: KindHost,
  match: unknown,
  path: string,
  problems: Problem[],
): CompiledExpectation['test'] | undefined {
  if (!kind.enabled) {
    problems.push({ path, message: `${kind.kind} is not enabled, so that no message of it is there` });
    return undefined;
  }
  const wrong = createValidator(expectedMessageSchemaOf(kind.protocol)).check(match, path);
  problems.push(...wrong);
  if (wrong.length > 0 || !isObject(match)) return undefined;
  return compileTest(kind, match, path, problems);
}

function boundsOf(times: Expectation['times']): readonly [min: number, max: number] {
  if (times === undefined) return [1, Infinity];
  if (typeof times === 'number') return [times, times];
  return [times.min ?? 0, times.max ?? Infinity];
}

function describeUnknown(name: string, names: readonly string[]): string {
  const meant = suggest(name, [...names, SPAN, ...Object.keys(EXPECTATION_FIELDS)]);
  return `is no protocol that is installed; those are ${names.join(', ')}, and ${SPAN} for spans of applications${meant === undefined ? '' : `; did you mean "${meant}"?`}`;
}

/** The fields of the kind's mocks, which may stand without the one object that holds them. */
function matchOf({ protocol }: KindHost, given: Json): { readonly match: Json; readonly inner: string } {
  const own = Object.entries(given).filter(([name]) => !ANY_KIND_NAMES.includes(name));
  const { matching } = protocol.mocks;
  const [only = ''] = matching?.fields ?? [];
  const flat = own.filter(([name]) => matching?.fields.length === 1 && name !== only);
  if (flat.length === 0) return { match: Object.fromEntries(own), inner: '' };
  const whole = isObject(given[only]) ? given[only] : {};
  return { match: { [only]: { ...whole, ...Object.fromEntries(flat) } }, inner: `/${only}` };
}

function compileTest(
  kind: KindHost,
  given: Json,
  at: string,
  problems: Problem[],
): (entry: JournalEntry) => true | string {
  const { match, inner } = matchOf(kind, given);
  const { mock, unmatched, status, fault } = given as {
    mock?: string;
    unmatched?: boolean;
    status?: never;
    fault?: boolean;
  };
  let fits: MessageTest | undefined;
  if (Object.keys(match).length > 0) {
    const compiled = kind.compileMatch(match);
    if ('problems' in compiled)
      problems.push(
        ...compiled.problems.map(({ path, message }) => ({
          path: at + (inner !== '' && path.startsWith(inner) ? path.slice(inner.length) : path),
          message,
        })),
      );
    else fits = compiled;
  }
  const statusPattern = status === undefined ? undefined : compilePattern(status);
  return (entry) => {
    if (mock !== undefined && entry.matched_id !== mock)
      return `mock: got ${show(entry.matched_id ?? 'none')}, want ${show(mock)}`;
    if (unmatched === true && entry.unmatched !== true)
      return entry.matched_id === undefined
        ? `${kind.kind} answered it by itself`
        : `the mock "${entry.matched_id}" matched it`;
    if (unmatched === false && entry.matched_id === undefined) return 'no mock matched it';
    if (fault !== undefined && (entry.fault === true) !== fault)
      return fault ? 'no fault has hit it' : 'a fault has hit it';
    if (statusPattern !== undefined) {
      const text = entry.status === undefined ? undefined : String(entry.status);
      if (!statusPattern.test(text)) return statusPattern.reason('status', text);
    }
    return fits === undefined ? true : testEntry(kind, fits, entry);
  };
}

function testEntry({ protocol }: KindHost, fits: MessageTest, entry: JournalEntry): true | string {
  let result;
  try {
    // Where mocks do not say what they are for, what the log shows is asked for.
    const isLogged = protocol.mocks.matching === undefined;
    result = fits(isLogged ? entry : messageOf(protocol, explainedEntry(protocol, entry)));
  } catch (thrown) {
    if (isBacklotError(thrown)) return 'it is no message that a mock could match';
    throw thrown;
  }
  if (result === true || typeof result === 'string') return result;
  if (typeof result === 'function') return result();
  return result === LATER ? 'a field that is asked for never came' : 'authentication is missing or wrong';
}
