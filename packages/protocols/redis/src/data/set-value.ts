const MEMBER_BYTES = 48;

/** A set. */
export class SetValue {
  readonly members = new Set<string>();
  #bytes = 0;

  /** Makes a set of these members. */
  static from(members: Iterable<string>): SetValue {
    const made = new SetValue();
    for (const member of members) made.add(member);
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
    return true;
  }

  /** Whether the member was there. */
  delete(member: string): boolean {
    if (!this.members.delete(member)) return false;
    this.#bytes -= member.length + MEMBER_BYTES;
    return true;
  }

  clone(): SetValue {
    return SetValue.from(this.members);
  }
}
