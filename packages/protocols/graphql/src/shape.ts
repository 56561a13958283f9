import type { Context, ExchangeFor, MatchOf, OutcomeFor, Shape } from '@backlot/core/plugin';
import type { CompiledGraphql } from './matcher.js';
import type { GraphqlMessage } from './message.js';
import type { OperationIndex } from './mock-index.js';
import type { ConfigSchema, FaultSchema, MockSchema, StreamDataSchema } from './schemas.js';

/** What the protocol declares, as types. */
export interface GraphqlShape extends Shape {
  readonly config: typeof ConfigSchema;
  readonly mock: typeof MockSchema;
  readonly compiled: CompiledGraphql;
  readonly message: GraphqlMessage;
  readonly index: OperationIndex;
  readonly fault: typeof FaultSchema;
  readonly stream: typeof StreamDataSchema;
}

/** What core gives the server. */
export type GraphqlContext = Context<GraphqlShape>;
/** One operation and what becomes of it. */
export type GraphqlExchange = ExchangeFor<GraphqlShape>;
/** A mock that answers an operation. */
export type GraphqlMatch = MatchOf<GraphqlShape>;
/** What core decided about an operation. */
export type GraphqlOutcome = OutcomeFor<GraphqlShape>;
/** A fault that fires in place of an answer. */
export type GraphqlFault = Extract<GraphqlOutcome, { type: 'fault' }>;
