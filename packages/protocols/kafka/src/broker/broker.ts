import { randomBytes } from 'node:crypto';
import { ERROR } from '../wire/errors.js';
import { makeBatch, type NewRecord, type RecordBatch, type TransactionalProducer } from '../wire/batch.js';
import { PartitionLog } from './partition-log.js';
import { problemOfTopicName } from './topic-name.js';
import { Topic, type SavedTopic } from './topic.js';

/** Partitions that one topic may have. */
export const MAX_PARTITIONS = 1000;
/** Partitions that all topics together may have. */
const MAX_PARTITIONS_IN_ALL = 50_000;
/** Bytes that all logs together may hold; beyond it the largest log loses its oldest records. */
const MAX_BYTES_IN_ALL = 256 * 1024 * 1024;

/** A snapshot of all topics. */
export type SavedTopics = readonly SavedTopic[];

/** Why a topic was not made. */
export interface Refusal {
  readonly error: number;
  readonly message: string;
}

/** A transaction that records of our own can be a part of. */
export interface OpenTransaction extends TransactionalProducer {
  /** Adds a partition to it, or says why not. */
  add(topic: Topic, partition: number): Refusal | undefined;
}

/** What a broker is made of. */
export interface BrokerOptions {
  /** How many partitions a new topic has when nobody says. */
  partitionsOf(topic: string): number;
  /** Milliseconds since 1970, for records of our own. */
  now(): number;
}

/** Topics and their logs, in memory. */
export class Broker {
  /** Its snapshots are plain data. */
  readonly passes = 'plain';
  readonly #options: BrokerOptions;
  #topics = new Map<string, Topic>();
  #byId = new Map<string, Topic>();
  #partitions = 0;
  #bytes = 0;
  /** Told of every new topic, before anybody else can see it. */
  onCreated: (topic: Topic) => void = () => undefined;
  /** Told of every topic that was deleted. */
  onDeleted: (name: string) => void = () => undefined;

  constructor(options: BrokerOptions) {
    this.#options = options;
  }

  /** How many topics there are. */
  get size(): number {
    return this.#topics.size;
  }

  /** All topics, in the order in which they came to be. */
  get topics(): Iterable<Topic> {
    return this.#topics.values();
  }

  find(name: string): Topic | undefined {
    return this.#topics.get(name);
  }

  findById(id: string): Topic | undefined {
    return this.#byId.get(id);
  }

  /** Makes a topic, or says why not. @param partitions - as configured when absent */
  create(
    name: string,
    partitions = this.#options.partitionsOf(name),
    configs: Iterable<readonly [string, string | null]> = [],
  ): Topic | Refusal {
    const refusal = this.refusalOf(name, partitions);
    if (refusal !== undefined) return refusal;
    const topic = new Topic(name, randomBytes(16).toString('hex'), partitions, configs);
    this.#add(topic);
    this.onCreated(topic);
    return topic;
  }

  /** Why a topic cannot be made; `undefined` when it can. */
  refusalOf(name: string, partitions: number): Refusal | undefined {
    const problem = problemOfTopicName(name);
    if (problem !== undefined) return { error: ERROR.INVALID_TOPIC_EXCEPTION, message: problem };
    if (this.#topics.has(name)) {
      return { error: ERROR.TOPIC_ALREADY_EXISTS, message: `Topic '${name}' already exists.` };
    }
    return this.#refusalOfPartitions(partitions, partitions);
  }

  /** Gives a topic more partitions, or says why not. */
  grow(topic: Topic, partitions: number): Refusal | undefined {
    const refusal = this.refusalToGrow(topic, partitions);
    if (refusal !== undefined) return refusal;
    this.#partitions += partitions - topic.partitions.length;
    while (topic.partitions.length < partitions) topic.partitions.push(new PartitionLog());
    return undefined;
  }

  /** Why a topic cannot have so many partitions; `undefined` when it can. */
  refusalToGrow(topic: Topic, partitions: number): Refusal | undefined {
    const more = partitions - topic.partitions.length;
    if (more > 0) return this.#refusalOfPartitions(partitions, more);
    return {
      error: ERROR.INVALID_PARTITIONS,
      message: `Topic '${topic.name}' has ${topic.partitions.length} partitions; ask for more, not for ${partitions}.`,
    };
  }

