import type { Shape } from '@backlot/core/plugin';
import type { BaseIndex } from './mock-index.js';
import type { LdapMessage } from './message.js';
import type { CompiledLdap } from './matcher.js';
import type { ConfigSchema, FaultSchema, MockSchema } from './schemas.js';

/** The protocol as types. */
export interface LdapShape extends Shape {
  readonly config: typeof ConfigSchema;
  readonly mock: typeof MockSchema;
  readonly compiled: CompiledLdap;
  readonly message: LdapMessage;
  readonly fault: typeof FaultSchema;
  readonly index: BaseIndex;
}
