import type { Message, Shape } from '@backlot/core/plugin';
import type { CompiledMailbox } from './mailbox-mock.js';
import type { NameIndex } from './mock-index.js';
import type { ConfigSchema, FaultSchema, MockSchema } from './schemas.js';

/** A command, as the journal and templates see it: `method` is the command, `path` the mailbox. */
export type ImapMessage = Message;

/** The kind as types. */
export interface ImapShape extends Shape {
  readonly config: typeof ConfigSchema;
  readonly mock: typeof MockSchema;
  readonly compiled: CompiledMailbox;
  readonly message: ImapMessage;
  readonly fault: typeof FaultSchema;
  readonly index: NameIndex;
}
