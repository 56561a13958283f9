import type { RecordBatch } from '../wire/batch.js';
import { ERROR } from '../wire/errors.js';

/** A retry is recognised among so many of a producer's last batches, as producers have no more under way. */
const BATCHES_KEPT = 5;
/** Producers remembered in one partition; the one that has been silent the longest goes first. */
const PRODUCERS_KEPT = 1000;
const SEQUENCES = 2 ** 31;

interface SentBatch {
  readonly first: number;
  readonly last: number;
  readonly offset: number;
}

/** One idempotent producer. Never changes. */
interface ProducerState {
  readonly epoch: number;
  /** Of its latest record, in ms since 1970. */
  readonly timestamp: number;
  /** Oldest first. */
  readonly batches: readonly SentBatch[];
}

/** A producer, as tools that list them show it. */
export interface ActiveProducer {
  readonly producerId: number;
  readonly epoch: number;
  readonly lastSequence: number;
  readonly timestamp: number;
}

/** A snapshot of the producers of a partition. */
export type SavedProducers = readonly (readonly [number, ProducerState])[];

/** What becomes of a batch: it is new, an error, or was stored before at this offset. */
export type Sequencing = 'new' | { readonly error: number } | { readonly storedAt: number };

/** The sequence numbers of the idempotent producers of one partition (KIP-98). */
export class ProducerStates {
  #states = new Map<number, ProducerState>();

  /** Says what becomes of a batch. */
  check(batch: RecordBatch): Sequencing {
    const { producerId, producerEpoch: epoch, baseSequence: first } = batch;
    if (producerId < 0) return 'new';
    const state = this.#states.get(producerId);
    // A producer that is not known, or no more, may begin anywhere: its records may have been dropped.
    if (state === undefined) return 'new';
    if (epoch < state.epoch) return { error: ERROR.INVALID_PRODUCER_EPOCH };
    if (epoch > state.epoch) return first === 0 ? 'new' : { error: ERROR.OUT_OF_ORDER_SEQUENCE_NUMBER };
    const last = lastSequence(batch);
    const same = state.batches.find((sent) => sent.first === first && sent.last === last);
    if (same !== undefined) return { storedAt: same.offset };
    const newest = state.batches.at(-1);
    if (newest === undefined || first === (newest.last + 1) % SEQUENCES) return 'new';
    return {
      error: last <= newest.last ? ERROR.DUPLICATE_SEQUENCE_NUMBER : ERROR.OUT_OF_ORDER_SEQUENCE_NUMBER,
    };
  }

  /** Remembers a batch that was stored. */
  stored(batch: RecordBatch, offset: number): void {
    const { producerId, producerEpoch: epoch, baseSequence: first } = batch;
    // What mocks add to a transaction has no place in its producer's sequence.
    if (producerId < 0 || first < 0) return;
    const state = this.#states.get(producerId);
    const before = state?.epoch === epoch ? state.batches.slice(1 - BATCHES_KEPT) : [];
    this.#states.delete(producerId);
    this.#states.set(producerId, {
      epoch,
      timestamp: batch.maxTimestamp,
      batches: [...before, { first, last: lastSequence(batch), offset }],
    });
    if (this.#states.size <= PRODUCERS_KEPT) return;
    for (const [silent] of this.#states) {
      this.#states.delete(silent);
      break;
    }
  }

  /** Those that are remembered, the one that has been silent the longest first. */
  list(): readonly ActiveProducer[] {
    return Array.from(this.#states, ([producerId, { epoch, timestamp, batches }]) => ({
      producerId,
      epoch,
      lastSequence: batches.at(-1)?.last ?? -1,
      timestamp,
    }));
  }

  save(): SavedProducers {
    return [...this.#states];
  }

  restore(saved: SavedProducers): void {
    this.#states = new Map(saved);
  }
}

function lastSequence(batch: RecordBatch): number {
  return (batch.baseSequence + batch.lastOffsetDelta) % SEQUENCES;
}
