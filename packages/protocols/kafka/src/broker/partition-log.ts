import { RecordBatch } from '../wire/batch.js';
import { ProducerStates, type SavedProducers } from './producer-states.js';

/** What one partition keeps; the oldest batches go first. */
export const RETENTION = { records: 100_000, bytes: 32 * 1024 * 1024 } as const;

/** Dropped batches stay in the list until so many are at its front, so that dropping one costs nothing. */
const WORTH_CUTTING = 256;

/** A batch at its place. Never changes. */
export interface StoredBatch {
  readonly baseOffset: number;
  readonly lastOffset: number;
  /** -1 for none. */
  readonly maxTimestamp: number;
  readonly bytes: Buffer;
}

/** A picture of a partition. */
export interface SavedPartition {
  readonly batches: readonly StoredBatch[];
  readonly startOffset: number;
  readonly endOffset: number;
  readonly producers: SavedProducers;
}

/** An offset with the time of its record. */
export interface TimedOffset {
  readonly offset: number;
  readonly timestamp: number;
}

const NOWHERE: TimedOffset = { offset: -1, timestamp: -1 };

/** The log of one partition: batches in order, the oldest dropped beyond {@link RETENTION}. */
export class PartitionLog {
  readonly producers = new ProducerStates();
  /** The first offset that can be read. */
  startOffset = 0;
  /** The offset of the next record. */
  endOffset = 0;
  /** Bytes held. */
  bytes = 0;
  #batches: (StoredBatch | undefined)[] = [];
  #first = 0;
  readonly #waiting = new Set<() => void>();

  /**
   * Appends a batch, which belongs to the log from then on, and wakes who waits for one.
   *
   * @returns the offset of its first record
   */
  append(batch: RecordBatch): number {
    const baseOffset = this.endOffset;
    const lastOffset = baseOffset + batch.lastOffsetDelta;
    batch.placeAt(baseOffset);
    this.#batches.push({ baseOffset, lastOffset, maxTimestamp: batch.maxTimestamp, bytes: batch.bytes });
    this.bytes += batch.bytes.length;
    this.endOffset = lastOffset + 1;
    this.producers.stored(batch, baseOffset);
    this.#retain();
    if (this.#waiting.size > 0) this.wake();
    return baseOffset;
  }

  /**
   * The batches from the one that holds an offset on.
   *
   * @param most - bytes; the first batch is given whatever its size when `whole` is true
   */
  read(offset: number, most: number, whole: boolean): Buffer[] {
    const found: Buffer[] = [];
    let left = most;
    for (let index = this.#find(offset); index < this.#batches.length; index += 1) {
      const bytes = this.#batches[index]?.bytes;
      if (bytes === undefined) continue;
      if (bytes.length > left && !(whole && found.length === 0)) break;
      found.push(bytes);
      left -= bytes.length;
    }
    return found;
  }

  /** How many bytes {@link read} could give from an offset on, counted no further than `enough`. */
  readable(offset: number, enough: number): number {
    let total = 0;
    for (let index = this.#find(offset); index < this.#batches.length && total < enough; index += 1) {
      total += this.#batches[index]?.bytes.length ?? 0;
    }
    return total;
  }

  /** The first record at or after a time. */
  offsetAt(timestamp: number): TimedOffset {
    for (const batch of this.#live()) {
      if (batch.maxTimestamp < timestamp) continue;
      const records = new RecordBatch(batch.bytes).records();
      const index = records.findIndex((record) => record.timestamp >= timestamp);
      const record = records[index];
      if (record !== undefined) return { offset: batch.baseOffset + index, timestamp: record.timestamp };
    }
    return NOWHERE;
  }

  /** The record with the latest time. */
  latest(): TimedOffset {
    let best: StoredBatch | undefined;
    for (const batch of this.#live()) {
      if (best === undefined || batch.maxTimestamp > best.maxTimestamp) best = batch;
    }
    return best === undefined ? NOWHERE : this.offsetAt(best.maxTimestamp);
  }

  /** Drops what is below an offset, batch by batch; reading begins there. */
  deleteBefore(offset: number): void {
    this.startOffset = Math.max(this.startOffset, offset);
    while (this.#first < this.#batches.length) {
      const batch = this.#batches[this.#first];
      if (batch !== undefined && batch.lastOffset >= offset) break;
      this.#dropFirst();
    }
  }

  /** Drops the oldest eighth: for a bound on all partitions together. */
  shrink(): void {
    const goal = this.bytes - Math.ceil(this.bytes / 8);
    while (this.bytes > goal) this.#dropFirst();
  }

  /** Calls back once something is appended, or the topic goes. @returns a function that ends it */
  onAppend(callback: () => void): () => void {
    this.#waiting.add(callback);
    return () => this.#waiting.delete(callback);
  }

  /** Calls everybody back who waits. */
  wake(): void {
    for (const callback of [...this.#waiting]) callback();
  }

  save(): SavedPartition {
    const { startOffset, endOffset } = this;
    return { batches: [...this.#live()], startOffset, endOffset, producers: this.producers.save() };
  }

  static restore(saved: SavedPartition): PartitionLog {
    const log = new PartitionLog();
    log.#batches = [...saved.batches];
    log.startOffset = saved.startOffset;
    log.endOffset = saved.endOffset;
    log.bytes = saved.batches.reduce((sum, batch) => sum + batch.bytes.length, 0);
    log.producers.restore(saved.producers);
    return log;
  }

  *#live(): Generator<StoredBatch> {
    for (let index = this.#first; index < this.#batches.length; index += 1) {
      const batch = this.#batches[index];
      if (batch !== undefined) yield batch;
    }
  }

  #retain(): void {
    while (
      this.#batches.length - this.#first > 1 &&
      (this.bytes > RETENTION.bytes || this.endOffset - this.startOffset > RETENTION.records)
    ) {
      this.#dropFirst();
    }
  }

  #dropFirst(): void {
    const batch = this.#batches[this.#first];
    if (batch === undefined) return;
    this.#batches[this.#first] = undefined;
    this.#first += 1;
    this.bytes -= batch.bytes.length;
    this.startOffset = Math.max(this.startOffset, batch.lastOffset + 1);
    if (this.#first < WORTH_CUTTING || this.#first * 2 < this.#batches.length) return;
    this.#batches = this.#batches.slice(this.#first);
    this.#first = 0;
  }

  /** Where the batch stands that holds an offset, or the next one after it. */
  #find(offset: number): number {
    let low = this.#first;
    let high = this.#batches.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const batch = this.#batches[middle];
      if (batch !== undefined && batch.lastOffset < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
