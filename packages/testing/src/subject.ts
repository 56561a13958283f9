import { remoteSubjectOf } from '@backlot/client';
import {
  BacklotError,
  type CallsView,
  type Host,
  type JournalEntry,
  type JournalFilter,
} from '@backlot/core';
import { readRemote, type Need } from './remote-subject.js';

/** Shared by all copies of this package, since one process may hold its ESM and its CommonJS form. */
const SUBJECT = Symbol.for('backlot.testing.subject');

/** What is looked at of a host, which may run elsewhere. */
export interface SubjectHost extends Pick<Host, 'verify'> {
  readonly journal: { list(filter?: JournalFilter): readonly JournalEntry[] };
}

/** What is looked at of a kind. */
export interface SubjectKind {
  readonly kind: string;
  readonly protocol: { readonly mocks: { readonly noun: string; readonly quietWhenUnmatched?: boolean } };
  readonly mocks: { has(id: string): boolean; list(): readonly { readonly id: string }[] };
  readonly calls: { of(mockId: string): CallsView };
  readonly captures?: { values(): readonly unknown[] } | undefined;
}

/** What matchers and assertions ask of a Backlot, one of its protocols or one of its mocks. */
export interface Subject {
  readonly type: 'backlot' | 'protocol' | 'mock';
  /** What messages call it: `smtp`, `mock "order" of http`. */
  readonly name: string;
  readonly host: SubjectHost;
  /** The kinds that it is about. */
  readonly kinds: readonly SubjectKind[];
  /** There for a mock. */
  readonly mockId?: string;
}

/** Marks a value so that matchers and assertions accept it. */
export function markSubject(value: object, subject: Subject): void {
  Object.defineProperty(value, SUBJECT, { value: subject });
}

/**
 * What {@link markSubject} has marked a value with.
 *
 * @param who - the name of the matcher, for the message
 * @param types - the types of subjects that the matcher accepts
 * @throws TypeError for a value that is not marked, or is of another type
 */
export function subjectOf(value: unknown, who: string, types: readonly Subject['type'][]): Subject {
  const subject =
    typeof value === 'object' && value !== null
      ? (value as { readonly [SUBJECT]?: Subject })[SUBJECT]
      : undefined;
  if (subject !== undefined && types.includes(subject.type)) return subject;
  throw unfit(who, types, subject?.name ?? describe(value));
}

/**
 * Judges a subject: at once when it is in this process, else once what the server has of it was read.
 *
 * @param who - the name of the matcher, for the message
 * @param types - the types of subjects that the matcher accepts
 * @throws TypeError for a value that is no subject, or one of another type
 */
export function ask<Answer>(
  value: unknown,
  who: string,
  types: readonly Subject['type'][],
  need: Need,
  judge: (subject: Subject) => Answer,
): Answer | Promise<Awaited<Answer>> {
  const remote = remoteSubjectOf(value);
  if (remote === undefined) return judge(subjectOf(value, who, types));
  if (!types.includes(remote.type)) throw unfit(who, types, remote.name);
  return readRemote(remote, need).then(judge) as Promise<Awaited<Answer>>;
}

function unfit(who: string, types: readonly Subject['type'][], got: string): TypeError {
  return new TypeError(`${who} takes ${types.map((type) => EXAMPLES[type]).join(' or ')}, got ${got}`);
}

const EXAMPLES = {
  backlot: 'a Backlot',
  protocol: 'a protocol of a Backlot (backlot.<kind>)',
  mock: 'a mock (made by backlot.<kind>.mock)',
};

function describe(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Array.isArray(value)
    ? 'a list'
    : `an object with ${Object.keys(value).slice(0, 5).join(', ') || 'no keys'}`;
}

/** The journal entries of a subject, oldest first. */
export function entriesOf({ host, kinds, mockId, type }: Subject): readonly JournalEntry[] {
  if (type === 'backlot') return host.journal.list();
  return kinds.flatMap(({ kind, calls }) =>
    mockId === undefined ? host.journal.list({ protocol: kind }) : calls.of(mockId).calls,
  );
}

/**
 * The journal entries of messages that no mock matched, oldest first. Kinds for which that is normal, such as brokers,
 * count only when the subject is that kind itself.
 */
export function unmatchedOf({ host, kinds, type }: Subject): readonly JournalEntry[] {
  return kinds
    .filter(({ protocol }) => type === 'protocol' || protocol.mocks.quietWhenUnmatched !== true)
    .flatMap(({ kind }) => host.journal.list({ protocol: kind, unmatched: true }));
}

/** @throws BacklotError `not_found` for a mock that is not there and was never called */
export function checkMock({ kind, mocks, calls, protocol }: SubjectKind, mockId: string): void {
  if (mocks.has(mockId) || calls.of(mockId).count > 0) return;
  const ids = mocks.list().map(({ id }) => `"${id}"`);
  const there = ids.length === 0 ? 'there is none' : `there are ${ids.slice(0, 20).join(', ')}`;
  throw new BacklotError('not_found', `${kind} has no ${protocol.mocks.noun} "${mockId}"; ${there}`);
}
