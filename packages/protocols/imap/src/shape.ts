import type { Shape } from '@backlot/core/plugin';
import type { CompiledMailbox } from './compiled.js';
import type { ImapMessage } from './message.js';
import type { NameIndex } from './mock-index.js';
import type { ConfigSchema, FaultSchema, MockSchema } from './schemas.js';

/** The protocol as types. */
export interface ImapShape extends Shape {
  readonly config: typeof ConfigSchema;
  readonly mock: typeof MockSchema;
  readonly compiled: CompiledMailbox;
  readonly message: ImapMessage;
  readonly fault: typeof FaultSchema;
  readonly index: NameIndex;
}
