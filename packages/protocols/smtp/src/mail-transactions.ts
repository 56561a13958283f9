import type { Context } from '@backlot/core/plugin';
import type { Connection } from '@backlot/kit';
import type { Greylist } from './greylist.js';
import type { Reply } from './reply.js';
import type { SmtpShape } from './shape.js';

/** The bytes of a message; a promise while those of a long one are put together. */
export type RawMail = Buffer | Promise<Buffer>;

/** Tells the client: a reply that refuses, or none when it may go on. */
export type Answer = (refusal?: Reply) => void;

/** What a client says of a mail beside its sender, such as `BODY=8BITMIME`, by names in capital letters. */
export type MailParameters = Readonly<Record<string, string | true>>;

/** The mail transactions of one connection, one after the other. */
export interface MailTransactions {
  readonly connection: Connection;
  /** Whether an answer is being made. */
  readonly isWaiting: boolean;
  /** From now on they are those of another world. */
  moveTo(context: Context<SmtpShape>, greylist: Greylist): void;
  /** MAIL came. */
  begin(from: string, answer: Answer, parameters: MailParameters): void;
  /** RCPT came. */
  addRecipient(address: string, answer: Answer): void;
  /**
   * The data ended.
   *
   * @param raw - the message without its dot-stuffing; undefined when it was too large to be kept
   * @param answer - told the reply, whatever it is
   */
  finish(recipients: readonly string[], raw: RawMail | undefined, answer: (reply: Reply) => void): void;
  /** MAIL announced more bytes than are taken (RFC 1870). */
  refuseSize(from: string, reply: Reply): void;
  /** The client gave the transaction up. */
  cancel(): void;
}
