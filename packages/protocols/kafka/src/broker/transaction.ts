import type { Timer } from '@backlot/kit';
import type { CommittedOffset } from './offsets.js';

/** The states of a transactional id, as DescribeTransactions names them. */
export type TransactionState =
  'Empty' | 'Ongoing' | 'PrepareCommit' | 'PrepareAbort' | 'CompleteCommit' | 'CompleteAbort';

/** What has become of one transaction, for those who look at its records. */
export interface TransactionMark {
  readonly id: string;
  outcome: 'open' | 'committed' | 'aborted';
}

/** A partition by its topic's id: a topic of the same name that is made later is another one. */
export interface TopicPartition {
  readonly topicId: string;
  readonly topic: string;
  readonly partition: number;
}

/** An offset that counts when the transaction is committed. */
export interface PendingOffset {
  readonly groupId: string;
  readonly topic: string;
  readonly partition: number;
  readonly committed: CommittedOffset;
}

/** What one transaction has gathered. */
export class Work {
  readonly mark: TransactionMark;
  readonly partitions = new Map<string, TopicPartition>();
  readonly groups = new Set<string>();
  readonly offsets = new Map<string, PendingOffset>();
  /** When it began, in ms since 1970; -1 before. */
  startedAt = -1;
  timer: Timer | undefined;

  /** @param mark - of a transaction that is taken up again; a new one when absent */
  constructor(id: string, mark: TransactionMark = { id, outcome: 'open' }) {
    this.mark = mark;
  }
}

/** A transactional id with its producer. */
export class Transaction {
  readonly id: string;
  producerId: number;
  epoch = -1;
  /** The epoch before the last one, of a producer that went on after an error. */
  lastEpoch = -1;
  timeout = 0;
  state: TransactionState = 'Empty';
  work: Work;
  /** Whether it is kept for a producer of before a reset alone, and shown to nobody. */
  isHidden = false;

  constructor(id: string, producerId: number) {
    this.id = id;
    this.producerId = producerId;
    this.work = new Work(id);
  }

  /** Whether there is work that has not come to its end. */
  get isBusy(): boolean {
    return this.isEnding || this.work.timer !== undefined;
  }

  get isEnding(): boolean {
    return this.state === 'PrepareCommit' || this.state === 'PrepareAbort';
  }
}

/** The key of a partition in {@link Work.partitions}. */
export function keyOfPartition(topicId: string, partition: number): string {
  return `${topicId}/${partition}`;
}

/** A producer as it names itself in a request. */
export interface ProducerClaim {
  readonly transactionalId: string;
  readonly producerId: number;
  readonly producerEpoch: number;
}

/** A snapshot of a transactional id. */
export interface SavedTransaction {
  readonly id: string;
  readonly producerId: number;
  readonly epoch: number;
  readonly lastEpoch: number;
  readonly timeout: number;
  readonly state: TransactionState;
  /** Shared with what was captured, whose snapshot has references too. */
  readonly mark: TransactionMark;
  readonly startedAt: number;
  readonly partitions: readonly TopicPartition[];
  readonly groups: readonly string[];
  readonly offsets: readonly PendingOffset[];
}

/** A snapshot of the transactions. */
export type SavedTransactions = readonly SavedTransaction[];

/** What a producer is given. */
export type InitAnswer =
  { readonly errorCode: number } | { readonly producerId: number; readonly producerEpoch: number };

/** How the producer of a transaction names itself. */
export function claimOf({ id, producerId, epoch }: Transaction): ProducerClaim {
  return { transactionalId: id, producerId, producerEpoch: epoch };
}
