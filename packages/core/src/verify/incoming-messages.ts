import type { JournalEntry, JournalItem } from '../contract/journal.js';
import type { MessagesElsewhere } from '../contract/verification.js';
import type { Journal } from '../journal/journal.js';
import type { Waiting } from '../time/clock.js';
import { afterRealTime } from '../time/clock-real.js';
import { runInSlices } from '../time/slices.js';
import type { CompiledCheck } from './compile-check.js';
import type { SeenMessages } from './seen-messages.js';

/** Messages that come within so many milliseconds are looked at together. */
const GATHERED = 2;

/** The messages that a check has not looked at yet. */
export interface IncomingMessages {
  /** Whether they are of several logs. */
  readonly isOfSeveral: boolean;
  /** Whether there are some. */
  readonly hasMore: boolean;
  /** Looks at them, in slices between which others are served. */
  look(seen: SeenMessages, signal?: AbortSignal): Promise<void> | void;
  /** Calls back when there are some. @returns ends it */
  listen(look: () => void): () => void;
  /** The newest of a kind that the check may look at, oldest first. */
  newest(protocol: string, most: number): Promise<readonly JournalEntry[]> | readonly JournalEntry[];
  end(): void;
}

/** Those of the journal. */
export class JournalMessages implements IncomingMessages {
  readonly isOfSeveral = false;
  readonly #journal: Journal;
  readonly #after: string | undefined;
  readonly #forget: readonly (() => void)[];
  #items: JournalItem[];
  #wake: (() => void) | undefined;
  #gathering: Waiting | undefined;

  constructor(journal: Journal, { kinds, after }: CompiledCheck) {
    this.#journal = journal;
    this.#after = after;
    const filter = after === undefined ? {} : { after };
    this.#items = [...kinds].flatMap((protocol) => journal.items({ ...filter, protocol }));
    const add = (item: JournalItem): void => {
      if (after !== undefined && Number(item.id) <= Number(after)) return;
      this.#items.push(item);
      this.#gathering ??= afterRealTime(GATHERED, () => {
        this.#gathering = undefined;
        this.#wake?.();
      });
    };
    this.#forget = Array.from(kinds, (protocol) => journal.subscribe({ protocol }, add, true));
  }

  get hasMore(): boolean {
    return this.#items.length > 0;
  }

  look(seen: SeenMessages, signal?: AbortSignal): Promise<void> | void {
    return runInSlices(this.#steps(seen), signal);
  }

  newest(protocol: string, most: number): readonly JournalEntry[] {
    const after = this.#after;
    return this.#journal
      .items({ protocol, limit: most })
      .filter(({ id }) => after === undefined || Number(id) > Number(after))
      .map((item) => item.render('near_misses'));
  }

  *#steps(seen: SeenMessages): Generator<undefined, void> {
    while (this.hasMore) {
      const items = this.#items;
      this.#items = [];
      for (const item of items) {
        seen.look(item);
        yield;
      }
    }
  }

  listen(look: () => void): () => void {
    this.#wake = look;
    return () => void (this.#wake = undefined);
  }

  end(): void {
    for (const forget of this.#forget) forget();
    this.#gathering?.cancel();
    this.#items = [];
  }
}

/** Those of several logs. */
export class GatheredMessages implements IncomingMessages {
  readonly isOfSeveral = true;
  hasMore = true;
  readonly #elsewhere: MessagesElsewhere;
  readonly #kinds: ReadonlySet<string>;

  constructor(elsewhere: MessagesElsewhere, kinds: ReadonlySet<string>) {
    this.#elsewhere = elsewhere;
    this.#kinds = kinds;
  }

  async look(seen: SeenMessages, signal?: AbortSignal): Promise<void> {
    this.hasMore = false;
    for await (const entries of this.#elsewhere.read(this.#kinds))
      await runInSlices(lookAtEach(seen, entries), signal);
  }

  listen(look: () => void): () => void {
    return this.#elsewhere.listen(() => {
      this.hasMore = true;
      look();
    });
  }

  newest(protocol: string, most: number): Promise<readonly JournalEntry[]> {
    return this.#elsewhere.newest(protocol, most);
  }

  end(): void {
    this.#elsewhere.end();
  }
}

function* lookAtEach(seen: SeenMessages, entries: readonly JournalEntry[]): Generator<undefined, void> {
  for (const entry of entries) {
    seen.lookAt(entry);
    yield;
  }
}
