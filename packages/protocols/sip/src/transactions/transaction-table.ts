import { KeptBytes, timers, type ProvenAddresses, type Timer } from '@backlot/kit';
import type { IncomingRequest } from '../incoming-request.js';
import { FACTOR, isProven, LIFETIME, type Transaction } from './transaction.js';

/** The newest so many transactions are kept, from all clients together. */
const MAX_TRANSACTIONS = 16_384;
/** The most octets of their answers. */
const MAX_OCTETS = 64 * 1024 * 1024;

/** How a request stands to those before it: `merged` is the same request by another way (RFC 3261 section 8.2.2.2). */
export type Acquaintance = 'new' | 'again' | 'merged';

/**
 * The transactions under way, and those that may still see their request again; bounded in number, octets and time. Of one
 * that is over only its answer is kept, in columns: thousands of objects that live for half a minute are what a collector
 * is slowest with.
 */
export class TransactionTable {
  /** Each has a number, in order of arrival; its place in the columns follows from it. */
  readonly #numbers = new Map<string, number>();
  /** What an ACK to a 2xx belongs to. */
  readonly #byDialog = new Map<string, Transaction>();
  readonly #keys: (string | undefined)[] = [];
  readonly #branches = new Int32Array(MAX_TRANSACTIONS);
  /** Those under way, and every INVITE: its answer may have to be repeated. */
  readonly #transactions: (Transaction | undefined)[] = [];
  /** What the last answer stands in: answers share buffers, and a view for each would be an object more. */
  readonly #buffers: (ArrayBufferLike | undefined)[] = [];
  readonly #offsets = new Uint32Array(MAX_TRANSACTIONS);
  readonly #sizes = new Uint32Array(MAX_TRANSACTIONS);
  /** How many octets may still be sent, as in {@link Transaction}. */
  readonly #credits = new Float64Array(MAX_TRANSACTIONS);
  /** On the wire's clock, as what follows. */
  readonly #since = new Float64Array(MAX_TRANSACTIONS);
  readonly #expires = new Float64Array(MAX_TRANSACTIONS);
  readonly #kept = new KeptBytes();
  #first = 0;
  #next = 0;
  #octets = 0;
  #sweeping: Timer | undefined;

  /** How many there are. */
  get size(): number {
    return this.#next - this.#first;
  }

  /** A transaction that is under way, or an INVITE. */
  find(key: string, branch: number): Transaction | undefined {
    const place = this.#placeOf(key);
    return place < 0 || this.#branches[place] !== branch ? undefined : this.#transactions[place];
  }

  /** Whether a request was met before. */
  recognize(key: string, branch: number): Acquaintance {
    const place = this.#placeOf(key);
    if (place < 0) return 'new';
    return this.#branches[place] === branch ? 'again' : 'merged';
  }

  findByDialog(key: string): Transaction | undefined {
    return this.#byDialog.get(key);
  }

