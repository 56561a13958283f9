import type { Message } from '@backlot/core/plugin';
import type { compileMock } from './matcher.js';
import type { ConfigSchema, FaultSchema, MockSchema } from './schemas.js';

/** A line that a client sent. */
export interface __Kind__Message extends Message {
  /** Without its ending. */
  readonly body: string;
}

/** The protocol as types. */
export interface __Kind__Shape {
  readonly config: typeof ConfigSchema;
  readonly mock: typeof MockSchema;
  readonly compiled: ReturnType<typeof compileMock>;
  readonly message: __Kind__Message;
  readonly fault: typeof FaultSchema;
}
