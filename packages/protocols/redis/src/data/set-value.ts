import { LargeSet } from './large-set.js';
import { Places } from './places.js';

/** What a member takes in memory beside its bytes. */
const MEMBER_BYTES = 128;

/** A set. */
export class SetValue {
  readonly members: LargeSet;
  /** The members as SRANDMEMBER and SSCAN see them. */
  readonly places = new Places(
    () => this.members,
    () => this.size,
  );
  #bytes = 0;

  /** @param members - those that it has from the start, which are its own then; see {@link of} */
  constructor(members = new LargeSet()) {
    this.members = members;
  }

  /** A set of these members, which are its own then; they are counted step by step. */
  static *of(members: LargeSet): Generator<undefined, SetValue> {
    const made = new SetValue(members);
    for (const member of members) {
      made.#bytes += member.length + MEMBER_BYTES;
      yield;
    }
    return made;
  }

  get size(): number {
    return this.members.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  has(member: string): boolean {
    return this.members.has(member);
  }

  /** Whether the member is new. */
  add(member: string): boolean {
    if (this.members.has(member)) return false;
    this.members.add(member);
    this.#bytes += member.length + MEMBER_BYTES;
    this.places.added(member);
    return true;
  }

  /** Whether the member was there. */
  delete(member: string): boolean {
    if (!this.members.delete(member)) return false;
    this.#bytes -= member.length + MEMBER_BYTES;
    this.places.removed(member);
    return true;
  }

  /** An independent copy, made step by step. */
  *copy(): Generator<undefined, SetValue> {
    const made = new SetValue();
    for (const member of this.members) {
      made.add(member);
      yield;
    }
    return made;
  }
}
