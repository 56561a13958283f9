import type {
  BegunCheck,
  ExpectationVerdict,
  MessagesElsewhere,
  NearMessage,
  Verdict,
} from '../contract/verification.js';
import { BacklotError, isBacklotError } from '../errors.js';
import type { KindHost } from '../host/kind-host.js';
import type { Journal } from '../journal/journal.js';
import { sortByCloseness } from '../mocks/closeness.js';
import { Waits } from '../pipeline/waits.js';
import { realElapsed } from '../time/clock-real.js';
import { compileCheck, type CompiledCheck } from './compile-check.js';
import type { CompiledExpectation } from './compile-expectation.js';
import { GatheredMessages, JournalMessages, type IncomingMessages } from './incoming-messages.js';
import { judge, type Judgement } from './judge.js';
import { SeenMessages } from './seen-messages.js';

const MOST_IDS = 100;
const MOST_NEAREST = 3;
const MOST_UNEXPECTED = 10;
/** How many of the newest messages of a kind are compared with what was expected. */
const MOST_COMPARED = 256;

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
  async verify(given: unknown, signal?: AbortSignal, elsewhere?: MessagesElsewhere): Promise<Verdict> {
    const check = await compileCheck(given, this.#kinds);
    const incoming =
      elsewhere === undefined
        ? new JournalMessages(this.#journal, check)
        : new GatheredMessages(elsewhere, check.kinds);
    try {
      return await this.#follow(check, incoming, seenBy(check, incoming), signal);
    } finally {
      incoming.end();
    }
  }

  /** See `Host.beginCheck`. */
  async begin(given: unknown): Promise<BegunCheck> {
    const check = await compileCheck(given, this.#kinds);
    const incoming = new JournalMessages(this.#journal, check);
    const seen = seenBy(check, incoming);
    let problem: Error | undefined;
    let looking = Promise.resolve();
    const look = async (): Promise<void> => {
      try {
        await incoming.look(seen);
      } catch (thrown) {
        // Too many messages: that is for the verdict to say.
        problem = thrown as Error;
      }
    };
    const forget = incoming.listen(() => {
      looking = looking.then(look);
    });
    return {
      verdict: async (signal) => {
        forget();
        await looking;
        if (problem !== undefined) throw problem;
        try {
          return await this.#follow(check, incoming, seen, signal);
        } finally {
          incoming.end();
        }
      },
      end: () => incoming.end(),
    };
  }

  /** Ends every wait: the log has been cleared by a reset. */
  cancel(): void {
    this.#waits.cancel('everything was reset while this waited');
  }

  async #follow(
    check: CompiledCheck,
    incoming: IncomingMessages,
    seen: SeenMessages,
    signal?: AbortSignal,
  ): Promise<Verdict> {
    // Where nothing has to come, what must not come is waited for.
    const isWatch = check.expectations.every(({ min }) => min === 0);
    const started = realElapsed();
    let heldSince: number | undefined;
    for (;;) {
      await incoming.look(seen, signal);
      const judgement = judge(check.expectations, check.isStrict, check.nothingElse, seen.inOrder());
      const now = realElapsed();
      let left = check.within - (now - started);
      if (judgement.standings.some(({ isFinal }) => isFinal)) left = 0;
      else if (!isGood(judgement)) left = heldSince === undefined ? left : 0;
      else if (!isWatch || left <= 0) {
        heldSince ??= now;
        left = check.stays - (now - heldSince);
      }
      if (left <= 0) return await verdictOf(check, incoming, seen, judgement);
      await this.#more(incoming, left, signal);
    }
  }

  /** Waits until a message has come, or the time is over. */
  async #more(incoming: IncomingMessages, timeout: number, signal?: AbortSignal): Promise<void> {
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
}

function seenBy(
  { expectations, nothingElse }: CompiledCheck,
  { isOfSeveral }: IncomingMessages,
): SeenMessages {
  return new SeenMessages(expectations, nothingElse, isOfSeveral);
}

async function verdictOf(
  check: CompiledCheck,
  incoming: IncomingMessages,
  seen: SeenMessages,
  judgement: Judgement,
): Promise<Verdict> {
  const { unexpected } = judgement;
  const expectations: ExpectationVerdict[] = [];
  for (const [place, expectation] of check.expectations.entries()) {
    const { hits = [], problem } = judgement.standings[place] ?? {};
    const isShort = hits.length < expectation.min;
    expectations.push({
      verified: problem === undefined,
      protocol: expectation.protocol,
      ...(expectation.name === undefined ? {} : { name: expectation.name }),
      count: hits.length,
      ids: hits.slice(0, MOST_IDS).map(({ id }) => id),
      ...(problem === undefined ? {} : { problem }),
      ...(isShort ? { nearest: await nearest(expectation, incoming) } : {}),
    });
  }
  return {
    verified: isGood(judgement),
    looked_at: seen.size,
    expectations,
    ...(unexpected.length === 0
      ? {}
      : {
          unexpected: unexpected
            .slice(0, MOST_UNEXPECTED)
            .map(({ id, method, path }) => ({ id, method, path })),
          unexpected_count: unexpected.length,
        }),
  };
}

/** The messages that come nearest to what was expected, and what differs. */
async function nearest(expectation: CompiledExpectation, incoming: IncomingMessages): Promise<NearMessage[]> {
  const newest = await incoming.newest(expectation.protocol, MOST_COMPARED);
  const messages = new Map<string, NearMessage>();
  for (const entry of newest.toReversed()) {
    const reason = expectation.test(entry);
    if (reason !== true)
      messages.set(entry.id, { id: entry.id, method: entry.method, path: entry.path, reason });
  }
  const misses = [...messages.values()].map(({ id, reason }) => ({ mock_id: id, reason }));
  return sortByCloseness([], misses)
    .slice(0, MOST_NEAREST)
    .flatMap(({ mock_id }) => messages.get(mock_id) ?? []);
}

function isGood({ standings, unexpected }: Judgement): boolean {
  return unexpected.length === 0 && standings.every(({ problem }) => problem === undefined);
}
