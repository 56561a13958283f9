import type { CommandReader } from '../wire/command-reader.js';
import type { CommandContext } from './command-context.js';
import type { Prepared } from './job.js';

/** A command of the protocol. */
export interface Command {
  readonly needs: 'nothing' | 'no login' | 'login' | 'mailbox';
  /** Whether a mock could answer it: faults and delays strike, and uses are counted. */
  readonly isCovered?: boolean;
  /** Whether it changes what is stored. */
  readonly isChange?: boolean;
  /** Reads the arguments. @throws BadCommand */
  prepare(session: CommandContext, reader: CommandReader): Prepared;
}
