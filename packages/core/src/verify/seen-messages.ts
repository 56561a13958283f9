import type { JournalEntry, JournalItem } from '../contract/journal.js';
import { invalid } from '../errors.js';
import type { CompiledExpectation } from './compile-expectation.js';

/** How many messages one check looks at. */
const MOST_SEEN = 100_000;

/** A message that was looked at. */
export interface SeenMessage {
  /** The id of its log entry. */
  readonly id: string;
  /** Its place: numbers increase in the order in which entries appear. */
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

  readonly #isOfSeveral: boolean;

  /**
   * @param counted - the kinds of which there must be no other messages
   * @param isOfSeveral - whether they are of several logs, with ids such as `57@one`: their order is that of their times
   */
  constructor(
    expectations: readonly CompiledExpectation[],
    counted: ReadonlySet<string>,
    isOfSeveral = false,
  ) {
    this.#expectations = expectations;
    this.#counted = counted;
    this.#isOfSeveral = isOfSeveral;
  }

  /** How many were looked at. */
  get size(): number {
    return this.#ids.size;
  }

  /** Looks at a message; one that was looked at before its end is looked at anew. */
  look(item: JournalItem): void {
    this.lookAt(item.render('near_misses'));
  }

  /** As {@link look}, at a message as it is shown. */
  lookAt(entry: JournalEntry): void {
    const { id } = entry;
    if (this.#ids.size >= MOST_SEEN && !this.#ids.has(id))
      throw invalid(
        `more than ${MOST_SEEN} messages are there to look at; say by "after" from which log entry on`,
      );
    this.#ids.add(id);
    const { timestamp, protocol, method, path } = entry;
    const fits = this.#fitting(entry);
    if (fits.length === 0 && !this.#counted.has(protocol)) this.#byId.delete(id);
    else
      this.#byId.set(id, {
        id,
        number: Number.parseInt(id, 10),
        time: Date.parse(timestamp),
        ...{ protocol, method, path, fits },
      });
  }

  /** Those that matter, in the order of the log. */
  inOrder(): readonly SeenMessage[] {
    const seen = [...this.#byId.values()];
    if (!this.#isOfSeveral) return seen.sort((a, b) => a.number - b.number);
    return seen.sort(byTime).map((message, index) => ({ ...message, number: index + 1 }));
  }

  #fitting(entry: JournalEntry): number[] {
    const fits: number[] = [];
    for (const [place, expectation] of this.#expectations.entries())
      if (expectation.protocol === entry.protocol && expectation.test(entry) === true) fits.push(place);
    return fits;
  }
}

function byTime(a: SeenMessage, b: SeenMessage): number {
  if (a.time !== b.time) return a.time - b.time;
  const [one, other] = [a, b].map(({ id }) => id.slice(id.indexOf('@')));
  if (one === other) return a.number - b.number;
  return (one ?? '') < (other ?? '') ? -1 : 1;
}
