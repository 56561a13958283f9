import type { PendingOffset } from './transaction.js';

/** Which offsets wait for the end of a transaction (KIP-447). */
export class UnstableOffsets {
  /** How many transactions have one, by group and then by topic and partition. */
  readonly #counts = new Map<string, Map<string, number>>();

  has(groupId: string, topic: string, partition: number): boolean {
    return this.#counts.get(groupId)?.has(`${topic}/${partition}`) === true;
  }

  change({ groupId, topic, partition }: PendingOffset, by: 1 | -1): void {
    const key = `${topic}/${partition}`;
    const counts = this.#counts.get(groupId) ?? new Map<string, number>();
    const count = (counts.get(key) ?? 0) + by;
    if (count > 0) counts.set(key, count);
    else counts.delete(key);
    if (counts.size > 0) this.#counts.set(groupId, counts);
    else this.#counts.delete(groupId);
  }

  clear(): void {
    this.#counts.clear();
  }
}
