import { timers, type JobQueue } from '@backlot/kit';
import { makeMarker, type RecordBatch } from '../wire/batch.js';
import { drain } from '../wire/drain.js';
import { ERROR } from '../wire/errors.js';
import type { Broker, OpenTransaction } from './broker.js';
import type { Groups } from './groups.js';
import { sizeOf } from './offsets.js';
import type { Topic } from './topic.js';
import {
  claimOf,
  keyOfPartition,
  Work,
  type InitAnswer,
  type PendingOffset,
  type ProducerClaim,
  type SavedTransaction,
  type SavedTransactions,
  type TopicPartition,
  type Transaction,
  type TransactionMark,
} from './transaction.js';
import { MAX_IDS, TransactionalIds } from './transactional-ids.js';
import { UnstableOffsets } from './unstable-offsets.js';

const MAX_ID_LENGTH = 1000;
/** Partitions of all open transactions. */
const MAX_PARTITIONS = 100_000;
/** The longest time-out that a producer may ask for, in ms: Kafka's own default. */
export const MAX_TIMEOUT = 900_000;
/** Markers that are written in one step. */
const AT_ONCE = 32;

/** What the coordinator works with. */
export interface TransactionsOptions {
  readonly broker: Broker;
  readonly groups: Groups;
  readonly jobs: JobQueue;
  nextProducerId(): number;
  /** Milliseconds since 1970. */
  now(): number;
}

/** The coordinator of transactions (KIP-98, KIP-360). */
export class Transactions {
  /** Its snapshots are plain data. */
  readonly passes = 'plain';
  readonly #options: TransactionsOptions;
  readonly #ids: TransactionalIds;
  readonly #unstable = new UnstableOffsets();
  #partitions = 0;

  constructor(options: TransactionsOptions) {
    this.#options = options;
    this.#ids = new TransactionalIds(() => options.nextProducerId());
  }

  /** Those that are known, for people and tools that list them. */
  get known(): readonly Transaction[] {
    return this.#ids.shown;
  }

  /** A transactional id that is known. */
  find(id: string): Transaction | undefined {
    const found = this.#ids.find(id);
    return found?.isHidden === true ? undefined : found;
  }

  /** Gives a producer its id and epoch, and fences the one before. @param expected - what it had, after an error */
  init(id: string, timeout: number, expected: { readonly id: number; readonly epoch: number }): InitAnswer {
    if (id === '' || id.length > MAX_ID_LENGTH) return { errorCode: ERROR.INVALID_REQUEST };
    if (timeout < 1 || timeout > MAX_TIMEOUT) return { errorCode: ERROR.INVALID_TRANSACTION_TIMEOUT };
    const transaction = this.#ids.open(id);
    if (transaction === undefined) return { errorCode: ERROR.POLICY_VIOLATION };
    const goesOn = expected.id >= 0;
    const isOther = goesOn && transaction.epoch >= 0 && expected.id !== transaction.producerId;
    if (isOther) return { errorCode: ERROR.PRODUCER_FENCED };
    const { epoch, lastEpoch } = transaction;
    const isKnown = !goesOn || epoch < 0 || expected.epoch === epoch || expected.epoch === lastEpoch;
    if (!isKnown) return { errorCode: ERROR.PRODUCER_FENCED };
    if (transaction.isEnding) return { errorCode: ERROR.CONCURRENT_TRANSACTIONS };
    if (transaction.state === 'Ongoing') {
      // The client asks again, and is given the epoch after the one that fences.
      this.#fence(transaction);
      return { errorCode: ERROR.CONCURRENT_TRANSACTIONS };
    }
    this.#ids.renew(transaction);
    transaction.timeout = timeout;
    const isRetry = goesOn && epoch >= 0 && expected.epoch === lastEpoch && lastEpoch !== epoch;
    if (!isRetry) this.#ids.bump(transaction, goesOn);
    transaction.state = 'Empty';
    return { producerId: transaction.producerId, producerEpoch: transaction.epoch };
  }

  /** Adds partitions, all or none. @returns an error code */
  addPartitions(claim: ProducerClaim, partitions: readonly TopicPartition[]): number {
    const found = this.#ids.claimed(claim);
    if (typeof found === 'number') return found;
    if (found.isEnding) return ERROR.CONCURRENT_TRANSACTIONS;
    return this.#include(found, partitions);
  }

  /** Adds the offsets of a group. @returns an error code */
  addGroup(claim: ProducerClaim, groupId: string): number {
    const found = this.#ids.claimed(claim);
    if (typeof found === 'number') return found;
    if (found.isEnding) return ERROR.CONCURRENT_TRANSACTIONS;
    if (found.work.groups.size >= MAX_IDS) return ERROR.POLICY_VIOLATION;
    this.#begin(found);
    found.work.groups.add(groupId);
    return ERROR.NONE;
  }

