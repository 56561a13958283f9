import type { JournalItem } from '../contract/journal.js';
import type { NearMessage, Verdict } from '../contract/verification.js';
import { BacklotError, isBacklotError } from '../errors.js';
import type { KindHost } from '../host/kind-host.js';
import type { Journal } from '../journal/journal.js';
import { sortByCloseness } from '../mocks/closeness.js';
import { Waits } from '../pipeline/waits.js';
import type { Waiting } from '../time/clock.js';
import { afterRealTime, realElapsed } from '../time/clock-real.js';
import { runInSlices } from '../time/slices.js';
import { compileCheck, type CompiledCheck } from './compile-check.js';
import type { CompiledExpectation } from './compile-expectation.js';
import { judge, type Judgement } from './judge.js';
import { SeenMessages } from './seen-messages.js';

const MOST_IDS = 100;
const MOST_NEAREST = 3;
const MOST_UNEXPECTED = 10;
/** How many of the newest messages of a kind are compared with what was expected. */
const MOST_COMPARED = 256;
/** Messages that come within so many milliseconds are looked at together. */
const GATHERED = 2;

/** Finds out whether what was expected has come, and waits for it. */
export class Verifications {
  readonly #kinds: readonly KindHost[];
  readonly #journal: Journal;
  readonly #waits = new Waits();

  constructor(kinds: readonly KindHost[], journal: Journal) {
    this.#kinds = kinds;
    this.#journal = journal;
  }

  /** See `Host.verify`. */
  async verify(given: unknown, signal?: AbortSignal): Promise<Verdict> {
    const check = await compileCheck(given, this.#kinds);
    const incoming = new Incoming(this.#journal, check);
    try {
      return await this.#follow(check, incoming, signal);
    } finally {
      incoming.end();
    }
  }

  /** Ends every wait: the log has been cleared by a reset. */
  cancel(): void {
    this.#waits.cancel('everything was reset while this waited');
  }

  async #follow(check: CompiledCheck, incoming: Incoming, signal?: AbortSignal): Promise<Verdict> {
    const seen = new SeenMessages(check.expectations, check.nothingElse);
    // Where nothing has to come, what must not come is waited for.
    const isWatch = check.expectations.every(({ min }) => min === 0);
    const started = realElapsed();
    let heldSince: number | undefined;
    for (;;) {
      await runInSlices(incoming.look(seen), signal);
      const judgement = judge(check.expectations, check.isStrict, check.nothingElse, seen.inOrder());
      const now = realElapsed();
      let left = check.within - (now - started);
      if (judgement.standings.some(({ isFinal }) => isFinal)) left = 0;
      else if (!isGood(judgement)) left = heldSince === undefined ? left : 0;
      else if (!isWatch || left <= 0) {
        heldSince ??= now;
        left = check.stays - (now - heldSince);
      }
      if (left <= 0) return this.#verdict(check, seen, judgement);
      await this.#more(incoming, left, signal);
    }
  }

  /** Waits until a message has come, or the time is over. */
  async #more(incoming: Incoming, timeout: number, signal?: AbortSignal): Promise<void> {
    try {
      await this.#waits.until({
        look: () => (incoming.hasMore ? { value: true } : undefined),
        listen: (look) => incoming.listen(look),
        timeout,
        signal,
        name: 'what is expected',
        late: () => new BacklotError('timeout', 'no message has come'),
      });
    } catch (thrown) {
      if (!isBacklotError(thrown) || thrown.code !== 'timeout') throw thrown;
    }
  }

  #verdict(check: CompiledCheck, seen: SeenMessages, judgement: Judgement): Verdict {
    const { unexpected } = judgement;
    return {
      verified: isGood(judgement),
      looked_at: seen.size,
      expectations: check.expectations.map((expectation, place) => {
        const { hits = [], problem } = judgement.standings[place] ?? {};
        const isShort = hits.length < expectation.min;
        return {
          verified: problem === undefined,
          protocol: expectation.protocol,
          ...(expectation.name === undefined ? {} : { name: expectation.name }),
          count: hits.length,
          ids: hits.slice(0, MOST_IDS).map(({ number }) => String(number)),
          ...(problem === undefined ? {} : { problem }),
          ...(isShort ? { nearest: this.#nearest(expectation, check.after) } : {}),
        };
      }),
      ...(unexpected.length === 0
        ? {}
        : {
            unexpected: unexpected
              .slice(0, MOST_UNEXPECTED)
              .map(({ number, method, path }) => ({ id: String(number), method, path })),
            unexpected_count: unexpected.length,
          }),
    };
  }

  /** The messages that come nearest to what was expected, and what differs. */
  #nearest(expectation: CompiledExpectation, after: string | undefined): NearMessage[] {
    const newest = this.#journal
      .items({ protocol: expectation.protocol, limit: MOST_COMPARED })
      .filter(({ id }) => after === undefined || Number(id) > Number(after));
    const messages = new Map<string, NearMessage>();
    for (const item of newest.toReversed()) {
      const entry = item.render('near_misses');
      const reason = expectation.test(entry);
      if (reason !== true)
        messages.set(entry.id, { id: entry.id, method: entry.method, path: entry.path, reason });
    }
    const misses = [...messages.values()].map(({ id, reason }) => ({ mock_id: id, reason }));
    return sortByCloseness([], misses)
      .slice(0, MOST_NEAREST)
      .flatMap(({ mock_id }) => messages.get(mock_id) ?? []);
  }
}

function isGood({ standings, unexpected }: Judgement): boolean {
  return unexpected.length === 0 && standings.every(({ problem }) => problem === undefined);
}

/** The log entries that a check has not looked at yet. */
class Incoming {
  readonly #forget: readonly (() => void)[];
  #items: JournalItem[];
  #wake: (() => void) | undefined;
  #gathering: Waiting | undefined;

  constructor(journal: Journal, { kinds, after }: CompiledCheck) {
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

  *look(seen: SeenMessages): Generator<undefined, void> {
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
