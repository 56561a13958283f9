import type { DnsMessage } from './message.js';
import type { CompiledDns } from './matcher.js';
import type { NameIndex } from './mock-index.js';
import type { ConfigSchema, FaultSchema, MockSchema } from './schemas.js';

/** The protocol as types. */
export interface DnsShape {
  readonly config: typeof ConfigSchema;
  readonly mock: typeof MockSchema;
  readonly compiled: CompiledDns;
  readonly message: DnsMessage;
  readonly index: NameIndex;
  readonly fault: typeof FaultSchema;
}
