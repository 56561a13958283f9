import type { JournalEntry, JournalItem } from '../contract/journal.js';
import { invalid } from '../errors.js';
import type { CompiledExpectation } from './compile-expectation.js';

/** How many messages one check looks at. */
const MOST_SEEN = 100_000;

/** A message that was looked at. */
export interface SeenMessage {
  /** The number of its log entry: numbers increase in the order in which entries appear. */
  readonly number: number;
  /** Milliseconds since 1970, by the virtual clock. */
  readonly time: number;
  readonly protocol: string;
  readonly method: string;
  readonly path: string;
  /** The places of the expectations that it fits. */
  readonly fits: readonly number[];
}

/** The messages that a check has looked at. */
export class SeenMessages {
  readonly #expectations: readonly CompiledExpectation[];
  readonly #counted: ReadonlySet<string>;
  readonly #ids = new Set<string>();
  /** Those that matter: they fit, or nobody expected them. */
  readonly #byId = new Map<string, SeenMessage>();

  /** @param counted - the kinds of which there must be no other messages */
  constructor(expectations: readonly CompiledExpectation[], counted: ReadonlySet<string>) {
    this.#expectations = expectations;
    this.#counted = counted;
  }

  /** How many were looked at. */
  get size(): number {
    return this.#ids.size;
  }

  /** Looks at a message; one that was looked at before its end is looked at anew. */
  look(item: JournalItem): void {
    const entry = item.render('near_misses');
    if (this.#ids.size >= MOST_SEEN && !this.#ids.has(item.id))
      throw invalid(
        `more than ${MOST_SEEN} messages are there to look at; say by "after" from which log entry on`,
      );
    this.#ids.add(item.id);
    const { timestamp, protocol, method, path } = entry;
    const fits = this.#fitting(entry);
    if (fits.length === 0 && !this.#counted.has(protocol)) this.#byId.delete(item.id);
    else
      this.#byId.set(item.id, {
        number: Number(item.id),
        time: Date.parse(timestamp),
        ...{ protocol, method, path, fits },
      });
  }

  /** Those that matter, in the order of the log. */
  inOrder(): readonly SeenMessage[] {
    return [...this.#byId.values()].sort((a, b) => a.number - b.number);
  }

  #fitting(entry: JournalEntry): number[] {
    const fits: number[] = [];
    for (const [place, expectation] of this.#expectations.entries())
      if (expectation.protocol === entry.protocol && expectation.test(entry) === true) fits.push(place);
    return fits;
  }
}
