import type { CompiledMock } from '../contract/matcher.js';
import type { Message, Reply } from '../contract/message.js';
import type { NearMiss } from '../contract/outcome.js';
import type { AppliedDelays, JournalRecord } from './entry.js';

const NO_MISSES: readonly NearMiss[] = Object.freeze([]);

/** What the journal asks of a kind when it makes an entry. */
export interface LoggedKind {
  readonly kind: string;
  /** Why no mock has matched, closest first; nothing where a message without a mock misses none. */
  missesOf(message: Message): readonly NearMiss[];
  /** Whether a message that no mock matches lacks one. */
  readonly needsMatch: boolean;
}

/** A record that is complete, in the parts that the journal keeps of it. */
export interface SettledParts {
  readonly runtime: LoggedKind;
  readonly message: Message;
  readonly reply: Reply | undefined;
  readonly startedAt: number;
  /** Milliseconds. */
  readonly duration: number | undefined;
  readonly matchedId: string | undefined;
  /** What reads the captures of the path from the message, when somebody asks. */
  readonly captures: CompiledMock<Message> | undefined;
  /** What was read already, since the message is not kept whole. */
  readonly known: KnownParts | undefined;
  readonly flags: number;
}

/** What few exchanges have, and what cannot be read from a message that was cut. */
export interface KnownParts {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly misses?: readonly NearMiss[] | undefined;
  readonly delays?: AppliedDelays;
  /** Why the answer of the mock could not be made. */
  readonly failure?: string;
}

export const FAULTED = 1;
export const ABORTED = 2;
export const ASKED = 4;
export const UNMATCHED = 8;

/**
 * The newest records by their numbers. A record that is complete is kept in columns, one for each of its parts: nothing
 * of the exchange itself lives on, so the collector finds it dead while it is young, which costs nothing. Keeping each
 * exchange as an object costs a third of what a busy server does.
 */
export class Ring {
  readonly size: number;
  readonly #numbers: Float64Array;
  readonly #bytes: Float64Array;
  readonly #startedAt: Float64Array;
  readonly #durations: Float64Array;
  readonly #flags: Uint8Array;
  /** Records that are not complete yet. */
  readonly #open: (JournalRecord | undefined)[];
  readonly #runtimes: (LoggedKind | undefined)[];
  readonly #messages: (Message | undefined)[];
  readonly #replies: (Reply | undefined)[];
  readonly #matchedIds: (string | undefined)[];
  readonly #captures: (CompiledMock<Message> | undefined)[];
  readonly #known: (KnownParts | undefined)[];

  constructor(size: number) {
    const column = <T>(): (T | undefined)[] => new Array<T | undefined>(size).fill(undefined);
    this.size = size;
    this.#numbers = new Float64Array(size);
    this.#bytes = new Float64Array(size);
    this.#startedAt = new Float64Array(size);
    this.#durations = new Float64Array(size);
    this.#flags = new Uint8Array(size);
    this.#open = column();
    this.#runtimes = column();
    this.#messages = column();
    this.#replies = column();
    this.#matchedIds = column();
    this.#captures = column();
    this.#known = column();
  }

  /** Keeps a record that will be completed; see {@link settle}. */
  open(number: number, bytes: number, record: JournalRecord): void {
    const place = number % this.size;
    this.#clear(place);
    this.#numbers[place] = number;
    this.#bytes[place] = bytes;
    this.#open[place] = record;
  }

  /** Keeps a record that is complete. */
  settle(number: number, bytes: number, parts: SettledParts): void {
    const place = number % this.size;
    this.#numbers[place] = number;
    this.#bytes[place] = bytes;
    this.#startedAt[place] = parts.startedAt;
    this.#durations[place] = parts.duration ?? 0;
    this.#flags[place] = parts.flags;
    this.#open[place] = undefined;
    this.#runtimes[place] = parts.runtime;
    this.#messages[place] = parts.message;
    this.#replies[place] = parts.reply;
    this.#matchedIds[place] = parts.matchedId;
    this.#captures[place] = parts.captures;
    this.#known[place] = parts.known;
  }

  /** Whether the record is still there. */
  has(number: number): boolean {
    return number > 0 && this.#numbers[number % this.size] === number;
  }

  /** What the record holds in memory, 0 when it is gone. */
  bytesOf(number: number): number {
    return this.has(number) ? (this.#bytes[number % this.size] ?? 0) : 0;
  }

  /** Lets a record go. Gives the bytes it held. */
  drop(number: number): number {
    if (!this.has(number)) return 0;
    const place = number % this.size;
    const bytes = this.#bytes[place] ?? 0;
    this.#clear(place);
    return bytes;
  }

  /** The record, to be read at once. */
  get(number: number): JournalRecord | undefined {
    if (!this.has(number)) return undefined;
    const place = number % this.size;
    const open = this.#open[place];
    if (open !== undefined) return open;
    const runtime = this.#runtimes[place];
    const message = this.#messages[place];
    if (runtime === undefined || message === undefined) return undefined;
    const flags = this.#flags[place] ?? 0;
    const captures = this.#captures[place];
    const known = this.#known[place];
    const isUnmatched = (flags & UNMATCHED) !== 0;
    return {
      kind: runtime.kind,
      message,
      reply: this.#replies[place],
      startedAt: this.#startedAt[place] ?? 0,
      duration: this.#durations[place],
      matchedId: this.#matchedIds[place],
      wasAsked: (flags & ASKED) !== 0,
      faulted: (flags & FAULTED) !== 0,
      aborted: (flags & ABORTED) !== 0,
      failure: known?.failure,
      delays: known?.delays,
      missed: isUnmatched && runtime.needsMatch,
      get pathParams() {
        return known?.params ?? captures?.params?.(message);
      },
      nearMisses: () => (isUnmatched ? (known?.misses ?? runtime.missesOf(message)) : NO_MISSES),
    };
  }

  clear(): void {
    for (let place = 0; place < this.size; place += 1) this.#clear(place);
  }

  #clear(place: number): void {
    this.#numbers[place] = 0;
    this.#bytes[place] = 0;
    this.#open[place] = undefined;
    this.#runtimes[place] = undefined;
    this.#messages[place] = undefined;
    this.#replies[place] = undefined;
    this.#matchedIds[place] = undefined;
    this.#captures[place] = undefined;
    this.#known[place] = undefined;
  }
}
