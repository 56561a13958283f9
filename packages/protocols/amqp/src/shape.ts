import type { Context, ExchangeFor, MatchOf, OutcomeFor, ValueOf } from '@backlot/core/plugin';
import type { AmqpMessage } from './message.js';
import type { CompiledAmqp } from './matcher.js';
import type { MockFinder } from './mock-index.js';
import type { CaptureSchema, ConfigSchema, FaultSchema, MockSchema } from './schemas.js';

/** The protocol as types. */
interface AmqpShape {
  readonly config: typeof ConfigSchema;
  readonly mock: typeof MockSchema;
  readonly compiled: CompiledAmqp;
  readonly message: AmqpMessage;
  readonly fault: typeof FaultSchema;
  readonly capture: typeof CaptureSchema;
  readonly index: MockFinder;
}

export type AmqpContext = Context<AmqpShape>;
export type AmqpExchange = ExchangeFor<AmqpShape>;
export type AmqpMatch = MatchOf<AmqpShape>;
export type AmqpOutcome = OutcomeFor<AmqpShape>;
export type AmqpConfig = ValueOf<typeof ConfigSchema>;
