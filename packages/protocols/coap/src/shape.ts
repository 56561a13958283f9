import type { Context, ExchangeFor, LiveMockOf, MatchOf, OutcomeFor, Shape } from '@backlot/core/plugin';
import type { CompiledCoap } from './matcher.js';
import type { CoapMessage } from './message.js';
import type { CoapIndex } from './mock-index.js';
import type { ConfigSchema, FaultSchema, MockSchema } from './schemas.js';

/** The protocol as types. */
export interface CoapShape extends Shape {
  readonly config: typeof ConfigSchema;
  readonly mock: typeof MockSchema;
  readonly compiled: CompiledCoap;
  readonly message: CoapMessage;
  readonly fault: typeof FaultSchema;
  readonly index: CoapIndex;
}

/** What core gives the server. */
export type CoapContext = Context<CoapShape>;
/** One request and what becomes of it. */
export type CoapExchange = ExchangeFor<CoapShape>;
/** A mock in effect. */
export type LiveCoapMock = LiveMockOf<CoapShape>;
/** A mock that answers a request. */
export type CoapMatch = MatchOf<CoapShape>;
/** What core decided about a request. */
export type CoapOutcome = OutcomeFor<CoapShape>;
