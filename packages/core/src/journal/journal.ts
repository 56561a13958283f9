import type { JournalEntry, JournalFilter, JournalItem, JournalCollection } from '../contract/journal.js';
import type { Message } from '../contract/message.js';
import { renderEntry, type JournalRecord } from './entry.js';
import { BacklotError } from '../errors.js';
import type { LogCounter } from './log-counter.js';
import type { LoggedExchange } from './logged-exchange.js';
import { recalledExchange } from './recalled.js';
import { Ring } from './ring.js';

/** The newest entries that are kept. */
export const DEFAULT_MAX_ENTRIES = 10_000;
/** The bytes that entries may hold together. */
export const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;
/** What a journal that grows has room for at first. */
const FIRST_ROOM = 64;

/** How many entries have appeared in all journals, so that those of several can be shown in one order. */
let appeared = 0;

type Listener = (entry: JournalItem) => void;

interface Subscription {
  readonly filter: JournalFilter;
  readonly callback: Listener;
  /** Whether it is told of the end of exchanges that were shown before it as well. */
  readonly withEnds: boolean;
}

/**
 * The journal of all kinds: a ring of records, bounded by count and bytes. Numbers are given in the order in which
 * entries appear, so a place in the ring follows from the number.
 */
export class Journal implements JournalCollection {
  readonly #ring: Ring;
  readonly #maxBytes: number;
  readonly #space: string | undefined;
  readonly #subscriptions = new Set<Subscription>();
  readonly #kinds = new Map<string, LogCounter>();
  /** The counters of mocks by id, of each kind: there are few kinds and many mocks. */
  readonly #mocks = new Map<string, Map<string, LogCounter>>();
  #first = 1;
  #next = 1;
  #bytes = 0;
  #total = 0;

  /** @param space - the space that it is the journal of: its entries name it, and it grows as it is needed */
  constructor(maxEntries = DEFAULT_MAX_ENTRIES, maxBytes = DEFAULT_MAX_BYTES, space?: string) {
    this.#ring = new Ring(maxEntries, space === undefined ? maxEntries : FIRST_ROOM);
    this.#maxBytes = maxBytes;
    this.#space = space;
  }

