import type { Context, ExchangeFor, MatchOf, OutcomeFor, Shape } from '@backlot/core/plugin';
import type { CompiledGrpc } from './matcher.js';
import type { GrpcMessage } from './message.js';
import type { MethodIndex } from './mock-index.js';
import type { ConfigSchema, FaultSchema, MockSchema, StreamDataSchema } from './schemas.js';

/** What the protocol declares, as types. */
export interface GrpcShape extends Shape {
  readonly config: typeof ConfigSchema;
  readonly mock: typeof MockSchema;
  readonly compiled: CompiledGrpc;
  readonly message: GrpcMessage;
  readonly fault: typeof FaultSchema;
  readonly stream: typeof StreamDataSchema;
  readonly index: MethodIndex;
}

/** What core gives the gRPC server. */
export type GrpcContext = Context<GrpcShape>;
/** One call and what becomes of it. */
export type GrpcExchange = ExchangeFor<GrpcShape>;
/** A mock that answers a call. */
export type GrpcMatch = MatchOf<GrpcShape>;
/** What core decided about a call. */
export type GrpcOutcome = OutcomeFor<GrpcShape>;
