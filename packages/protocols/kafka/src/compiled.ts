import type { CompiledMock, Pattern, Template } from '@backlot/core/plugin';
import type { Content } from './content.js';
import type { KafkaMessage } from './message.js';

/** A record that a mock puts into topics. */
export interface CompiledRecord {
  readonly content: Content;
  readonly partition: number | undefined;
}

/** The record that a mock answers with. */
export interface CompiledResponse extends CompiledRecord {
  /** The topic, or what makes its name. */
  readonly topic: string | Template;
}

/** A compiled Kafka mock. */
export interface CompiledKafka extends CompiledMock<KafkaMessage> {
  readonly topic: Pattern;
  readonly records: readonly CompiledRecord[];
  /** Tells lists of records apart. */
  readonly fingerprint: string;
  /** Whether it can be as if absent without having changed. */
  readonly isConditional: boolean;
  /** Whether it is data alone, and nothing that arrives is matched against it. */
  readonly isPassive: boolean;
  readonly response: CompiledResponse | undefined;
}
