import { partitionOf } from '../wire/murmur2.js';
import { PartitionLog, type SavedPartition } from './partition-log.js';

/** A snapshot of a topic. */
export interface SavedTopic {
  readonly name: string;
  readonly id: string;
  readonly configs: readonly (readonly [string, string | null])[];
  readonly partitions: readonly SavedPartition[];
  readonly seeded: readonly (readonly [string, string])[];
  readonly turn: number;
}

/** A topic with its partitions. */
export class Topic {
  readonly name: string;
  /** 32 hexadecimal digits. */
  readonly id: string;
  readonly partitions: PartitionLog[];
  /** Settings that differ from the defaults. */
  readonly configs: Map<string, string | null>;
  /** Whose records were appended, by mock: which records they were. */
  readonly seeded = new Map<string, string>();
  /** Whether it was deleted. */
  isGone = false;
  #turn = 0;

  constructor(
    name: string,
    id: string,
    partitions: number,
    configs: Iterable<readonly [string, string | null]>,
  ) {
    this.name = name;
    this.id = id;
    this.partitions = Array.from({ length: partitions }, () => new PartitionLog());
    this.configs = new Map(configs);
  }

  /** Where a record of our own goes: by its key, as the Java client does it, or in turn. */
  choosePartition(key: Buffer | null): number {
    const count = this.partitions.length;
    if (key !== null) return partitionOf(key, count);
    this.#turn += 1;
    return (this.#turn - 1) % count;
  }

  save(): SavedTopic {
    return {
      name: this.name,
      id: this.id,
      configs: [...this.configs],
      partitions: this.partitions.map((partition) => partition.save()),
      seeded: [...this.seeded],
      turn: this.#turn,
    };
  }

  static restore(saved: SavedTopic): Topic {
    const topic = new Topic(saved.name, saved.id, 0, saved.configs);
    topic.partitions.push(...saved.partitions.map((partition) => PartitionLog.restore(partition)));
    for (const [mock, records] of saved.seeded) topic.seeded.set(mock, records);
    topic.#turn = saved.turn;
    return topic;
  }
}
