import type { Shape } from '@backlot/core/plugin';
import type { DestinationIndex } from './mock-index.js';
import type { CompiledStomp } from './matcher.js';
import type { CaptureSchema, ConfigSchema, FaultSchema, MockSchema } from './schemas.js';
import type { StompMessage } from './message.js';

/** The protocol as types. */
export interface StompShape extends Shape {
  readonly config: typeof ConfigSchema;
  readonly mock: typeof MockSchema;
  readonly compiled: CompiledStomp;
  readonly message: StompMessage;
  readonly fault: typeof FaultSchema;
  readonly capture: typeof CaptureSchema;
  readonly index: DestinationIndex;
}
