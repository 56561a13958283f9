import type { Shape } from '@backlot/core/plugin';
import type { CompiledNats } from './matcher.js';
import type { NatsMessage } from './message.js';
import type { CaptureSchema, ConfigSchema, FaultSchema, MockSchema } from './schemas.js';
import type { SubjectIndex } from './mock-index.js';

/** The protocol as types. */
export interface NatsShape extends Shape {
  readonly config: typeof ConfigSchema;
  readonly mock: typeof MockSchema;
  readonly compiled: CompiledNats;
  readonly message: NatsMessage;
  readonly fault: typeof FaultSchema;
  readonly capture: typeof CaptureSchema;
  readonly index: SubjectIndex;
}
