/** What a ring asks of a consumer. */
interface Member {
  /** Whether it has its queue for itself. */
  readonly isExclusive: boolean;
  /** Whether it takes one more now. */
  canTake(): boolean;
}

/** The consumers of a queue, who take turns. One that can take no more is not asked again until it is woken. */
export class ConsumerRing<C extends Member> {
  readonly #all = new Set<C>();
  /** Those that may take one, next to be asked first. */
  readonly #ready = new Set<C>();
  #exclusive = 0;

  get size(): number {
    return this.#all.size;
  }

  /** Whether one has the queue for itself. */
  get hasExclusive(): boolean {
    return this.#exclusive > 0;
  }

  add(consumer: C): void {
    this.#all.add(consumer);
    this.#ready.add(consumer);
    if (consumer.isExclusive) this.#exclusive += 1;
  }

  /** @returns whether it was there */
  delete(consumer: C): boolean {
    if (!this.#all.delete(consumer)) return false;
    this.#ready.delete(consumer);
    if (consumer.isExclusive) this.#exclusive -= 1;
    return true;
  }

  /** A consumer can take more again. */
  wake(consumer: C): void {
    if (this.#all.has(consumer)) this.#ready.add(consumer);
  }

  /** Whose turn it is. @param isSingle - whether only the oldest takes messages */
  next(isSingle: boolean): C | undefined {
    if (isSingle) {
      const [oldest] = this.#all;
      return oldest?.canTake() === true ? oldest : undefined;
    }
    for (const consumer of this.#ready) {
      const canTake = consumer.canTake();
      if (canTake && this.#ready.size === 1) return consumer;
      this.#ready.delete(consumer);
      if (!canTake) continue;
      this.#ready.add(consumer);
      return consumer;
    }
    return undefined;
  }

  values(): readonly C[] {
    return [...this.#all];
  }
}
