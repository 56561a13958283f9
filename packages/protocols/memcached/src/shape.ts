import type { Shape } from '@backlot/core/plugin';
import type { CompiledMemcached } from './matcher.js';
import type { MemcachedMessage } from './message.js';
import type { ConfigSchema, FaultSchema, MockSchema } from './schemas.js';

/** The protocol as types. */
export interface MemcachedShape extends Shape {
  readonly config: typeof ConfigSchema;
  readonly mock: typeof MockSchema;
  readonly compiled: CompiledMemcached;
  readonly message: MemcachedMessage;
  readonly fault: typeof FaultSchema;
}
