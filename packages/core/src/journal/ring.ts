import type { CompiledMock } from '../contract/matcher.js';
import type { Message, Reply } from '../contract/message.js';
import type { NearMiss } from '../contract/outcome.js';
import type { Span } from '../contract/span.js';
import type { ContractNote } from '../contract/contracts.js';
import type { UpstreamNote } from '../contract/upstream.js';
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
  /** The span that it is, where it is no message. */
  readonly span?: Span;
  readonly upstream?: UpstreamNote;
  readonly contract?: ContractNote;
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
  /** How many there may be. */
  readonly size: number;
  /** How many there is room for now. */
  #room: number;
  #numbers: Float64Array;
  #orders: Float64Array;
  #bytes: Float64Array;
  #startedAt: Float64Array;
  #durations: Float64Array;
  #flags: Uint8Array;
  /** Records that are not complete yet. */
  #open: (JournalRecord | undefined)[];
  #runtimes: (LoggedKind | undefined)[];
  #messages: (Message | undefined)[];
  #replies: (Reply | undefined)[];
  #matchedIds: (string | undefined)[];
  #captures: (CompiledMock<Message> | undefined)[];
  #known: (KnownParts | undefined)[];

  /** @param room - how many there is room for at first */
  constructor(size: number, room = size) {
    this.size = size;
    this.#room = Math.min(size, room);
    this.#numbers = new Float64Array(this.#room);
    this.#orders = new Float64Array(this.#room);
    this.#bytes = new Float64Array(this.#room);
    this.#startedAt = new Float64Array(this.#room);
    this.#durations = new Float64Array(this.#room);
    this.#flags = new Uint8Array(this.#room);
    this.#open = column(this.#room);
    this.#runtimes = column(this.#room);
    this.#messages = column(this.#room);
    this.#replies = column(this.#room);
    this.#matchedIds = column(this.#room);
    this.#captures = column(this.#room);
    this.#known = column(this.#room);
  }

  get room(): number {
    return this.#room;
  }

  /** Makes room for twice as many, or for all. Says whether there was less than that. */
  grow(): boolean {
    if (this.#room >= this.size) return false;
    const room = Math.min(2 * this.#room, this.size);
    // The numbers that are there follow each other, so in more room each has its own place again.
    const places = Array.from(this.#numbers, (number) => (number > 0 ? number % room : -1));
    const spread = <T extends { [place: number]: V }, V>(from: ArrayLike<V>, into: T): T => {
      for (const [place, next] of places.entries()) if (next >= 0) into[next] = from[place] as V;
      return into;
    };
    this.#orders = spread(this.#orders, new Float64Array(room));
    this.#bytes = spread(this.#bytes, new Float64Array(room));
    this.#startedAt = spread(this.#startedAt, new Float64Array(room));
    this.#durations = spread(this.#durations, new Float64Array(room));
    this.#flags = spread(this.#flags, new Uint8Array(room));
    this.#open = spread(this.#open, column<JournalRecord>(room));
    this.#runtimes = spread(this.#runtimes, column<LoggedKind>(room));
    this.#messages = spread(this.#messages, column<Message>(room));
    this.#replies = spread(this.#replies, column<Reply>(room));
    this.#matchedIds = spread(this.#matchedIds, column<string>(room));
    this.#captures = spread(this.#captures, column<CompiledMock<Message>>(room));
    this.#known = spread(this.#known, column<KnownParts>(room));
    this.#numbers = spread(this.#numbers, new Float64Array(room));
    this.#room = room;
    return true;
  }

  /** Keeps a record that will be completed; see {@link settle}. */
  open(number: number, bytes: number, record: JournalRecord): void {
    const place = number % this.#room;
    this.#clear(place);
    this.#numbers[place] = number;
    this.#bytes[place] = bytes;
    this.#open[place] = record;
  }

  /** Keeps a record that is complete. */
  settle(number: number, bytes: number, parts: SettledParts): void {
    const place = number % this.#room;
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

  /** Says when the record has appeared, among those of other journals as well. */
  setOrder(number: number, order: number): void {
    if (this.has(number)) this.#orders[number % this.#room] = order;
  }

  /** What {@link setOrder} was told; 0 when the record is gone. */
  orderOf(number: number): number {
    return this.has(number) ? (this.#orders[number % this.#room] ?? 0) : 0;
  }

  /** Whether the record is still there. */
  has(number: number): boolean {
    return number > 0 && this.#numbers[number % this.#room] === number;
  }

  /** What the record holds in memory, 0 when it is gone. */
  bytesOf(number: number): number {
    return this.has(number) ? (this.#bytes[number % this.#room] ?? 0) : 0;
  }

  /** Lets a record go. Gives the bytes it held. */
  drop(number: number): number {
    if (!this.has(number)) return 0;
    const place = number % this.#room;
    const bytes = this.#bytes[place] ?? 0;
    this.#clear(place);
    return bytes;
  }

  /** The record, to be read at once. */
  get(number: number): JournalRecord | undefined {
    if (!this.has(number)) return undefined;
    const place = number % this.#room;
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
      span: known?.span,
      upstream: known?.upstream,
      contract: known?.contract,
      missed: isUnmatched && runtime.needsMatch,
      get pathParams() {
        return known?.params ?? captures?.params?.(message);
      },
      nearMisses: () => (isUnmatched ? (known?.misses ?? runtime.missesOf(message)) : NO_MISSES),
    };
  }

  clear(): void {
    for (let place = 0; place < this.#room; place += 1) this.#clear(place);
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

function column<T>(size: number): (T | undefined)[] {
  return new Array<T | undefined>(size).fill(undefined);
}
