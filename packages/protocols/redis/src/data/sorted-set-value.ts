const MEMBER_BYTES = 96;

/** A member with its score. */
export interface Scored {
  readonly member: string;
  readonly score: number;
}

/** A sorted set: ordered by score, then by the bytes of the member. */
export class SortedSetValue {
  readonly #scores = new Map<string, number>();
  readonly #order: Scored[] = [];
  #bytes = 0;

  /** Makes a sorted set of these members. */
  static from(members: Iterable<Scored>): SortedSetValue {
    const made = new SortedSetValue();
    for (const { member, score } of members) made.set(member, score);
    return made;
  }

  get size(): number {
    return this.#scores.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** All members, the smallest first. */
  get ordered(): readonly Scored[] {
    return this.#order;
  }

  score(member: string): number | undefined {
    return this.#scores.get(member);
  }

  /** Where the member stands from the smallest, or -1. */
  rank(member: string): number {
    const score = this.#scores.get(member);
    return score === undefined ? -1 : this.#place(score, member);
  }

  set(member: string, given: number): void {
    // There is no negative zero among scores.
    const score = given === 0 ? 0 : given;
    const old = this.#scores.get(member);
    if (old === score) return;
    if (old === undefined) this.#bytes += member.length + MEMBER_BYTES;
    else this.#order.splice(this.#place(old, member), 1);
    this.#scores.set(member, score);
    const place = this.#place(score, member);
    if (place === this.#order.length) this.#order.push({ member, score });
    else this.#order.splice(place, 0, { member, score });
  }

  /** Whether the member was there. */
  delete(member: string): boolean {
    const score = this.#scores.get(member);
    if (score === undefined) return false;
    const place = this.#place(score, member);
    if (place === 0) this.#order.shift();
    else this.#order.splice(place, 1);
    this.#scores.delete(member);
    this.#bytes -= member.length + MEMBER_BYTES;
    return true;
  }

  /** How many members stand before the first for which `isIn` holds; it must hold for all behind that one. */
  firstWhere(isIn: (entry: Scored) => boolean): number {
    let low = 0;
    let high = this.#order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = this.#order[middle];
      if (entry !== undefined && isIn(entry)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  clone(): SortedSetValue {
    return SortedSetValue.from(this.#order);
  }

  #place(score: number, member: string): number {
    return this.firstWhere(
      (entry) => entry.score > score || (entry.score === score && entry.member >= member),
    );
  }
}
