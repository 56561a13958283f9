/**
 * How an exchange has ended: a mock has answered it, it lacked one, a fault hit it, its client left first, or the kind has answered it by
 * itself, such as from its data.
 */
export type ExchangeOutcome = 'matched' | 'unmatched' | 'fault' | 'aborted' | 'own';

/** The exchanges of a kind that have ended in one way, since the host was made; a reset does not set them back. */
export interface OutcomeTally {
  readonly outcome: ExchangeOutcome;
  readonly count: number;
  /** How long they took together. */
  readonly milliseconds: number;
  /** How many took less than 1, 2, 4 ... 2^24 microseconds and not less than the one before; those that took longer at the end. */
  readonly buckets: readonly number[];
}