  /** To a request that came before: what it got last, unless that would be too much for its address. */
  answerAgain(key: string, request: Pick<IncomingRequest, 'size' | 'source'>, proven: ProvenAddresses): void {
    const place = this.#placeOf(key);
    const transaction = this.#transactions[place];
    const buffer = this.#buffers[place];
    if (transaction !== undefined) return transaction.answerAgain(request);
    if (buffer === undefined) return;
    const { source } = request;
    const size = this.#sizes[place] ?? 0;
    const credit = (this.#credits[place] ?? 0) + FACTOR * request.size;
    const isCovered = size <= credit;
    this.#credits[place] = isCovered ? credit - size : credit;
    if (isCovered || isProven(source, proven)) source.send(Buffer.from(buffer, this.#offsets[place], size));
  }

  /** A transaction begins whose key is not known. */
  add(key: string, branch: number, transaction: Transaction): void {
    if (this.size === MAX_TRANSACTIONS) this.#dropFirst();
    const place = this.#take(key, branch, timers.now());
    transaction.place = place;
    this.#transactions[place] = transaction;
    if (transaction.dialogKey !== undefined) this.#byDialog.set(transaction.dialogKey, transaction);
    this.#sweeping ??= timers.after(LIFETIME, () => this.#sweep(), { unref: true });
  }

  /** Another transaction takes the place of the one with this key. */
  forget(key: string): void {
    const place = this.#placeOf(key);
    if (place >= 0) this.#forget(place);
  }

  /** A transaction has its final answer, or will have none. */
  settle(transaction: Transaction): void {
    const { place, last, expires, isInvite, credit } = transaction;
    // It may have been dropped while it waited.
    if (this.#transactions[place] !== transaction) return;
    const size = last?.length ?? 0;
    this.#octets += size - (this.#sizes[place] ?? 0);
    this.#sizes[place] = size;
    if (isInvite) transaction.keepLast(this.#kept);
    else {
      this.#transactions[place] = undefined;
      const answer = last === undefined ? undefined : this.#kept.keep(last);
      this.#buffers[place] = answer?.buffer;
      this.#offsets[place] = answer?.byteOffset ?? 0;
      this.#expires[place] = expires;
      this.#credits[place] = credit;
    }
    while (this.#octets > MAX_OCTETS && this.size > 1) this.#dropFirst();
  }

  clear(): void {
    while (this.size > 0) this.#dropFirst();
    this.#sweeping?.cancel();
    this.#sweeping = undefined;
  }

  /** -1 for what is not known, or no longer. */
  #placeOf(key: string): number {
    const number = this.#numbers.get(key);
    if (number === undefined) return -1;
    const place = number % MAX_TRANSACTIONS;
    if (this.#expiresAt(place) > timers.now()) return place;
    this.#forget(place);
    return -1;
  }

  #expiresAt(place: number): number {
    return this.#transactions[place]?.expires ?? this.#expires[place] ?? 0;
  }

  /** Takes the next place. */
  #take(key: string, branch: number, since: number): number {
    const number = this.#next++;
    const place = number % MAX_TRANSACTIONS;
    this.#numbers.set(key, number);
    this.#keys[place] = key;
    this.#branches[place] = branch;
    this.#since[place] = since;
    return place;
  }

  #dropFirst(): void {
    const place = this.#first % MAX_TRANSACTIONS;
    this.#first += 1;
    this.#forget(place);
    this.#octets -= this.#sizes[place] ?? 0;
    this.#sizes[place] = 0;
  }

  /** What is left of it is a place. */
  #forget(place: number): void {
    const key = this.#keys[place];
    const transaction = this.#transactions[place];
    if (key !== undefined) this.#numbers.delete(key);
    this.#empty(place);
    if (transaction === undefined) return;
    transaction.end();
    const { dialogKey } = transaction;
    if (dialogKey !== undefined && this.#byDialog.get(dialogKey) === transaction) {
      this.#byDialog.delete(dialogKey);
    }
  }

  #empty(place: number): void {
    this.#keys[place] = undefined;
    this.#transactions[place] = undefined;
    this.#buffers[place] = undefined;
    this.#expires[place] = 0;
  }

  /** Drops what is old; what still waits for its answer is looked at again a lifetime later. */
  #sweep(): void {
    const now = timers.now();
    for (let left = this.size; left > 0; left -= 1) {
      const place = this.#first % MAX_TRANSACTIONS;
      if ((this.#since[place] ?? 0) + LIFETIME > now) break;
      if (this.#expiresAt(place) <= now) this.#dropFirst();
      else this.#moveToEnd(place, now);
    }
    this.#sweeping =
      this.size === 0 ? undefined : timers.after(LIFETIME / 4, () => this.#sweep(), { unref: true });
  }

  #moveToEnd(from: number, now: number): void {
    const key = this.#keys[from] ?? '';
    const transaction = this.#transactions[from];
    const buffer = this.#buffers[from];
    const offset = this.#offsets[from] ?? 0;
    const size = this.#sizes[from] ?? 0;
    const expires = this.#expires[from] ?? 0;
    const credit = this.#credits[from] ?? 0;
    this.#first += 1;
    this.#empty(from);
    this.#sizes[from] = 0;
    const place = this.#take(key, this.#branches[from] ?? 0, now);
    if (transaction !== undefined) transaction.place = place;
    this.#transactions[place] = transaction;
    this.#buffers[place] = buffer;
    this.#offsets[place] = offset;
    this.#sizes[place] = size;
    this.#expires[place] = expires;
    this.#credits[place] = credit;
  }
}
