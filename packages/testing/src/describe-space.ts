import { remoteSubjectOf, type SpaceClient } from '@backlot/client';
import type { JournalEntry } from '@backlot/core';
import { readRemote } from './remote-subject.js';
import { describeUnmatched } from './verdict.js';

/** How many messages are shown of a test that failed. */
export const MOST_SHOWN = 200;

/** What explains why a test has failed. */
export interface SpaceDescription {
  /** The messages that met no mock, with the closest mocks; empty when there are none. */
  readonly unmatched: string;
  /** The newest journal entries, oldest first. */
  readonly entries: readonly JournalEntry[];
}

/** What came in a space, for the report of a test that has failed. */
export async function describeSpace(space: SpaceClient): Promise<SpaceDescription> {
  const subject = remoteSubjectOf(space);
  if (subject === undefined) throw new TypeError('it was not made by createSpace');
  return {
    unmatched: describeUnmatched(await readRemote(subject, {})),
    entries: await space.journal.list({ limit: MOST_SHOWN }),
  };
}
