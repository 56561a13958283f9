import { LargeSet } from './large-set.js';
import { Places } from './places.js';

/** What a member takes in memory beside its bytes. */
const MEMBER_BYTES = 128;

/** A set. */
export class SetValue {
  readonly members = new LargeSet();
  /** The members as SRANDMEMBER and SSCAN see them. */
  readonly places = new Places(() => this.members);
  #bytes = 0;

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