  /** Whether a group's offsets may be noted. @returns an error code */
  checkGroup(claim: ProducerClaim, groupId: string): number {
    const found = this.#ids.claimed(claim);
    if (typeof found === 'number')
      return found === ERROR.PRODUCER_FENCED ? ERROR.INVALID_PRODUCER_EPOCH : found;
    const isOpen = found.state === 'Ongoing' && found.work.groups.has(groupId);
    return isOpen ? ERROR.NONE : ERROR.INVALID_TXN_STATE;
  }

  /** Notes an offset that counts when the transaction is committed. @returns whether there was room for it */
  addOffset({ transactionalId }: ProducerClaim, offset: PendingOffset): boolean {
    const work = this.#ids.find(transactionalId)?.work;
    if (work === undefined || !this.#options.groups.reserve(sizeOf(offset.committed))) return false;
    const key = `${offset.groupId}\0${offset.topic}/${offset.partition}`;
    this.#dropOffset(work.offsets.get(key));
    work.offsets.set(key, offset);
    this.#unstable.change(offset, 1);
    return true;
  }

  /** Whether an offset of a group waits for the end of a transaction. */
  isUnstable(groupId: string, topic: string, partition: number): boolean {
    return this.#unstable.has(groupId, topic, partition);
  }

  /** Commits or aborts, in steps. @returns an error code */
  *end(claim: ProducerClaim, isCommit: boolean): Generator<undefined, number> {
    const transaction = this.#ids.claimed(claim);
    if (typeof transaction === 'number') return transaction;
    const { state } = transaction;
    if (state === 'Ongoing') {
      yield* this.#complete(transaction, isCommit);
      return ERROR.NONE;
    }
    if (state === (isCommit ? 'CompleteCommit' : 'CompleteAbort')) return ERROR.NONE;
    return state === (isCommit ? 'PrepareCommit' : 'PrepareAbort')
      ? ERROR.CONCURRENT_TRANSACTIONS
      : ERROR.INVALID_TXN_STATE;
  }

  /** Whether a batch may be stored. @param transactionalId - of the request. @returns an error code */
  check(batch: RecordBatch, transactionalId: string | null, topic: Topic, partition: number): number {
    const transaction = this.#ids.ofProducer(batch.producerId);
    if (!batch.isTransactional) {
      const isInside = topic.partitions[partition]?.openSince(batch.producerId) !== undefined;
      return transaction !== undefined && isInside ? ERROR.INVALID_TXN_STATE : ERROR.NONE;
    }
    if (transactionalId === null) return ERROR.TRANSACTIONAL_ID_AUTHORIZATION_FAILED;
    if (transaction?.id !== transactionalId) return ERROR.INVALID_PRODUCER_ID_MAPPING;
    if (batch.producerEpoch !== transaction.epoch) return ERROR.INVALID_PRODUCER_EPOCH;
    const isAdded = transaction.work.partitions.has(keyOfPartition(topic.id, partition));
    return transaction.state === 'Ongoing' && isAdded ? ERROR.NONE : ERROR.INVALID_TXN_STATE;
  }

  /** The open transaction that a batch is a part of, for what a mock adds to it. */
  openOf(batch: RecordBatch): OpenTransaction | undefined {
    const transaction = batch.isTransactional ? this.#ids.ofProducer(batch.producerId) : undefined;
    if (transaction === undefined) return undefined;
    const { producerId, producerEpoch: epoch } = batch;
    const { work } = transaction;
    return {
      producerId,
      epoch,
      add: (topic, partition) => {
        const isOpen = transaction.state === 'Ongoing' && transaction.work === work;
        const added = { topicId: topic.id, topic: topic.name, partition };
        const error = isOpen ? this.#include(transaction, [added]) : ERROR.INVALID_TXN_STATE;
        if (error === ERROR.NONE) return undefined;
        return {
          error,
          message: `the transaction of ${JSON.stringify(transaction.id)} takes no more records`,
        };
      },
    };
  }

  /** What is known of the transaction that a batch is a part of. */
  markOf(batch: RecordBatch): TransactionMark | undefined {
    return batch.isTransactional ? this.#ids.ofProducer(batch.producerId)?.work.mark : undefined;
  }

  save(): SavedTransactions {
    return this.#ids.shown.map(({ work, id, producerId, epoch, lastEpoch, timeout, state }) => ({
      ...{ id, producerId, epoch, lastEpoch, timeout, state },
      mark: work.mark,
      startedAt: work.startedAt,
      partitions: [...work.partitions.values()],
      groups: [...work.groups],
      offsets: [...work.offsets.values()],
    }));
  }

  /** Puts back what was saved. Producers that are not in it can go on with their ids: their clients stay connected. */
  restore(saved: SavedTransactions): void {
    this.dissolve();
    for (const transaction of this.#ids.all()) transaction.isHidden = true;
    for (const each of saved) this.#resume(this.#ids.restore(each), each);
  }

  /** Ends all work without a trace. */
  dissolve(): void {
    for (const transaction of this.#ids.all()) {
      transaction.work.timer?.cancel();
      transaction.work = new Work(transaction.id);
      if (transaction.isEnding) transaction.state = 'Empty';
    }
    this.#unstable.clear();
    this.#partitions = 0;
  }

  #resume(transaction: Transaction, saved: SavedTransaction): void {
    const { mark, startedAt, partitions, groups, offsets } = saved;
    mark.outcome = 'open';
    const work = new Work(transaction.id, mark);
    transaction.work = work;
    for (const partition of partitions) {
      work.partitions.set(keyOfPartition(partition.topicId, partition.partition), partition);
    }
    this.#partitions += partitions.length;
    for (const group of groups) work.groups.add(group);
    for (const offset of offsets) this.addOffset(claimOf(transaction), offset);
    if (transaction.isEnding) drain(this.#complete(transaction, transaction.state === 'PrepareCommit'));
    else if (transaction.state === 'Ongoing') this.#start(transaction);
    work.startedAt = startedAt;
  }

  #include(transaction: Transaction, partitions: readonly TopicPartition[]): number {
    if (this.#partitions + partitions.length > MAX_PARTITIONS) return ERROR.POLICY_VIOLATION;
    this.#begin(transaction);
    const { work } = transaction;
    const before = work.partitions.size;
    for (const added of partitions)
      work.partitions.set(keyOfPartition(added.topicId, added.partition), added);
    this.#partitions += work.partitions.size - before;
    return ERROR.NONE;
  }

  #begin(transaction: Transaction): void {
    transaction.isHidden = false;
    // After a reset it may be under way with nothing in it.
    if (transaction.state !== 'Ongoing' || !transaction.isBusy) this.#start(transaction);
  }

  #start(transaction: Transaction): void {
    transaction.state = 'Ongoing';
    transaction.work.startedAt = this.#options.now();
    const onPassed = (): void => this.#fence(transaction);
    transaction.work.timer = timers.after(transaction.timeout, onPassed, { unref: true });
  }

  /** Aborts what is under way, with an epoch that the producer does not have. */
  #fence(transaction: Transaction): void {
    transaction.epoch += 1;
    transaction.lastEpoch = -1;
    // At once, so that neither a time-out nor another producer fences it a second time.
    transaction.state = 'PrepareAbort';
    transaction.work.timer?.cancel();
    this.#options.jobs.add(this.#complete(transaction, false));
  }

  *#complete(
    transaction: Transaction,
    isCommit: boolean,
    work = transaction.work,
  ): Generator<undefined, void> {
    // A reset came before its turn.
    if (transaction.work !== work) return;
    const { producerId, epoch } = transaction;
    transaction.state = isCommit ? 'PrepareCommit' : 'PrepareAbort';
    work.timer?.cancel();
    const options = this.#options;
    const { broker, groups } = options;
    let steps = 0;
    for (const { topicId, partition } of work.partitions.values()) {
      const log = broker.findById(topicId)?.partitions[partition];
      if (log !== undefined) broker.append(log, makeMarker({ producerId, epoch }, isCommit, options.now()));
      steps += 1;
      if (steps % AT_ONCE === 0) yield;
      // A reset has come in between.
      if (transaction.work !== work) return;
    }
    for (const offset of work.offsets.values()) {
      this.#dropOffset(offset);
      const { groupId, topic, partition, committed } = offset;
      const group = isCommit && broker.find(topic) !== undefined ? groups.open(groupId) : undefined;
      if (group !== undefined) groups.commit(group, topic, partition, committed);
      steps += 1;
      if (steps % AT_ONCE === 0) yield;
      if (transaction.work !== work) return;
    }
    this.#partitions -= work.partitions.size;
    work.mark.outcome = isCommit ? 'committed' : 'aborted';
    transaction.work = new Work(transaction.id);
    transaction.state = isCommit ? 'CompleteCommit' : 'CompleteAbort';
  }

  #dropOffset(offset: PendingOffset | undefined): void {
    if (offset === undefined) return;
    this.#options.groups.release(sizeOf(offset.committed));
    this.#unstable.change(offset, -1);
  }
}
