import type { Context, ExchangeFor, OutcomeFor, Shape } from '@backlot/core/plugin';
import type { CompiledSip } from './matcher.js';
import type { SipMessage } from './message.js';
import type { SipIndex } from './mock-index.js';
import type { ConfigSchema, FaultSchema, MockSchema } from './schemas.js';

/** The protocol as types. */
export interface SipShape extends Shape {
  readonly config: typeof ConfigSchema;
  readonly mock: typeof MockSchema;
  readonly compiled: CompiledSip;
  readonly message: SipMessage;
  readonly fault: typeof FaultSchema;
  readonly index: SipIndex;
}

/** What core gives the server. */
export type SipContext = Context<SipShape>;
/** One request and what becomes of it. */
export type SipExchange = ExchangeFor<SipShape>;
/** What core decided about a request. */
export type SipOutcome = OutcomeFor<SipShape>;