  get newest(): string {
    return String(this.#next - 1);
  }

  /** The counter of a kind; made when it is first asked for. */
  kindCounter(kind: string): LogCounter {
    let counter = this.#kinds.get(kind);
    if (counter === undefined) this.#kinds.set(kind, (counter = { logged: 0 }));
    return counter;
  }

  /** Makes the counter of a mock known, so that counts by `matched_id` find it. */
  registerMock(kind: string, mockId: string, counter: LogCounter): void {
    let counters = this.#mocks.get(kind);
    if (counters === undefined) this.#mocks.set(kind, (counters = new Map<string, LogCounter>()));
    counters.set(mockId, counter);
  }

  /** Forgets the counter of a mock that is gone and has no entries. */
  forgetMock(kind: string, mockId: string): void {
    this.#mocks.get(kind)?.delete(mockId);
  }

  /**
   * Gives an exchange its number and shows it.
   *
   * @param bytes - what it holds in memory, roughly
   */
  publish(exchange: LoggedExchange, bytes: number): void {
    const number = this.#next++;
    if (number - this.#first >= this.#ring.room && !this.#ring.grow()) {
      // The new one takes its place, so nothing of it need be cleared.
      this.#bytes -= this.#ring.bytesOf(this.#first);
      this.#first += 1;
    }
    exchange.number = number;
    this.#keep(exchange, bytes);
    this.#ring.setOrder(number, (appeared += 1));
    this.#total += 1;
    exchange.countLogged();
    if (this.#subscriptions.size > 0) this.#tell(exchange);
  }

  recall(entry: JournalEntry): void {
    const number = Number(entry.id);
    if (!Number.isSafeInteger(number) || number < this.#next)
      throw new BacklotError('conflict', `the id ${entry.id} is not behind ${this.newest}`);
    this.#goOnFrom(number);
    const ofMock =
      entry.matched_id === undefined ? undefined : this.#mocks.get(entry.protocol)?.get(entry.matched_id);
    const counters = [this.kindCounter(entry.protocol), ...(ofMock === undefined ? [] : [ofMock])];
    const { exchange, bytes } = recalledExchange(entry, counters);
    this.publish(exchange, bytes);
  }

  /** Lets the next entry have a later number: those before it for which there is no room any more are dropped. */
  #goOnFrom(number: number): void {
    if (this.#total === 0 || number - this.#next >= this.#ring.size) {
      this.#ring.clear();
      this.#bytes = 0;
      this.#first = number;
    }
    while (number - this.#first >= this.#ring.room && this.#ring.grow());
    while (number - this.#first >= this.#ring.room) this.#dropFirst();
    this.#next = number;
  }

  /** An exchange that was shown before its end has ended. */
  complete(exchange: LoggedExchange, bytes: number): void {
    if (!this.#ring.has(exchange.number)) return;
    this.#bytes -= this.#ring.bytesOf(exchange.number);
    this.#keep(exchange, bytes);
    if (this.#subscriptions.size > 0) this.#tell(exchange, true);
  }

  list(filter: JournalFilter = {}): readonly JournalEntry[] {
    return this.items(filter).map((item) => item.render());
  }

  items(filter: JournalFilter = {}): readonly JournalItem[] {
    const { after, limit = Infinity } = filter;
    const found: JournalItem[] = [];
    const add = (number: number): void => {
      const record = this.#ring.get(number);
      if (record !== undefined && fits(record, filter)) found.push(this.#itemOf(number, record));
    };
    const oldest = Math.max(this.#first, after === undefined ? 0 : Number(after) + 1);
    const newest = this.#next - 1;
    if (after === undefined) {
      for (let number = newest; number >= oldest && found.length < limit; number -= 1) add(number);
      return found.reverse();
    }
    for (let number = oldest; number <= newest && found.length < limit; number += 1) add(number);
    return found;
  }

  *backwards(filter: JournalFilter = {}): Generator<JournalItem, void> {
    for (let number = this.#next - 1; number >= this.#first; number -= 1) {
      const record = this.#ring.get(number);
      if (record !== undefined && fits(record, filter)) yield this.#itemOf(number, record);
    }
  }

  find(id: string): JournalEntry | undefined {
    return this.item(id)?.render();
  }

  item(id: string): JournalItem | undefined {
    const record = /^[1-9]\d{0,15}$/.test(id) ? this.#ring.get(Number(id)) : undefined;
    return record === undefined ? undefined : this.#itemOf(Number(id), record);
  }

  count(filter: JournalFilter = {}): { readonly count: number; readonly complete: boolean } {
    const { protocol, matchedId } = filter;
    const isExact = filter.unmatched === undefined && filter.after === undefined;
    if (isExact && matchedId !== undefined) {
      let count = 0;
      for (const [kind, counters] of this.#mocks) {
        if (protocol === undefined || protocol === kind) count += counters.get(matchedId)?.logged ?? 0;
      }
      return { count, complete: true };
    }
    if (isExact) {
      return {
        count: protocol === undefined ? this.#total : (this.#kinds.get(protocol)?.logged ?? 0),
        complete: true,
      };
    }
    let count = 0;
    const start = Math.max(this.#first, filter.after === undefined ? 0 : Number(filter.after) + 1);
    for (let number = start; number < this.#next; number += 1) {
      const record = this.#ring.get(number);
      if (record !== undefined && fits(record, filter)) count += 1;
    }
    return { count, complete: false };
  }

  clear(): void {
    this.#ring.clear();
    this.#first = this.#next;
    this.#bytes = 0;
    this.#total = 0;
    for (const counter of this.#kinds.values()) counter.logged = 0;
    for (const counters of this.#mocks.values()) for (const counter of counters.values()) counter.logged = 0;
  }

  /** Clears the entries of one kind, or of one mock of it. */
  clearOf(kind: string, mockId?: string): void {
    for (let number = this.#first; number < this.#next; number += 1) {
      const record = this.#ring.get(number);
      if (record?.kind !== kind || (mockId !== undefined && record.matchedId !== mockId)) continue;
      this.#bytes -= this.#ring.drop(number);
    }
    const kindCounter = this.kindCounter(kind);
    if (mockId === undefined) {
      this.#total -= kindCounter.logged;
      kindCounter.logged = 0;
      for (const counter of this.#mocks.get(kind)?.values() ?? []) counter.logged = 0;
      return;
    }
    const counter = this.#mocks.get(kind)?.get(mockId);
    if (counter === undefined) return;
    this.#total -= counter.logged;
    kindCounter.logged -= counter.logged;
    counter.logged = 0;
  }

  /** @param withEnds - whether the callback is called again at the end of an exchange that was shown before it */
  subscribe(filter: JournalFilter, callback: Listener, withEnds = false): () => void {
    const subscription = { filter, callback, withEnds };
    this.#subscriptions.add(subscription);
    return () => this.#subscriptions.delete(subscription);
  }

  #keep(exchange: LoggedExchange, bytes: number): void {
    const { number } = exchange;
    this.#bytes += bytes;
    if (exchange.ended) this.#ring.settle(number, bytes, exchange);
    else this.#ring.open(number, bytes, exchange);
    while (this.#bytes > this.#maxBytes && this.#first < number) this.#dropFirst();
  }

  #dropFirst(): void {
    this.#bytes -= this.#ring.drop(this.#first);
    this.#first += 1;
  }

  #tell(exchange: LoggedExchange, isEnd = false): void {
    for (const { filter, callback, withEnds } of this.#subscriptions) {
      if ((isEnd && !withEnds) || !fits(exchange, filter)) continue;
      try {
        callback(this.#itemOf(exchange.number, exchange));
      } catch (thrown) {
        exchange.log.error('a reader of the journal failed', thrown);
      }
    }
  }

  #itemOf(number: number, record: JournalRecord): JournalItem {
    return new Item(number, record, this.#ring.orderOf(number), this.#space);
  }
}

/** One for each message while somebody follows the log, who may want few of them: nothing is made before it is read. */
class Item implements JournalItem {
  readonly #number: number;
  readonly #record: JournalRecord;
  readonly order: number;
  readonly #space: string | undefined;

  constructor(number: number, record: JournalRecord, order: number, space: string | undefined) {
    this.#number = number;
    this.#record = record;
    this.order = order;
    this.#space = space;
  }

  get id(): string {
    return String(this.#number);
  }

  get message(): Message {
    return this.#record.message;
  }

  get ended(): boolean {
    return this.#record.duration !== undefined;
  }

  render(without?: 'near_misses' | 'bodies'): JournalEntry {
    return renderEntry(this.id, this.#record, without, this.#space);
  }
}

function fits(record: JournalRecord, filter: JournalFilter): boolean {
  return (
    (filter.protocol === undefined || record.kind === filter.protocol) &&
    (filter.matchedId === undefined || record.matchedId === filter.matchedId) &&
    (filter.unmatched === undefined ||
      (record.wasAsked && (record.matchedId === undefined) === filter.unmatched))
  );
}
