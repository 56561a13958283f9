import type { ExchangeFor, Shape } from '@backlot/core/plugin';
import type { FileIndex } from './mock-index.js';
import type { FtpMessage } from './message.js';
import type { CompiledFile } from './matcher.js';
import type { ConfigSchema, FaultSchema, MockSchema } from './schemas.js';

/** The protocol as types. */
export interface FtpShape extends Shape {
  readonly config: typeof ConfigSchema;
  readonly mock: typeof MockSchema;
  readonly compiled: CompiledFile;
  readonly message: FtpMessage;
  readonly fault: typeof FaultSchema;
  readonly index: FileIndex;
}

/** One command that files answer, and what became of it. */
export type FtpExchange = ExchangeFor<FtpShape>;
