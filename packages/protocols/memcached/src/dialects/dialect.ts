import type { Reply } from '@backlot/core/plugin';
import type { MemcachedMessage } from '../message.js';
import type { Result } from '../result.js';
import type { ServerState } from '../server-state.js';
import type { Inbox } from '../wire/inbox.js';

/** The protocol of a connection: text with meta commands, or binary. */
export interface Dialect {
  /** Takes one command of what has come, or the next part of one. Gives whether there was one. */
  take(): boolean;
  /** Does what a command says where no mock answers. */
  perform(message: MemcachedMessage): Result;
  /** The packet of the command that was taken last, where there is an upstream to give it to; one character per byte. */
  readonly frame?: string | undefined;
  /** Writes the answer to a command; gives what the journal shows of it. */
  answer(message: MemcachedMessage, result: Result): Reply;
}

/** What a dialect may see and do of its connection. */
export interface DialectContext {
  /** What all connections share. */
  readonly server: ServerState;
  /** The client, as `address:port`. */
  readonly remote: string;
  /** What has come and was not taken yet. */
  readonly inbox: Inbox;
  /** How often answers were sent. */
  readonly flushes: number;
  /** Whether to stop after a command: nothing is to be taken now, or others are to be let in. */
  readonly mustStop: boolean;
  /** Whether enough is there to be sent. */
  readonly isFull: boolean;
  /** Answers that were not sent yet, one character per byte. */
  out: string;
  /** Decides about a command that a mock could answer, and answers it, at once or when its delay is over. */
  ask(message: MemcachedMessage, dialect: Dialect): void;
  /** Writes down a command that no mock could answer. */
  note(method: string, path: string, reply: Reply): void;
  /** Whether there is an upstream that is asked what nobody else answers. */
  readonly isRelayed: boolean;
  /**
   * Gives the upstream a command that no mock could answer, and the client what it answers.
   *
   * @param request - in the form of the wire, one character per byte
   */
  passOn(method: string, request: string): void;
  /** Closes the connection once what was answered is sent. */
  end(): void;
}
