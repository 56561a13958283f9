import type { Shape } from '@backlot/core/plugin';
import type { CommandIndex } from './mock-index.js';
import type { CompiledRedis } from './matcher.js';
import type { RedisMessage } from './message.js';
import type { ConfigSchema, FaultSchema, MockSchema } from './schemas.js';

/** The protocol as types. */
export interface RedisShape extends Shape {
  readonly config: typeof ConfigSchema;
  readonly mock: typeof MockSchema;
  readonly compiled: CompiledRedis;
  readonly message: RedisMessage;
  readonly fault: typeof FaultSchema;
  readonly index: CommandIndex;
}
