/** A transaction that was aborted, as readers of committed records are told of it. Never changes. */
export interface AbortedTransaction {
  readonly producerId: number;
  /** Where it begins. */
  readonly firstOffset: number;
  /** Where its marker is. */
  readonly lastOffset: number;
  /** Up to where everything was decided when it ended. */
  readonly lastStableOffset: number;
}

/** A snapshot of the transactions of a log. */
export interface SavedLogTransactions {
  readonly open: readonly (readonly [producerId: number, firstOffset: number])[];
  readonly aborted: readonly AbortedTransaction[];
}

/** What a log without transactions has. */
export const NO_TRANSACTIONS: SavedLogTransactions = Object.freeze({ open: [], aborted: [] });

/** The transactions in one log (KIP-98). Each takes up one offset at least, so that there are no more than records. */
export class LogTransactions {
  /** The first offset by producer, in the order in which they began, which is that of the offsets. */
  readonly #open = new Map<number, number>();
  /** In the order in which they ended. */
  #aborted: AbortedTransaction[] = [];

  /** Where the first open one begins; `undefined` when there is none. */
  get firstOpen(): number | undefined {
    for (const [, offset] of this.#open) return offset;
    return undefined;
  }

  /** Where the open one of a producer begins. */
  openSince(producerId: number): number | undefined {
    return this.#open.get(producerId);
  }

  /** A record of a transaction is in the log. */
  begin(producerId: number, offset: number): void {
    if (!this.#open.has(producerId)) this.#open.set(producerId, offset);
  }

  /** A marker is in the log. @param endOffset - of the log */
  end(producerId: number, offset: number, isCommit: boolean, endOffset: number): void {
    const firstOffset = this.#open.get(producerId);
    if (firstOffset === undefined) return;
    this.#open.delete(producerId);
    if (isCommit) return;
    const lastStableOffset = this.firstOpen ?? endOffset;
    this.#aborted.push({ producerId, firstOffset, lastOffset: offset, lastStableOffset });
  }

  /** Those of which something is at `from` or later, and that began before `until`. */
  abortedBetween(from: number, until: number): readonly AbortedTransaction[] {
    const found: AbortedTransaction[] = [];
    for (let index = this.#indexOf(from); index < this.#aborted.length; index += 1) {
      const transaction = this.#aborted[index];
      if (transaction === undefined) continue;
      if (transaction.firstOffset < until) found.push(transaction);
      // All that ended later began at or after this.
      if (transaction.lastStableOffset >= until) break;
    }
    return found;
  }

  /** Forgets those that are wholly below an offset. */
  dropBefore(offset: number): void {
    this.#aborted = this.#aborted.slice(this.#indexOf(offset));
  }

  save(): SavedLogTransactions {
    return { open: [...this.#open], aborted: [...this.#aborted] };
  }

  static restore({ open, aborted }: SavedLogTransactions): LogTransactions {
    const transactions = new LogTransactions();
    for (const [producerId, offset] of open) transactions.#open.set(producerId, offset);
    transactions.#aborted = [...aborted];
    return transactions;
  }

  /** Where the first one stands whose marker is at an offset or later. */
  #indexOf(offset: number): number {
    let low = 0;
    let high = this.#aborted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#aborted[middle]?.lastOffset ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
