import type { Log } from '../contract/log.js';
import type { JournalRecord } from './entry.js';
import type { SettledParts } from './ring.js';

/**
 * An exchange as the journal sees it. Its entry appears when it has ended, or earlier when its answer has begun to
 * stream.
 */
export interface LoggedExchange extends JournalRecord, SettledParts {
  /** The number that the journal gives it; 0 before that. */
  number: number;
  /** Whether it is complete. */
  readonly ended: boolean;
  /** Gets a line when a reader of the journal has thrown. */
  readonly log: Log;
  /** Adds one to the entries of its kind and of the mock that has matched. */
  countLogged(): void;
}
