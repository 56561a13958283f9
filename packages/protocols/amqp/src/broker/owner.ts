/** Something that clients make: an exchange, a queue or a binding. */
export interface Owned {
  /** The open connections that have declared it; while there is one, a reset leaves it in place. */
  readonly owners: Set<Owner>;
}

/** A connection, as the broker knows it. */
export interface Owner {
  /** For error texts. */
  readonly virtualHost: string;
  /** What it has declared and is still there. */
  readonly owned: Set<Owned>;
}

/** Notes that a connection has declared something. */
export function own(owner: Owner, owned: Owned): void {
  owner.owned.add(owned);
  owned.owners.add(owner);
}

/** Forgets who has declared something that is gone. */
export function disown(owned: Owned): void {
  for (const owner of owned.owners) owner.owned.delete(owned);
  owned.owners.clear();
}
