import type { Context, ExchangeFor, MatchOf, OutcomeFor, Shape } from '@backlot/core/plugin';
import type { CompiledHttp } from './matcher.js';
import type { HttpMessage } from './message.js';
import type { ConfigSchema, MockSchema } from './schemas.js';
import type { FaultSchema } from './schemas/fault.js';
import type { StreamDataSchema } from './schemas/response.js';

/** What the protocol declares, as types. */
export interface HttpShape extends Shape {
  readonly config: typeof ConfigSchema;
  readonly mock: typeof MockSchema;
  readonly compiled: CompiledHttp;
  readonly message: HttpMessage;
  readonly fault: typeof FaultSchema;
  readonly stream: typeof StreamDataSchema;
}

/** What core gives the HTTP server. */
export type HttpContext = Context<HttpShape>;
/** One request and what becomes of it. */
export type HttpExchange = ExchangeFor<HttpShape>;
/** A mock that answers a request. */
export type HttpMatch = MatchOf<HttpShape>;
/** What core decided about a request. */
export type HttpOutcome = OutcomeFor<HttpShape>;
