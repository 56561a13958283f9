import type { Shape } from '@backlot/core/plugin';
import type { ByteIndex } from './mock-index.js';
import type { CompiledTcp } from './matcher.js';
import type { ConfigSchema, FaultSchema, MockSchema } from './schemas.js';
import type { TcpMessage } from './message.js';

/** The protocol as types. */
export interface TcpShape extends Shape {
  readonly config: typeof ConfigSchema;
  readonly mock: typeof MockSchema;
  readonly compiled: CompiledTcp;
  readonly message: TcpMessage;
  readonly fault: typeof FaultSchema;
  readonly index: ByteIndex;
}
