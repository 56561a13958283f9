import { afterRealTime, messageOf, realElapsed } from '@backlot/core/plugin';
import { readFounding } from './entry.js';
import type { CommandLog, LogEntry } from './log.js';
import { ENDS_KEPT } from './world-book.js';

/** How often it looks for all entries that are there, also those of which nobody has told, in milliseconds. */
const LOOK_AGAIN = 1_000;
/** Milliseconds after which it looks for one that it was told of and that was not there yet; twice as many each further time. */
const LOOK_SOON = 10;
const ENTRIES_AT_ONCE = 100;

/** What is followed, and how it was when it was joined. */
export interface Followed {
  readonly log: CommandLog;
  /** Of the first entry; another log that has taken the place of this one has another. */
  readonly founding: string;
}

/** Who follows a log. */
export interface Following {
  /** Up to where it has come. */
  revision(): number;
  /** Makes one entry; the next one comes when that is done. */
  make(entry: LogEntry): Promise<void>;
  /** There are no entries up to this revision any more. */
  advance(revision: number): void;
  /** All that was there at first is made. */
  caughtUp(): Promise<void>;
  /** The log cannot be followed any more. */
  failed(reason: string): void;
}

/** Reads a log from the start and goes on, whether its engine is there or not. */
export class LogFollower {
  readonly #followed: Followed;
  readonly #following: Following;
  #isEnded = false;
  #isCaughtUp = false;
  /** How many entries it was told of since it began to read last. */
  #grown = 0;
  /** Whether it reads up to the end, whatever it was told of. */
  #isWhole = true;
  #wholeAt = 0;
  /** How many of those that it was told of have not been there: an engine may tell of an entry before it can be read. */
  #owed = 0;
  #soon = LOOK_SOON;
  #isReading = false;
  /** Whether the log may have become another one. */
  #isDoubtful = false;
  #readAt = realElapsed();
  #wake: () => void = () => undefined;
  #running: Promise<void> | undefined;

  constructor(followed: Followed, following: Following) {
    this.#followed = followed;
    this.#following = following;
  }

  /** Begins; resolves when it has caught up, or has ended. */
  start(): Promise<void> {
    return new Promise((resolve) => {
      this.#running = this.#run(resolve);
    });
  }

  /** There is one entry more: it is read at once. Its engine is asked for that one alone. */
  grown(): void {
    this.#grown += 1;
    this.#wake();
  }

  /** There is an entry of this revision, of which it may not have been told. */
  expect(revision: number): void {
    if (revision > this.#following.revision() && this.#grown === 0 && !this.#isReading) this.grown();
  }

  /** Looks for all entries at once, and sees whether it is the same log still. */
  doubt(): void {
    this.#isDoubtful = true;
    this.#isWhole = true;
    this.grown();
  }

  /** Reads no more after what it is doing. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  /** Ends, and waits for what it is doing. */
  async stop(): Promise<void> {
    this.end();
    await this.#running;
  }

  async #run(caughtUp: () => void): Promise<void> {
    while (!this.#isEnded) {
      try {
        this.#isReading = true;
        const isAtEnd = await this.#readOn();
        if (!isAtEnd) continue;
        if (!this.#isCaughtUp) {
          this.#isCaughtUp = true;
          await this.#following.caughtUp();
          caughtUp();
        }
      } catch {
        // The engine does not answer: it is asked again, and whoever wants a change is told.
        this.#isWhole = true;
      } finally {
        this.#isReading = false;
      }
      await this.#rest();
    }
    caughtUp();
  }

  /**
   * Passes on the entries that are there: those that it was told of, and from time to time all, since nobody tells of an entry that
   * came while the engine was not reached.
   *
   * @returns whether there are no more
   */
  async #readOn(): Promise<boolean> {
    const { log } = this.#followed;
    const following = this.#following;
    const from = following.revision();
    const begun = realElapsed();
    const told = this.#grown;
    const isWhole = told === 0 || this.#isWhole || !this.#isCaughtUp || begun - this.#wholeAt >= LOOK_AGAIN;
    this.#grown = 0;
    let entries = await log.read(from, isWhole ? ENTRIES_AT_ONCE : Math.min(told, ENTRIES_AT_ONCE));
    let last = from;
    if (entries.length === 0) {
      last = await log.last();
      // What came in between is read before it is believed that the rest was removed.
      if (last > from) entries = await log.read(from, ENTRIES_AT_ONCE);
    }
    const now = realElapsed();
    if (now - this.#readAt > ENDS_KEPT / 2) {
      following.failed(
        `it was cut off for ${Math.round((now - this.#readAt) / 60_000)} minutes; start it anew`,
      );
      return false;
    }
    this.#readAt = now;
    if (last < from || (this.#isDoubtful && !(await this.#isSameLog()))) {
      following.failed(
        `${log.engine} has lost changes: the log ends at revision ${await log.last()}, and this replica is at ${from}; start the replicas anew`,
      );
      return false;
    }
    for (const entry of entries) if (!this.#isEnded) await this.#make(entry);
    this.#owed = Math.max(0, this.#owed + told - entries.length);
    if (entries.length === 0) {
      following.advance(last);
      this.#isWhole = false;
      this.#wholeAt = begun;
      return true;
    }
    this.#soon = LOOK_SOON;
    this.#isWhole = isWhole || this.#owed > 0;
    return !this.#isWhole && this.#grown === 0;
  }

  async #make(entry: LogEntry): Promise<void> {
    try {
      await this.#following.make(entry);
    } catch (thrown) {
      this.#following.failed(`revision ${entry.revision} cannot be made: ${messageOf(thrown)}`);
    }
  }

  async #isSameLog(): Promise<boolean> {
    const { log, founding } = this.#followed;
    const [first] = await log.read(0, 1);
    if (first?.revision !== 1 || readFounding(first.text).cluster !== founding) return false;
    this.#isDoubtful = false;
    return true;
  }

  async #rest(): Promise<void> {
    if (this.#grown > 0 || this.#isEnded) return;
    const time = this.#owed > 0 ? this.#soon : LOOK_AGAIN;
    this.#soon = time * 2;
    // What was not there for so long is another message, such as a change that was sent twice.
    if (time >= LOOK_AGAIN / 2) [this.#owed, this.#soon] = [0, LOOK_SOON];
    await new Promise<void>((resolve) => {
      const timer = afterRealTime(time, resolve);
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
    });
    this.#wake = () => undefined;
  }
}
