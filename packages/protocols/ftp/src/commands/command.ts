import type { CommandContext } from './command-context.js';

/** One command of the protocol. */
export interface Command {
  /**
   * Answers it. A {@link ReplyError} that it throws is the answer.
   *
   * @param argument - what follows the verb, as it came
   * @param verb - in upper case, for commands that share an implementation
   */
  run(session: CommandContext, argument: string, verb: string): void | Promise<void>;
  /** How it is written, for HELP. */
  readonly syntax: string;
  /** Whether it is answered to those who have not logged in. */
  readonly beforeLogin?: boolean;
  /** Whether it may come between RNFR and RNTO. */
  readonly keepsRename?: boolean;
}
