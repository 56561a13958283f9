/** One entry of the log. */
export interface LogEntry {
  /** Its place; places ascend, and some may be missing. */
  readonly revision: number;
  readonly text: string;
}

/** What a log tells of by itself. */
export interface LogEvents {
  /** There may be new entries. */
  grown(): void;
  /** Another one, or this one, has told something by {@link CommandLog.tell}. */
  told(text: string): void;
  /** The engine is reached, or is not any more. */
  reached(isReached: boolean): void;
}

/** How long the engine may take for an answer, and a change waits for other replicas, unless it is said otherwise; in milliseconds. */
export const PATIENCE = 2_000;
/** For how long a lease is held by one who does not take it again, in milliseconds. */
export const LEASE = 4_000;

/** Where a count is kept; all texts are of hexadecimal digits. */
export interface CountPlace {
  readonly world: string;
  /** The revision at which it began: another one is another count. */
  readonly since: number;
  readonly name: string;
}

/** An ordered log that several processes share, kept by an engine. */
export interface CommandLog {
  /** What keeps it, for people: `NATS JetStream at ...`. */
  readonly engine: string;
  /** The most bytes that an entry may have. */
  readonly mostBytes: number;
  /** Whether the engine is reached now, as far as is known. */
  readonly isReached: boolean;
  /** Says who is to be told; called once, before anything else. */
  listen(events: LogEvents): Promise<void>;
  /**
   * Adds the first entry, unless there is one or has been one.
   *
   * @throws Error when the engine does not answer
   */
  found(text: string): Promise<void>;
  /**
   * Adds an entry.
   *
   * @param id - a text that no other entry has: an engine that is given it again within two minutes adds nothing
   * @returns its revision
   * @throws NotSentError when it is certain that it was not added; any other error when that is not known
   */
  append(text: string, id: string): Promise<number>;
  /** The entries after a revision in their order, `most` at most. @throws Error when the engine does not answer */
  read(after: number, most: number): Promise<readonly LogEntry[]>;
  /** The last revision that was given, whether its entry is still there or not. @throws Error when the engine does not answer */
  last(): Promise<number>;
  /** Removes an entry that nothing needs any more; others keep their revisions. @throws Error when the engine does not answer */
  remove(revision: number): Promise<void>;
  /**
   * Adds to a count in one step, whoever else does so; one that was never added to is 0.
   *
   * @param limit - beyond which it is not raised
   * @returns what it was and what it is
   * @throws Error when the engine does not answer: it may have been added to
   */
  count(
    place: CountPlace,
    by: number,
    limit: number,
  ): Promise<{ readonly before: number; readonly after: number }>;
  /** Removes the counts of a world that began before a revision. @throws Error when the engine does not answer */
  forgetCounts(world: string, before: number): Promise<void>;
  /**
   * Takes the lease of the home, or keeps it: it ends after {@link LEASE} unless it is taken again. Absent where the home is always the same.
   *
   * @param holder - letters and digits that no other process has
   * @returns who has taken it before this one did, itself included; undefined when another one has it
   * @throws Error when the engine does not answer: it may have been taken
   */
  takeLease?(holder: string): Promise<{ readonly before: string | undefined } | undefined>;
  /** Gives the lease back. @throws Error when the engine does not answer */
  dropLease?(holder: string): Promise<void>;
  /** Tells all who listen, this one too; nothing is kept of it, and nothing happens when the engine is not reached. */
  tell(text: string): void;
  close(): Promise<void>;
}

/** The revision in the name of a count, which is that of its world, the revision and its own with dots between. */
export function sinceOf(name: string): number {
  return Number(name.split('.').at(-2));
}

/** An entry that was not handed to the engine. */
export class NotSentError extends Error {
  constructor(engine: string) {
    super(`${engine} is not reached`);
    this.name = 'NotSentError';
  }
}
