/** A matched exchange that has not ended, in the list of those of its kind. */
export interface ExchangeUnderWay {
  readonly matchedId: string | undefined;
  newer: ExchangeUnderWay | undefined;
  older: ExchangeUnderWay | undefined;
  /** Shows it in the journal though it is still under way. */
  show(): void;
}

/**
 * The matched exchanges of a kind that have not ended. They are linked with one another, so that an exchange that joins
 * and leaves makes nothing anew.
 */
export class UnderWay {
  #newest: ExchangeUnderWay | undefined = undefined;

  add(exchange: ExchangeUnderWay): void {
    const newest = this.#newest;
    exchange.older = newest;
    if (newest !== undefined) newest.newer = exchange;
    this.#newest = exchange;
  }

  /** Takes out one that is in the list. */
  remove(exchange: ExchangeUnderWay): void {
    const { newer, older } = exchange;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
    if (older !== undefined) older.newer = newer;
    exchange.newer = undefined;
    exchange.older = undefined;
  }

  /** Those that a mock has matched, the oldest first. */
  of(mockId: string): readonly ExchangeUnderWay[] {
    const found: ExchangeUnderWay[] = [];
    for (let exchange = this.#newest; exchange !== undefined; exchange = exchange.older)
      if (exchange.matchedId === mockId) found.push(exchange);
    return found.reverse();
  }
}
