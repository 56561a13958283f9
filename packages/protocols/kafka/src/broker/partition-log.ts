import { RecordBatch } from '../wire/batch.js';
import {
  LogTransactions,
  NO_TRANSACTIONS,
  type AbortedTransaction,
  type SavedLogTransactions,
} from './log-transactions.js';
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
  /** How many bytes all batches before it had. */
  readonly position: number;
}

/** A snapshot of a partition. */
export interface SavedPartition {
  readonly batches: readonly StoredBatch[];
  readonly startOffset: number;
  readonly endOffset: number;
  readonly producers: SavedProducers;
  readonly transactions: SavedLogTransactions;
}

/** Batches that were read. */
export interface Batches {
  readonly bytes: readonly Buffer[];
  /** The offset behind them. */
  readonly nextOffset: number;
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
  /** Whether its topic was deleted. */
  isGone = false;
  /** Made with the first record of a transaction. */
  #transactions: LogTransactions | undefined;
  #batches: (StoredBatch | undefined)[] = [];
  #first = 0;
  /** Bytes of all batches there ever were. */
  #position = 0;
  /** The highest time up to each batch, from the first one that was there when somebody asked. */
  #highest: { readonly first: StoredBatch; readonly times: number[] } | undefined;
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
    const { maxTimestamp, bytes } = batch;
    this.#batches.push({ baseOffset, lastOffset, maxTimestamp, bytes, position: this.#position });
    this.#position += bytes.length;
    this.bytes += bytes.length;
    this.endOffset = lastOffset + 1;
    if (batch.isTransactional) this.#follow(batch, baseOffset);
    else this.producers.stored(batch, baseOffset);
    this.#retain();
    if (this.#waiting.size > 0) this.wake();
    return baseOffset;
  }

  /** The end of what is decided: the first offset of an open transaction, or the end of the log. */
  get lastStableOffset(): number {
    const open = this.#transactions?.firstOpen;
    return open === undefined ? this.endOffset : Math.max(open, this.startOffset);
  }

  /** Where the open transaction of a producer begins; `undefined` when it has none here. */
  openSince(producerId: number): number | undefined {
    return this.#transactions?.openSince(producerId);
  }

  /** The aborted transactions that readers of a range have to know. */
  abortedBetween(from: number, until: number): readonly AbortedTransaction[] {
    return this.#transactions?.abortedBetween(from, until) ?? [];
  }

  /**
   * The batches from the one that holds an offset on.
   *
   * @param most - bytes; the first batch is given whatever its size when `whole` is true
   * @param end - the offset before which reading ends
   */
  read(offset: number, most: number, whole: boolean, end: number): Batches {
    const found: Buffer[] = [];
    let left = most;
    let nextOffset = offset;
    for (let index = this.#find(offset); index < this.#batches.length; index += 1) {
      const batch = this.#batches[index];
      if (batch === undefined) continue;
      const { bytes, baseOffset, lastOffset } = batch;
      if (baseOffset >= end || (bytes.length > left && !(whole && found.length === 0))) break;
      found.push(bytes);
      left -= bytes.length;
      nextOffset = lastOffset + 1;
    }
    return { bytes: found, nextOffset };
  }

  /** How many bytes {@link read} could give from an offset on. @param end - the offset before which reading ends */
  readable(offset: number, end: number): number {
    return Math.max(this.#positionOf(end) - this.#positionOf(offset), 0);
  }

  /** The first record at or after a time, in steps: its batch may have to be decompressed. */
  *offsetAt(timestamp: number): Generator<undefined, TimedOffset> {
    const times = this.#highestTimes();
    for (let index = firstAtLeast(times, timestamp); index < times.length; index += 1) {
      const batch = this.#batches[this.#first + index];
      if (batch === undefined || batch.maxTimestamp < timestamp) continue;
      const records = yield* new RecordBatch(batch.bytes).recordsInSteps();
      const place = records.findIndex((record) => record.timestamp >= timestamp);
      const record = records[place];
      if (record !== undefined) return { offset: batch.baseOffset + place, timestamp: record.timestamp };
      yield;
      // What it has looked at may be gone by now; it says nothing true about itself in any case.
      if (times !== this.#highestTimes()) return NOWHERE;
    }
    return NOWHERE;
  }

  /** The record with the latest time, in steps. */
  *latest(): Generator<undefined, TimedOffset> {
    const latest = this.#highestTimes().at(-1);
    return latest === undefined ? NOWHERE : yield* this.offsetAt(latest);
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
    return {
      batches: [...this.#live()],
      startOffset,
      endOffset,
      producers: this.producers.save(),
      transactions: this.#transactions?.save() ?? NO_TRANSACTIONS,
    };
  }

  static restore(saved: SavedPartition): PartitionLog {
    const log = new PartitionLog();
    for (const batch of saved.batches) {
      log.#batches.push({ ...batch, position: log.#position });
      log.#position += batch.bytes.length;
    }
    log.startOffset = saved.startOffset;
    log.endOffset = saved.endOffset;
    log.bytes = saved.batches.reduce((sum, batch) => sum + batch.bytes.length, 0);
    log.producers.restore(saved.producers);
    if (saved.transactions !== NO_TRANSACTIONS)
      log.#transactions = LogTransactions.restore(saved.transactions);
    return log;
  }

  /** A batch of a transaction was appended: one of its records, or the marker that ends it. */
  #follow(batch: RecordBatch, offset: number): void {
    this.#transactions ??= new LogTransactions();
    const { producerId } = batch;
    if (batch.isControl) return this.#transactions.end(producerId, offset, batch.isCommit, this.endOffset);
    this.#transactions.begin(producerId, offset);
    this.producers.stored(batch, offset);
  }

  #positionOf(offset: number): number {
    return this.#batches[this.#find(offset)]?.position ?? this.#position;
  }

  #highestTimes(): readonly number[] {
    const first = this.#batches[this.#first];
    if (first === undefined) return [];
    if (this.#highest?.first !== first) this.#highest = { first, times: [] };
    const { times } = this.#highest;
    for (let index = this.#first + times.length; index < this.#batches.length; index += 1) {
      times.push(Math.max(times.at(-1) ?? -Infinity, this.#batches[index]?.maxTimestamp ?? -Infinity));
    }
    return times;
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
    this.#transactions?.dropBefore(this.startOffset);
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

/** Where the first number stands that is not below another; they never fall. */
function firstAtLeast(numbers: readonly number[], least: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
