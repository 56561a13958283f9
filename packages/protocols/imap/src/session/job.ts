import type { ExchangeFor } from '@backlot/core/plugin';
import type { Mailbox } from '../mail/mailbox.js';
import type { ImapShape } from '../shape.js';

/** How a command ended. */
export interface Done {
  /** The tagged response without its tag. */
  readonly text: string;
  /** What may be told about the selected mailbox in front of it; `expunge` when absent. */
  readonly sync?: 'expunge' | 'no expunge' | 'nothing';
  /** Whether FETCH responses hold the UID too. */
  readonly withUid?: boolean;
}

/** A command whose arguments have been read. */
export interface Prepared {
  /** The mailbox that it is about, for people. */
  readonly path?: string;
  /** What the journal shows of it in place of the arguments. */
  readonly body?: string | Buffer;
  /** The mailbox whose mock it uses, by its canonical name. */
  readonly uses?: string;
  /** That mailbox, looked up before the use is counted: a mock may answer for the last time. */
  readonly mailbox?: Mailbox | undefined;
  /** Whether no mock could answer it in this form, so that faults leave it alone. */
  readonly isProbe?: boolean;
  /**
   * Does it. `undefined`: the context's `complete` will be called.
   *
   * @param isCurrent - false when a reset has overtaken it: then nothing may be stored
   * @throws Refusal, BadCommand
   */
  perform(job: Job, isCurrent: boolean): Done | undefined | Promise<Done | undefined>;
}

/** A command that is being done. */
export interface Job {
  readonly tag: string;
  readonly name: string;
  readonly prepared: Prepared;
  readonly exchange: ExchangeFor<ImapShape>;
}
