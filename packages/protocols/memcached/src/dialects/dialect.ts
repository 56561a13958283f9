import type { Reply } from '@backlot/core/plugin';
import type { MemcachedMessage } from '../message.js';
import type { Result } from '../result.js';

/** The protocol of a connection: text with meta commands, or binary. */
export interface Dialect {
  /** Takes one command of what has come, or the next part of one. Gives whether there was one. */
  take(): boolean;
  /** Does what a command says where no mock answers. */
  perform(message: MemcachedMessage): Result;
  /** Writes the answer to a command; gives what the journal shows of it. */
  answer(message: MemcachedMessage, result: Result): Reply;
}
