import type { HeldReading, JobQueue } from '@backlot/kit';
import type { AmqpContext } from '../shape.js';
import { connection as connectionClass } from '../wire/classes/connection.js';
import { writeMethod } from '../wire/method.js';
import { clipShortString } from '../wire/short-string.js';

/** The connection of a publisher. */
interface Publishing {
  /** Whether its client understands connection.blocked. */
  readonly wantsBlockedNotices: boolean;
  send(frames: Buffer): void;
}

/** What a connection knows of the blockade. */
export interface HeldPublisher {
  /** A message begins: while there is a blockade nothing more is read of the connection, and its client is told why. */
  beginMessage(): void;
  /** The connection is read again, whatever there is, without a word. */
  letGo(): void;
}

/**
 * Holds up publishers while a fault says that the broker is short of something, as an alarm of RabbitMQ does: a
 * connection is blocked when it begins to publish, so that those that only consume are not. Afterwards it is told, and
 * read again.
 */
export class Blockade {
  readonly #faults: Pick<AmqpContext['faults'], 'current'>;
  readonly #jobs: JobQueue;
  readonly #held = new Set<Held>();
  #isLifting = false;

  constructor(faults: Pick<AmqpContext['faults'], 'current' | 'onChange'>, jobs: JobQueue) {
    this.#faults = faults;
    this.#jobs = jobs;
    faults.onChange(() => this.#follow());
  }

  /** What is to be asked for a connection whenever a message begins. */
  heldPublisher(connection: Publishing, reading: HeldReading): HeldPublisher {
    return new Held(connection, reading, this.#held, () => this.#reason);
  }

  get #reason(): string | undefined {
    return this.#faults.current?.blocked;
  }

  #follow(): void {
    if (this.#isLifting || this.#held.size === 0 || this.#reason !== undefined) return;
    this.#isLifting = true;
    this.#jobs.add(this.#lift());
  }

  /** In steps: each of them may have sent much that it is now to be read of. */
  *#lift(): Generator {
    try {
      for (const each of this.#held) {
        // It may have been set again meanwhile.
        if (this.#reason !== undefined) return;
        each.lift();
        yield;
      }
    } finally {
      this.#isLifting = false;
    }
  }
}

class Held implements HeldPublisher {
  readonly #connection: Publishing;
  readonly #reading: HeldReading;
  readonly #all: Set<Held>;
  readonly #reasonNow: () => string | undefined;

  constructor(
    connection: Publishing,
    reading: HeldReading,
    all: Set<Held>,
    reasonNow: () => string | undefined,
  ) {
    this.#connection = connection;
    this.#reading = reading;
    this.#all = all;
    this.#reasonNow = reasonNow;
  }

  beginMessage(): void {
    const reason = this.#reasonNow();
    if (reason === undefined || this.#all.has(this)) return;
    this.#all.add(this);
    this.#reading.hold();
    if (!this.#connection.wantsBlockedNotices) return;
    this.#connection.send(writeMethod(0, connectionClass.blocked, { reason: clipShortString(reason) }));
  }

  letGo(): void {
    if (this.#all.delete(this)) this.#reading.release();
  }

  /** It may publish again. */
  lift(): void {
    if (this.#connection.wantsBlockedNotices) {
      this.#connection.send(writeMethod(0, connectionClass.unblocked, {}));
    }
    this.letGo();
  }
}
