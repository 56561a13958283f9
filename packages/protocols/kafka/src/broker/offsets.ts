/** How far a group has read one partition. */
export interface CommittedOffset {
  readonly offset: number;
  readonly leaderEpoch: number;
  readonly metadata: string | null;
}

/** A picture of the offsets of a group. */
export type SavedOffsets = readonly (readonly [string, readonly (readonly [number, CommittedOffset])[]])[];

/** The offsets that a group has committed, by topic and partition. */
export class Offsets {
  readonly #topics = new Map<string, Map<number, CommittedOffset>>();

  get isEmpty(): boolean {
    return this.#topics.size === 0;
  }

  commit(topic: string, partition: number, committed: CommittedOffset): void {
    let partitions = this.#topics.get(topic);
    if (partitions === undefined) this.#topics.set(topic, (partitions = new Map<number, CommittedOffset>()));
    partitions.set(partition, committed);
  }

  get(topic: string, partition: number): CommittedOffset | undefined {
    return this.#topics.get(topic)?.get(partition);
  }

  /** Every topic with the partitions that were committed. */
  all(): readonly { readonly name: string; readonly partitionIndexes: readonly number[] }[] {
    return Array.from(this.#topics, ([name, partitions]) => ({
      name,
      partitionIndexes: [...partitions.keys()],
    }));
  }

  forget(topic: string): void {
    this.#topics.delete(topic);
  }

  save(): SavedOffsets {
    return Array.from(this.#topics, ([topic, partitions]) => [topic, [...partitions]] as const);
  }

  static restore(saved: SavedOffsets): Offsets {
    const offsets = new Offsets();
    for (const [topic, partitions] of saved) offsets.#topics.set(topic, new Map(partitions));
    return offsets;
  }
}
