import { BacklotError } from '@backlot/core/plugin';

/** What the answers of all replicas to one request may have together. */
const MOST_BYTES = 64 * 1024 * 1024;
/** How many requests may gather at the same time; others wait for their turn. */
const MOST_AT_ONCE = 4;

/** The bytes that gathering for one request may hold. */
export class Budget {
  #left = MOST_BYTES;

  /** @throws BacklotError `too_large` when there is no room for so many bytes */
  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left >= 0) return;
    throw new BacklotError(
      'too_large',
      `the replicas together have more than ${MOST_BYTES} bytes for this; ask for pages with a smaller "limit", and with "after"`,
    );
  }
}

const waiting: (() => void)[] = [];
let atWork = 0;

/** Does work that holds what replicas answer, of which little is done at the same time. */
export async function inTurn<T>(work: (budget: Budget) => Promise<T>): Promise<T> {
  if (atWork >= MOST_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else atWork += 1;
  try {
    return await work(new Budget());
  } finally {
    const next = waiting.shift();
    if (next === undefined) atWork -= 1;
    else next();
  }
}
