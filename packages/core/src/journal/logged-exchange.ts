import type { Log } from '../contract/log.js';
import type { JournalRecord } from './entry.js';
import type { SettledParts } from './ring.js';

/** An exchange as the journal sees it: shown when it has begun to answer, or when it has ended. */
export interface LoggedExchange extends JournalRecord, SettledParts {
  /** The number that the journal gives it; 0 before that. */
  number: number;
  /** Whether it is complete. */
  readonly ended: boolean;
  /** Where a reader's failure is said. */
  readonly log: Log;
  /** Adds one to the entries of its kind and of the mock that has matched. */
  countLogged(): void;
}