  delete(topic: Topic): void {
    topic.isGone = true;
    this.#topics.delete(topic.name);
    this.#byId.delete(topic.id);
    this.#partitions -= topic.partitions.length;
    for (const log of topic.partitions) {
      this.#bytes -= log.bytes;
      log.isGone = true;
      log.wake();
    }
    this.onDeleted(topic.name);
  }

  /** Appends a batch, which belongs to the log from then on. @returns the offset of its first record */
  append(log: PartitionLog, batch: RecordBatch): number {
    const before = log.bytes;
    const offset = log.append(batch);
    this.#bytes += log.bytes - before;
    if (this.#bytes > MAX_BYTES_IN_ALL) this.#shrink();
    return offset;
  }

  /** Drops records below an offset. */
  deleteBefore(log: PartitionLog, offset: number): void {
    const before = log.bytes;
    log.deleteBefore(offset);
    this.#bytes += log.bytes - before;
  }

  /**
   * Appends a record of our own to a topic, which comes to be if need be.
   *
   * @param partition - chosen by the key when absent; a topic with fewer partitions gets more
   * @param within - the transaction that the record is to be a part of; none when absent
   */
  publish(
    name: string,
    record: NewRecord,
    partition?: number,
    within?: OpenTransaction,
  ): Refusal | undefined {
    const topic = this.#topics.get(name) ?? this.create(name);
    return topic instanceof Topic ? this.publishTo(topic, record, partition, within) : topic;
  }

  /** {@link publish} to a topic at hand. */
  publishTo(
    topic: Topic,
    record: NewRecord,
    partition?: number,
    within?: OpenTransaction,
  ): Refusal | undefined {
    if (partition !== undefined && partition >= topic.partitions.length) {
      const refusal = this.grow(topic, partition + 1);
      if (refusal !== undefined) return refusal;
    }
    const index = partition ?? topic.choosePartition(record.key);
    const log = topic.partitions[index];
    const refusal = within?.add(topic, index);
    if (refusal !== undefined) return refusal;
    if (log !== undefined) this.append(log, makeBatch([record], this.#options.now(), within));
    return undefined;
  }

  save(): SavedTopics {
    return Array.from(this.#topics.values(), (topic) => topic.save());
  }

  restore(saved: SavedTopics): void {
    const before = [...this.#topics.values()];
    this.#topics = new Map();
    this.#byId = new Map();
    this.#partitions = 0;
    this.#bytes = 0;
    for (const topic of saved) this.#add(Topic.restore(topic));
    for (const topic of before) {
      topic.isGone = true;
      for (const log of topic.partitions) {
        log.isGone = true;
        log.wake();
      }
    }
  }

  #add(topic: Topic): void {
    this.#topics.set(topic.name, topic);
    this.#byId.set(topic.id, topic);
    this.#partitions += topic.partitions.length;
    for (const log of topic.partitions) this.#bytes += log.bytes;
  }

  #refusalOfPartitions(partitions: number, more: number): Refusal | undefined {
    if (!(partitions >= 1 && partitions <= MAX_PARTITIONS)) {
      return {
        error: ERROR.INVALID_PARTITIONS,
        message: `Number of partitions must be 1 to ${MAX_PARTITIONS}, got ${partitions}.`,
      };
    }
    if (this.#partitions + more <= MAX_PARTITIONS_IN_ALL) return undefined;
    return {
      error: ERROR.POLICY_VIOLATION,
      message: `There are ${this.#partitions} partitions; at most ${MAX_PARTITIONS_IN_ALL} in all topics together.`,
    };
  }

  #shrink(): void {
    let largest: PartitionLog | undefined;
    for (const topic of this.#topics.values()) {
      for (const log of topic.partitions) if (log.bytes > (largest?.bytes ?? 0)) largest = log;
    }
    if (largest === undefined) return;
    const before = largest.bytes;
    largest.shrink();
    this.#bytes += largest.bytes - before;
  }
}
