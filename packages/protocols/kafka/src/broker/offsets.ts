/** How far a group has read one partition. */
export interface CommittedOffset {
  readonly offset: number;
  readonly leaderEpoch: number;
  readonly metadata: string | null;
}

/** A snapshot of the offsets of a group. */
export type SavedOffsets = readonly (readonly [string, readonly (readonly [number, CommittedOffset])[]])[];

/** The offsets that a group has committed, by topic and partition. */
export class Offsets {
  readonly #topics = new Map<string, Map<number, CommittedOffset>>();

  get isEmpty(): boolean {
    return this.#topics.size === 0;
  }

  /** @returns by how many bytes it holds more */
  commit(topic: string, partition: number, committed: CommittedOffset): number {
    let partitions = this.#topics.get(topic);
    if (partitions === undefined) this.#topics.set(topic, (partitions = new Map<number, CommittedOffset>()));
    const before = partitions.get(partition);
    partitions.set(partition, committed);
    return sizeOf(committed) - (before === undefined ? 0 : sizeOf(before));
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

  /** @returns by how many bytes it holds less */
  forget(topic: string): number {
    let bytes = 0;
    for (const committed of this.#topics.get(topic)?.values() ?? []) bytes += sizeOf(committed);
    this.#topics.delete(topic);
    return bytes;
  }

  /** Forgets one partition. @returns by how many bytes it holds less */
  delete(topic: string, partition: number): number {
    const partitions = this.#topics.get(topic);
    const committed = partitions?.get(partition);
    if (partitions === undefined || committed === undefined) return 0;
    partitions.delete(partition);
    if (partitions.size === 0) this.#topics.delete(topic);
    return sizeOf(committed);
  }

  /** Whether something of a topic was committed. */
  has(topic: string): boolean {
    return this.#topics.has(topic);
  }

  /** The topics of which something was committed. */
  get topics(): Iterable<string> {
    return this.#topics.keys();
  }

  /** Bytes that they hold, roughly. */
  get bytes(): number {
    let bytes = 0;
    for (const partitions of this.#topics.values()) {
      for (const committed of partitions.values()) bytes += sizeOf(committed);
    }
    return bytes;
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

/** What an offset costs beside its remark. */
const OFFSET_BYTES = 100;

/** Bytes that one offset holds, roughly. */
export function sizeOf({ metadata }: CommittedOffset): number {
  return OFFSET_BYTES + (metadata?.length ?? 0);
}
