import { wire, type Timer } from '@backlot/kit';
import { LIFETIME, type Transaction } from './transaction.js';

/** The newest so many transactions are kept, from all clients together. */
const MOST_TRANSACTIONS = 16_384;
/** The most octets of their answers. */
const MOST_OCTETS = 64 * 1024 * 1024;

interface Held {
  readonly key: string;
  readonly dialogKey: string | undefined;
  readonly transaction: Transaction;
  /** On the wire's clock. */
  readonly since: number;
  /** What was counted for it. */
  size: number;
}

/** The transactions under way, and those that may still see their request again; bounded in number, octets and time. */
export class TransactionTable {
  readonly #byKey = new Map<string, Held>();
  /** What an ACK to a 2xx belongs to. */
  readonly #byDialog = new Map<string, Transaction>();
  /** In order of arrival, a ring. */
  readonly #ring: (Held | undefined)[] = [];
  #first = 0;
  #count = 0;
  #octets = 0;
  #sweeping: Timer | undefined;

  /** How many there are. */
  get size(): number {
    return this.#count;
  }

  find(key: string): Transaction | undefined {
    const held = this.#byKey.get(key);
    return held !== undefined && held.transaction.expires > wire.now() ? held.transaction : undefined;
  }

  findByDialog(key: string): Transaction | undefined {
    return this.#byDialog.get(key);
  }

  add(key: string, dialogKey: string | undefined, transaction: Transaction): void {
    const old = this.#byKey.get(key);
    if (old !== undefined) old.transaction.end();
    if (this.#count === MOST_TRANSACTIONS) this.#dropFirst();
    this.#push({ key, dialogKey, transaction, since: wire.now(), size: 0 });
    if (dialogKey !== undefined) this.#byDialog.set(dialogKey, transaction);
    this.#sweeping ??= wire.after(LIFETIME, () => this.#sweep(), { unref: true });
  }

  /** Counts the answer that a transaction keeps. */
  weigh(key: string): void {
    const held = this.#byKey.get(key);
    if (held === undefined) return;
    this.#octets += held.transaction.size - held.size;
    held.size = held.transaction.size;
    while (this.#octets > MOST_OCTETS && this.#count > 1) this.#dropFirst();
  }

  clear(): void {
    while (this.#count > 0) this.#dropFirst();
    this.#sweeping?.cancel();
    this.#sweeping = undefined;
  }

  #push(held: Held): void {
    this.#ring[(this.#first + this.#count) % MOST_TRANSACTIONS] = held;
    this.#count += 1;
    this.#byKey.set(held.key, held);
  }

  #takeFirst(): Held | undefined {
    const held = this.#ring[this.#first];
    this.#ring[this.#first] = undefined;
    this.#first = (this.#first + 1) % MOST_TRANSACTIONS;
    this.#count -= 1;
    return held;
  }

  #dropFirst(): void {
    const held = this.#takeFirst();
    if (held === undefined) return;
    const { key, dialogKey, transaction, size } = held;
    this.#octets -= size;
    transaction.end();
    // A newer transaction may have taken the key over.
    if (this.#byKey.get(key) === held) this.#byKey.delete(key);
    if (dialogKey !== undefined && this.#byDialog.get(dialogKey) === transaction) {
      this.#byDialog.delete(dialogKey);
    }
  }

  /** Drops what is old; what still waits for its answer is looked at again a lifetime later. */
  #sweep(): void {
    const now = wire.now();
    for (let left = this.#count; left > 0; left -= 1) {
      const held = this.#ring[this.#first];
      if (held === undefined || held.since + LIFETIME > now) break;
      if (held.transaction.expires <= now) this.#dropFirst();
      else {
        this.#takeFirst();
        this.#push({ ...held, since: now });
      }
    }
    this.#sweeping =
      this.#count === 0 ? undefined : wire.after(LIFETIME / 4, () => this.#sweep(), { unref: true });
  }
}
