import type { ExchangeFor } from '@backlot/core/plugin';
import type { Connection, Logins } from '@backlot/kit';
import type { Placed } from '../session/placed.js';
import type { LoginPlace } from '../session/unless-faulted.js';
import type { ImapShape } from '../shape.js';
import type { Maildrop } from './maildrop.js';

/** How a command ended well. */
export interface PopAnswer {
  /** What follows `+OK`. */
  readonly text: string;
  /** The lines after it, with dots doubled and the last dot in place. */
  readonly lines?: string | Buffer;
  /** Whether the connection ends with it. */
  readonly isLast?: boolean;
  /** Whether TLS begins after it. */
  readonly startsTls?: boolean;
}

/** What a command gives: `undefined` when it answers later. */
export type PopResult = PopAnswer | undefined | Promise<PopAnswer | undefined>;

/** A command that is being done. */
export interface PopJob {
  readonly name: string;
  readonly exchange: ExchangeFor<ImapShape>;
}

/** What a command may see and do: the session that it was given in. */
export interface PopContext extends LoginPlace, Pick<Placed, 'logInAs'> {
  readonly connection: Connection;
  readonly logins: Logins;
  /** Whether STLS is configured. */
  readonly hasStartTls: boolean;
  /** Whom USER has named. */
  named: string | undefined;
  /** The messages; `undefined` before the login. */
  readonly maildrop: Maildrop | undefined;
  /** Sends a continuation request; the next line is taken in place of a command. */
  ask(job: PopJob, challenge: string, take: (line: string) => PopResult): void;
  /** Somebody has logged in. */
  login(user: string): Maildrop;
}

/** A command of the protocol. */
export interface PopCommand {
  readonly needs: 'nothing' | 'no login' | 'login';
  /** Whether it is about messages: then faults strike, and uses of the mock are counted. */
  readonly isCovered?: boolean;
  /** Whether its argument is kept out of the journal. */
  readonly isSecret?: boolean;
  /** @throws Refusal, BadCommand */
  perform(session: PopContext, argument: string, job: PopJob): PopResult;
}
