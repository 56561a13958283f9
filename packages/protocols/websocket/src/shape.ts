import type { Context, ExchangeFor, MatchOf, OutcomeFor, Shape } from '@backlot/core/plugin';
import type { CompiledWebsocket } from './matcher.js';
import type { WebsocketIndex } from './mock-index.js';
import type { WebsocketMessage } from './message.js';
import type { ConfigSchema, FaultSchema, MockSchema, StreamDataSchema } from './schemas.js';

/** The protocol as types. */
export interface WebsocketShape extends Shape {
  readonly config: typeof ConfigSchema;
  readonly mock: typeof MockSchema;
  readonly compiled: CompiledWebsocket;
  readonly message: WebsocketMessage;
  readonly fault: typeof FaultSchema;
  readonly stream: typeof StreamDataSchema;
  readonly index: WebsocketIndex;
}

/** What core gives the server. */
export type WebsocketContext = Context<WebsocketShape>;
/** A connection or a message, and what becomes of it. */
export type WebsocketExchange = ExchangeFor<WebsocketShape>;
/** A mock that answers. */
export type WebsocketMatch = MatchOf<WebsocketShape>;
/** What core decided. */
export type WebsocketOutcome = OutcomeFor<WebsocketShape>;
