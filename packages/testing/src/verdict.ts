import { includes, type Equals } from '@backlot/client';
import { closeness, narrow, pick } from './compare.js';
import { countOf, formatEntries, formatUnmatched, formatValue, formatValues } from './entries.js';
import { checkMock, entriesOf, unmatchedOf, type Subject } from './subject.js';

/** The result of a matcher, with everything that its message needs. */
export interface Verdict {
  readonly pass: boolean;
  /** What was found, as a sentence, whether it passed or not. */
  readonly headline: string;
  /**
   * What was wanted and the closest value, each cut down to the fields that matter; absent when a difference would not
   * help.
   */
  readonly difference?: { readonly wanted: unknown; readonly closest: unknown };
  /** Further text for the message, such as other messages that were received. */
  readonly more: string;
}

/** How often something is wanted: exactly so many times, or, when undefined, at least once. */
export type Times = number | undefined;

/** Whether a protocol has captured messages that have the wanted values. */
export function judgeCaptured(subject: Subject, wanted: unknown, times: Times, equals: Equals): Verdict {
  const captured = subject.kinds.flatMap(({ kind, captures }) => {
    if (captures === undefined) throw new TypeError(`${kind} keeps no messages; ask for what it received`);
    return captures.values();
  });
  const source = {
    values: captured,
    name: subject.name,
    verb: 'captured',
    noun: 'message',
    format: (values: readonly unknown[]) => formatValues(values.map((value) => pick(value, wanted))),
  };
  return judgeList(source, wanted, times, equals);
}

/** Whether a mock was called, or a message was received that has the wanted values. */
export function judgeReceived(subject: Subject, wanted: unknown, times: Times, equals: Equals): Verdict {
  if (subject.type === 'mock' && typeof wanted === 'string') {
    throw new TypeError(
      `of ${subject.name} a part of a journal entry can be wanted, got ${formatValue(wanted)}`,
    );
  }
  const mockId = typeof wanted === 'string' ? wanted : wanted === undefined ? subject.mockId : undefined;
  if (mockId !== undefined) return judgeCalls(subject, mockId, times);
  const source = {
    values: entriesOf(subject),
    name: subject.name,
    verb: 'received',
    noun: 'message',
    format: (values: readonly unknown[]) => formatEntries(values as ReturnType<typeof entriesOf>),
  };
  const verdict = judgeList(source, wanted, times, equals);
  return verdict.pass ? verdict : { ...verdict, more: joinParts(verdict.more, describeUnmatched(subject)) };
}

/** Whether there are messages that no mock matched. */
export function judgeUnmatched(subject: Subject, wanted: unknown, equals: Equals): Verdict {
  const all = unmatchedOf(subject);
  const found = wanted === undefined ? all : all.filter((entry) => includes(entry, wanted, equals));
  const such = wanted === undefined ? '' : ` that has ${formatValue(wanted)}`;
  return found.length > 0
    ? {
        pass: true,
        headline: `${subject.name} received ${countOf(found.length, 'message')} that met no mock:`,
        more: formatUnmatched(found),
      }
    : {
        pass: false,
        headline: `${subject.name} received no message${such} that met no mock`,
        more: all.length === 0 ? '' : `what met no mock:\n${formatUnmatched(all)}`,
      };
}

/** The messages that no mock matched, as a paragraph; empty when there are none. */
export function describeUnmatched(subject: Subject): string {
  const entries = unmatchedOf(subject);
  return entries.length === 0 ? '' : `what met no mock:\n${formatUnmatched(entries)}`;
}

/** The parts of a message that are there, with a blank line between them. */
export function joinParts(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

function judgeCalls(subject: Subject, mockId: string, times: Times): Verdict {
  const [kind] = subject.kinds;
  if (kind === undefined || subject.type === 'backlot') {
    throw new TypeError(
      `a mock is asked for at its protocol: expect(backlot.http), not the Backlot, for "${mockId}"`,
    );
  }
  if (subject.type === 'protocol') checkMock(kind, mockId);
  const { count, calls } = kind.calls.of(mockId);
  return {
    pass: times === undefined ? count > 0 : count === times,
    headline: `mock "${mockId}" of ${kind.kind} was called ${countOf(count, 'time')}${wantedTimes(times)}`,
    more: joinParts(formatEntries(calls), describeUnmatched({ ...subject, type: 'protocol' })),
  };
}

/** Where the values of a list come from, for messages. */
interface Source {
  readonly values: readonly unknown[];
  readonly name: string;
  readonly verb: string;
  readonly noun: string;
  format(values: readonly unknown[]): string;
}

function judgeList(source: Source, wanted: unknown, times: Times, equals: Equals): Verdict {
  const { values, name, verb, noun } = source;
  const fits = (value: unknown): boolean => wanted === undefined || includes(value, wanted, equals);
  const found = values.filter(fits);
  const pass = times === undefined ? found.length > 0 : found.length === times;
  const such =
    wanted === undefined ? '' : ` that ${found.length === 1 ? 'has' : 'have'} ${formatValue(wanted)}`;
  if (found.length > 0 || (pass && values.length === 0)) {
    const headline = `${name} ${verb} ${countOf(found.length, noun)}${such}${pass ? '' : wantedTimes(times)}`;
    return { pass, headline, more: source.format(found) };
  }
  if (values.length === 0) {
    return { pass, headline: `${name} ${verb} nothing${wantedTimes(times)}`, more: '' };
  }
  const at = indexOfClosest(values, wanted, equals);
  const others = values.filter((_, index) => index !== at);
  const among = values.length === 1 ? 'it differs' : `number ${at + 1} is the closest`;
  return {
    pass,
    headline: `${name} ${verb} ${countOf(values.length, noun)}, none as wanted${wantedTimes(times)}; ${among}:`,
    difference: { wanted, closest: narrow(values[at], wanted, equals) },
    more: others.length === 0 ? '' : `${countOf(others.length, 'other')}:\n${source.format(others)}`,
  };
}

function wantedTimes(times: Times): string {
  return times === undefined ? '' : `, want ${times}`;
}

/** Of equally close ones the newest. */
function indexOfClosest(values: readonly unknown[], wanted: unknown, equals: Equals): number {
  const scores = values.map((value) => closeness(value, wanted, equals));
  return scores.lastIndexOf(Math.max(...scores));
}
