/** A mock whose matches several hosts count together. */
export interface CountedMock {
  /** The space that it is of; absent for the host itself. */
  readonly space: string | undefined;
  readonly kind: string;
  readonly id: string;
  /** The {@link SharedCounts.revision} at which its count began. */
  readonly since: number;
  /** How many matches it may have. */
  readonly limit: number;
}

/** Counts what several hosts that the same clients use, such as the replicas of a cluster, have matched together. */
export interface SharedCounts {
  /**
   * The number of the change that is being made, or was made last: the same on all hosts for the same change. A mock that is made
   * or changed by it, and one whose calls it clears, has a new count.
   */
  readonly revision: number;
  /**
   * Counts a match in one step, whoever else does the same.
   *
   * @returns its number among the matches on all hosts, from 1; undefined when the limit was reached before
   * @throws Error, which says why, when it cannot be counted now; a number may be lost then and is never given twice
   */
  count(mock: CountedMock): Promise<number | undefined>;
  /** How often it has matched, without counting. @throws Error, which says why, when that is not known now */
  read(mock: CountedMock): Promise<number>;
}
