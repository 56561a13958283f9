import type { Context, ExchangeFor, Shape } from '@backlot/core/plugin';
import type { KafkaMessage } from './message.js';
import type { CompiledKafka } from './compiled.js';
import type { CaptureSchema, ConfigSchema, FaultSchema, MockSchema } from './schemas.js';
import type { TopicIndex } from './mock-index.js';

/** The protocol as types. */
export interface KafkaShape extends Shape {
  readonly config: typeof ConfigSchema;
  readonly mock: typeof MockSchema;
  readonly compiled: CompiledKafka;
  readonly message: KafkaMessage;
  readonly fault: typeof FaultSchema;
  readonly capture: typeof CaptureSchema;
  readonly index: TopicIndex;
}

/** What the protocol is given. */
export type KafkaContext = Context<KafkaShape>;

/** One record on its way. */
export type KafkaExchange = ExchangeFor<KafkaShape>;
