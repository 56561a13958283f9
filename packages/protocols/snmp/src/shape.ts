import type { CompiledSnmp } from './matcher.js';
import type { OidIndex } from './mock-index.js';
import type { ConfigSchema, FaultSchema, MockSchema, TrapSchema } from './schemas.js';
import type { SnmpMessage } from './message.js';
import type { CompiledTrap } from './trap/compile-trap.js';

/** The protocol as types. */
export interface SnmpShape {
  readonly config: typeof ConfigSchema;
  readonly mock: typeof MockSchema;
  readonly compiled: CompiledSnmp;
  readonly message: SnmpMessage;
  readonly fault: typeof FaultSchema;
  readonly index: OidIndex;
  readonly itemLists: {
    readonly traps: { readonly item: typeof TrapSchema; readonly compiled: CompiledTrap };
  };
}
