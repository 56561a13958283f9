import type { Clock } from '@backlot/core/plugin';
import type { BrokerMessage } from './broker-message.js';
import { goesRound, makeDeadLetter } from './dead-letter.js';
import type { Entry } from './entry.js';
import type { Exchange } from './exchange.js';
import { Memory } from './memory.js';
import type { Owner } from './owner.js';
import { Queue } from './queue.js';
import type { DeadReason, QueueHost } from './queue-types.js';
import { Registry } from './registry.js';
import { ReplyAddresses } from './reply-addresses.js';
import { Router, type Target } from './router.js';

/** A broker in memory: what one client publishes, others receive. */
export class Broker implements QueueHost {
  readonly clock: Clock;
  readonly memory = new Memory();
  readonly replies = new ReplyAddresses();
  readonly registry: Registry;
  readonly #router: Router;

  constructor(clock: Clock) {
    this.clock = clock;
    this.registry = new Registry(this);
    this.#router = new Router(this.registry, this.replies);
  }

  /** Where a message goes. */
  route(exchange: Exchange, message: BrokerMessage): readonly Target[] {
    return this.#router.route(exchange, message);
  }

  deadLetter(queue: Queue, entry: Entry, reason: DeadReason): void {
    const { deadLetterExchange } = queue.settings;
    if (deadLetterExchange === undefined) return;
    const exchange = this.registry.exchanges.get(deadLetterExchange);
    if (exchange === undefined) return;
    const letter = makeDeadLetter(entry.message, queue, reason, this.clock.now());
    if (this.memory.wouldOverflow(letter.size)) return;
    for (const target of this.route(exchange, letter)) {
      if (!goesRound(letter, target.name)) target.push(letter);
    }
  }

  abandon(queue: Queue): void {
    this.registry.removeQueue(queue);
  }

  /** A connection is gone: so are the queues that only it could use. Its consumers must be removed before. */
  leave(owner: Owner): void {
    for (const owned of [...owner.owned]) {
      if (owned instanceof Queue && owned.definition.exclusiveTo === owner) this.registry.removeQueue(owned);
      owned.owners.delete(owner);
    }
    owner.owned.clear();
  }
}
