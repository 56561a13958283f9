import type { Clock } from '@backlot/core/plugin';
import type { Timers } from '@backlot/kit';
import type { Delivery } from '../subscription.js';
import type { Usage } from './message-store.js';

/** What streams and consumers need of the server around them. */
export interface Surroundings {
  /** Virtual time: ages, waits for acknowledgements, dates. */
  readonly clock: Clock;
  /** Real time: heartbeats, and how long requests wait, which clients watch by real time as well. */
  readonly timers: Pick<Timers, 'now' | 'after'>;
  readonly usage: Usage;
  /** The most bytes that all streams hold together. */
  readonly maxBytes: number;
  /** Sends a message to whoever has subscribed to a subject; it shows its own one. Says whether somebody got it. */
  send(to: string, delivery: Delivery): boolean;
  /** Publishes a message of the server's own, which streams take as well. */
  publish(subject: string, payload: string): void;
  /** Whether somebody has subscribed to a subject. */
  isHeard(subject: string): boolean;
  newId(): string;
  /** A number from 0 (inclusive) to 1 (exclusive). */
  roll(): number;
  /** Calls back in a later turn of the event loop. */
  later(callback: () => void): void;
  /** Does work that may be long, in slices; what fits into one is done at once. */
  run(steps: Iterator<unknown>): void;
  /** The number of consumers has grown or shrunk. */
  countConsumers(change: 1 | -1): void;
}

/** The most messages that all streams hold together, and streams, and consumers of all streams. */
export const MAX_MESSAGES = 100_000;
export const MAX_STREAMS = 1_000;
export const MAX_CONSUMERS = 5_000;
/** The most subjects that a stream holds messages of is its messages; consumers of one stream are these. */
export const MAX_CONSUMERS_OF_STREAM = 500;
