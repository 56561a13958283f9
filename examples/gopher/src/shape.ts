import type { Message } from '@backlot/core/plugin';
import type { compileMock } from './matcher.js';
import type { ConfigSchema, FaultSchema, MockSchema } from './schemas.js';

/** A request: `path` is the selector. */
export interface GopherMessage extends Message {
  readonly query?: { readonly search?: string };
}

/** The protocol as types. */
export interface GopherShape {
  readonly config: typeof ConfigSchema;
  readonly mock: typeof MockSchema;
  readonly compiled: ReturnType<typeof compileMock>;
  readonly message: GopherMessage;
  readonly fault: typeof FaultSchema;
}
