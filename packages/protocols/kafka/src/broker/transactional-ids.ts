import { ERROR } from '../wire/errors.js';
import { Transaction, type ProducerClaim, type SavedTransaction } from './transaction.js';

/** How many transactional ids are known at one time. */
export const MAX_IDS = 10_000;
/** An epoch has 16 bits; the last one is for fencing. */
const LAST_EPOCH = 32_766;

/** The transactional ids with their producers. */
export class TransactionalIds {
  readonly #nextProducerId: () => number;
  /** The one that was begun anew the longest ago first. */
  readonly #byId = new Map<string, Transaction>();
  readonly #byProducer = new Map<number, Transaction>();

  constructor(nextProducerId: () => number) {
    this.#nextProducerId = nextProducerId;
  }

  /** Those that are shown: not the ones of before a reset. */
  get shown(): readonly Transaction[] {
    return [...this.#byId.values()].filter(({ isHidden }) => !isHidden);
  }

  all(): Iterable<Transaction> {
    return this.#byId.values();
  }

  find(id: string): Transaction | undefined {
    return this.#byId.get(id);
  }

  ofProducer(producerId: number): Transaction | undefined {
    return this.#byProducer.get(producerId);
  }

  /** The transactional id, made when there is none; `undefined` when there are too many. */
  open(id: string): Transaction | undefined {
    return this.#byId.get(id) ?? this.#make(id);
  }

  /** The one that a producer claims to be, or an error code. */
  claimed({ transactionalId, producerId, producerEpoch }: ProducerClaim): Transaction | number {
    const transaction = this.#byId.get(transactionalId);
    if (transaction?.producerId !== producerId) return ERROR.INVALID_PRODUCER_ID_MAPPING;
    return transaction.epoch === producerEpoch ? transaction : ERROR.PRODUCER_FENCED;
  }

  /** Is begun anew: of all it will be forgotten last. */
  renew(transaction: Transaction): void {
    this.#byId.delete(transaction.id);
    this.#byId.set(transaction.id, transaction);
    transaction.isHidden = false;
  }

  /** Gives the next epoch, with another producer id when there is none left. @param goesOn - after an error */
  bump(transaction: Transaction, goesOn: boolean): void {
    if (transaction.epoch >= LAST_EPOCH) {
      this.#byProducer.delete(transaction.producerId);
      transaction.producerId = this.#nextProducerId();
      transaction.epoch = -1;
      this.#byProducer.set(transaction.producerId, transaction);
    }
    transaction.lastEpoch = goesOn ? transaction.epoch : -1;
    transaction.epoch += 1;
  }

  /** Puts one back as it was saved. */
  restore({ id, producerId, epoch, lastEpoch, timeout, state }: SavedTransaction): Transaction {
    const transaction = this.#byId.get(id) ?? new Transaction(id, producerId);
    this.#byProducer.delete(transaction.producerId);
    Object.assign(transaction, { producerId, epoch, lastEpoch, timeout, state, isHidden: false });
    this.#byId.set(id, transaction);
    this.#byProducer.set(producerId, transaction);
    return transaction;
  }

  #make(id: string): Transaction | undefined {
    if (this.#byId.size >= MAX_IDS && !this.#forgetOne()) return undefined;
    const transaction = new Transaction(id, this.#nextProducerId());
    this.#byId.set(id, transaction);
    this.#byProducer.set(transaction.producerId, transaction);
    return transaction;
  }

  /** Forgets the id that was begun the longest ago and has nothing under way. */
  #forgetOne(): boolean {
    for (const [id, transaction] of this.#byId) {
      if (transaction.isBusy) continue;
      this.#byId.delete(id);
      this.#byProducer.delete(transaction.producerId);
      return true;
    }
    return false;
  }
}
