import type { Clock } from '@backlot/core/plugin';
import type { JobQueue } from '@backlot/kit';
import type { FieldTable } from '../wire/field-table.js';
import type { Entry } from './entry.js';
import type { Memory } from './memory.js';
import type { Owner } from './owner.js';
import type { Queue } from './queue.js';

/** Why a message leaves its queue for the dead letter exchange. */
export type DeadReason = 'rejected' | 'expired' | 'maxlen';

/** Who takes messages of a queue. */
export interface Consumer {
  readonly isExclusive: boolean;
  /** Whether it takes one more now. */
  canTake(): boolean;
  deliver(entry: Entry, queue: Queue): void;
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
  deadLetter(queue: Queue, entry: Entry, reason: DeadReason): void;
  /** Nobody uses the queue any more, and it is to go then. */
  abandon(queue: Queue): void;
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
