import { LargeMap } from './large-map.js';

/** Steps between which others may be let in. */
const STEP = 64;

/**
 * The members of a collection by places from 0 on, so that one can be picked by chance, and a scan can go on where it has
 * stopped, without going through all. They are laid out when that is asked for the first time, and cost nothing before.
 *
 * A scan goes from the last place down to the first: a member that is removed is replaced by the last one, which has been
 * seen by then, and a new one comes last. So what is there from the beginning to the end of a scan is seen.
 */
export class Places {
  readonly #all: () => Iterable<string>;
  readonly #count: () => number;
  #members: string[] | undefined;
  #places = new LargeMap<number>();
  /** Members that were lost while they were laid out. */
  #lost: string[] | undefined;

  /**
   * @param all - gives the members of the collection
   * @param count - how many there are
   */
  constructor(all: () => Iterable<string>, count: () => number) {
    this.#all = all;
    this.#count = count;
  }

  /** Lays the members out, step by step; the collection may lose some meanwhile, and must not change otherwise. */
  *lay(): Generator<undefined, void> {
    if (this.#members !== undefined) return;
    this.#lost ??= [];
    // An array that grows by itself leaves several times its size behind.
    const members = new Array<string>(this.#count());
    const places = new LargeMap<number>();
    let laid = 0;
    for (const member of this.#all()) {
      places.set(member, laid);
      members[laid] = member;
      laid += 1;
      if (laid % STEP === 0) yield;
    }
    members.length = laid;
    this.#members = members;
    this.#places = places;
    const lost = this.#lost ?? [];
    this.#lost = undefined;
    for (const member of lost) this.removed(member);
  }

  /** The member at a place; `undefined` when there is none, or before {@link lay}. */
  at(place: number): string | undefined {
    return this.#members?.[place];
  }

  /** The collection has a new member. */
  added(member: string): void {
    if (this.#members === undefined) return;
    this.#places.set(member, this.#members.length);
    this.#members.push(member);
  }

  /** The collection has lost a member. */
  removed(member: string): void {
    const members = this.#members;
    const place = this.#places.get(member);
    if (members === undefined) {
      this.#lost?.push(member);
      return;
    }
    if (place === undefined) return;
    this.#places.delete(member);
    const last = members.pop() ?? member;
    if (last === member) return;
    members[place] = last;
    this.#places.set(last, place);
  }
}
