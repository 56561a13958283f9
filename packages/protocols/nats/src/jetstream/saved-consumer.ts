import type { ConsumerConfig } from './consumer-config.js';

/** What a consumer is, in a form that snapshots keep. */
export interface SavedConsumer {
  readonly name: string;
  readonly config: ConsumerConfig;
  readonly created: number;
  readonly next: number;
  readonly first: readonly number[];
  readonly delivered: number;
  readonly floor: readonly [number, number];
  readonly pending: readonly (readonly [number, number])[];
  readonly counts: readonly (readonly [number, number])[];
}
