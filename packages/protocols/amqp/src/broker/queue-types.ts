import type { Clock } from '@backlot/core/plugin';
import type { JobQueue } from '@backlot/kit';
import type { FieldTable } from '../wire/field-table.js';
import type { Entry } from './entry.js';
import type { BrokerMessage } from './broker-message.js';
import type { Memory } from './memory.js';
import type { Owned, Owner } from './owner.js';
import type { QueueArguments } from './queue-arguments.js';

/** Why a message leaves its queue for the dead letter exchange. */
export type DeadReason = 'rejected' | 'expired' | 'maxlen' | 'delivery_limit';

/** Why a message comes back: its client gave it back, or left without a word about it. */
export type ReturnCause = 'requeued' | 'left';

/** Who takes messages of a queue. */
export interface Consumer {
  readonly isExclusive: boolean;
  /** What it was started with. */
  readonly arguments: FieldTable;
  /** Whether it takes one more now. */
  canTake(): boolean;
  deliver(entry: Entry): void;
  /** The queue is gone. */
  cancelled(): void;
}

/** What a queue needs around it. */
export interface QueueHost {
  readonly clock: Clock;
  readonly memory: Memory;
  readonly jobs: JobQueue;
  /** Whether so many dead letters wait that no more are to be made now. */
  readonly hasManyLetters: boolean;
  deadLetter(queue: BrokerQueue, entry: Entry, reason: DeadReason): void;
  /** Nobody uses the queue any more, and it is to go then. */
  abandon(queue: BrokerQueue): void;
}

/** How a queue was declared. */
export interface QueueDefinition {
  readonly name: string;
  readonly durable: boolean;
  readonly autoDelete: boolean;
  /** The connection that alone may use it. */
  readonly exclusiveTo: Owner | undefined;
  readonly arguments: FieldTable;
}

/** A message of a queue as a snapshot holds it. */
export interface SavedMessage {
  readonly message: BrokerMessage;
  /** How often it has come back, where the queue counts that. */
  readonly returns?: number | undefined;
  /** When it has come, in virtual ms, where the queue notes that. */
  readonly at?: number;
}

/** The messages of a queue as a snapshot holds them. */
export interface SavedMessages {
  /** In their order. */
  readonly messages: readonly SavedMessage[];
  /** The offset of the first one, in a stream. */
  readonly first?: number;
}

/** A queue of any type. */
export interface BrokerQueue extends Owned {
  readonly definition: QueueDefinition;
  readonly settings: QueueArguments;
  readonly name: string;
  /** How many messages wait. */
  readonly messageCount: number;
  /** How many were handed out and are not settled. */
  readonly unsettledCount: number;
  readonly consumerCount: number;
  readonly isDeleted: boolean;
  /** Whether a consumer has it for itself. */
  readonly hasExclusiveConsumer: boolean;
  /** Whether so many of its messages are on their way to other queues that no more are to come back now. */
  readonly isCrowded: boolean;
  /** Puts a message in; says whether it was taken. */
  push(message: BrokerMessage): boolean;
  /**
   * Drops what has expired, so that {@link take} gives what has not.
   *
   * @returns whether that is done; else call it again in a later step
   */
  dropExpired(): boolean;
  /** Takes out the first message for a client that asked for it; the caller settles or requeues it. */
  take(): Entry | undefined;
  /** A consumer can take more again; see {@link pump}. */
  wake(consumer: Consumer): void;
  /** Hands out what consumers take: some at once, what is more in later steps. */
  pump(): void;
  /** A message that was handed out is done with. */
  settle(entry: Entry): void;
  /** Hands out nothing until {@link goOn}: while many messages come back, so that their order is kept. */
  holdBack(): void;
  /** What {@link holdBack} has held up goes on. */
  goOn(): void;
  /**
   * A message that was handed out comes back to where it stood, or behind the others, or leaves as a dead letter when
   * that is once too often; between {@link holdBack} and {@link goOn}.
   */
  takeBack(entry: Entry, cause: ReturnCause): void;
  /** A message that was handed out is not wanted. */
  reject(entry: Entry): void;
  /** Drops all that waits; says how many messages that were. */
  purge(): number;
  /** @throws AmqpError 506 when there are too many */
  addConsumer(consumer: Consumer): void;
  removeConsumer(consumer: Consumer): void;
  /** The queue was used: the time after which it goes begins anew. */
  touch(): void;
  /** The messages, those that were handed out among them. */
  save(): SavedMessages;
  /** Puts messages into the empty queue. */
  restore(saved: SavedMessages): void;
  /** Forgets all messages, those that were handed out as well: they never come back. */
  clear(): void;
  /** The queue goes, with its messages; consumers are told. */
  delete(): void;
}
