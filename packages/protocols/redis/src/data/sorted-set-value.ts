import { LargeMap } from './large-map.js';
import { Places } from './places.js';
import { Sequence } from './sequence.js';

/** What a member takes in memory beside its name. */
const MEMBER_BYTES = 160;

/** A member with its score. */
export interface Scored {
  readonly member: string;
  readonly score: number;
}

/**
 * A sorted set: ordered by score, then by the bytes of the member. Adding, removing, ranks, and the beginnings of ranges
 * take steps that grow with the logarithm of its size.
 */
export class SortedSetValue {
  readonly #scores = new LargeMap<number>();
  readonly #order = new Sequence<Scored>();
  /** The members as SCAN goes through them. */
  readonly places = new Places(
    () => this.#scores.keys(),
    () => this.size,
  );
  #bytes = 0;

  get size(): number {
    return this.#scores.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The scores of the members, in no order. */
  get scores(): LargeMap<number> {
    return this.#scores;
  }

  score(member: string): number | undefined {
    return this.#scores.get(member);
  }

  /** The member at a rank from the smallest. */
  at(rank: number): Scored | undefined {
    return this.#order.at(rank);
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
    if (old === undefined) {
      this.#bytes += member.length + MEMBER_BYTES;
      this.places.added(member);
    } else this.#order.take(this.#place(old, member));
    this.#scores.set(member, score);
    this.#order.insert(this.#place(score, member), { member, score });
  }

  /** Whether the member was there. */
  delete(member: string): boolean {
    const score = this.#scores.get(member);
    if (score === undefined) return false;
    this.#order.take(this.#place(score, member));
    this.#forget(member);
    return true;
  }

  /** Takes out the members from one rank up to, not including, another, and gives them, the smallest first. */
  remove(start: number, end: number): Scored[] {
    const removed = this.#order.remove(start, end);
    for (const { member } of removed) this.#forget(member);
    return removed;
  }

  /** The members from one rank up to, not including, another, the smallest first. */
  slice(start: number, end: number): Scored[] {
    return this.#order.slice(start, end);
  }

  /** Goes through the members from one rank up to, not including, another; see {@link Sequence.range}. */
  range(start: number, end: number, isReversed = false): Iterable<Scored> {
    return this.#order.range(start, end, isReversed);
  }

  /** How many members stand before the first for which `isIn` holds; it must hold for all behind that one. */
  firstWhere(isIn: (entry: Scored) => boolean): number {
    return this.#order.firstWhere(isIn);
  }

  /** An independent copy, made step by step. */
  *copy(): Generator<undefined, SortedSetValue> {
    const made = new SortedSetValue();
    for (const entry of this.range(0, this.size)) {
      made.#append(entry);
      yield;
    }
    return made;
  }

  #append(entry: Scored): void {
    this.#scores.set(entry.member, entry.score);
    this.#order.insert(this.#order.size, entry);
    this.#bytes += entry.member.length + MEMBER_BYTES;
  }

  #forget(member: string): void {
    this.#scores.delete(member);
    this.#bytes -= member.length + MEMBER_BYTES;
    this.places.removed(member);
  }

  #place(score: number, member: string): number {
    return this.#order.firstWhere(
      (entry) => entry.score > score || (entry.score === score && entry.member >= member),
    );
  }
}
