import type { Clock } from '@backlot/core/plugin';
import { JobQueue } from '@backlot/kit';
import type { BrokerMessage } from './broker-message.js';
import { goesRound, hasDiedTooOften, makeDeadLetter } from './dead-letter.js';
import { DelayedMessages } from './delayed-messages.js';
import { DeadLetters, type DeadLetter } from './dead-letters.js';
import type { Entry } from './entry.js';
import type { Exchange } from './exchange.js';
import { Memory } from './memory.js';
import type { Owner } from './owner.js';
import { Queue } from './queue.js';
import type { BrokerQueue, DeadReason, QueueHost } from './queue-types.js';
import { Registry } from './registry.js';
import { ReplyAddresses } from './reply-addresses.js';
import { Router, type Target } from './router.js';

/** A broker in memory: what one client publishes, others receive. */
export class Broker implements QueueHost {
  readonly clock: Clock;
  readonly memory = new Memory();
  readonly replies = new ReplyAddresses();
  readonly registry: Registry;
  /** What exchanges hold back. */
  readonly delayed: DelayedMessages;
  /** For whatever may take long. */
  readonly jobs: JobQueue;
  readonly #router: Router;
  readonly #letters: DeadLetters;

  /** @param onError - told what went wrong in the work of no client in particular */
  constructor(clock: Clock, onError: (error: unknown) => void) {
    this.clock = clock;
    this.jobs = new JobQueue({ onError, byTurns: true });
    this.registry = new Registry(this);
    this.delayed = new DelayedMessages(this, (exchange, message) => this.deliver(exchange, message));
    this.#router = new Router(this.registry, this.replies, this.delayed);
    this.#letters = new DeadLetters(new JobQueue({ onError }), (letter) => this.#sendLetter(letter));
  }

  get hasManyLetters(): boolean {
    return this.#letters.areMany;
  }

  /** Where a message goes; `undefined` when finding out may take long: see {@link routeInSteps}. */
  route(exchange: Exchange, message: BrokerMessage): readonly Target[] | undefined {
    return this.#router.route(exchange, message);
  }

  /** {@link route} in steps between which others may be let in. */
  routeInSteps(exchange: Exchange, message: BrokerMessage): Generator<undefined, readonly Target[]> {
    return this.#router.routeInSteps(exchange, message);
  }

  /**
   * Sends a message wherever it goes: at once, or in steps when that may take long.
   *
   * @returns whether something takes it, as far as that is known by then
   */
  deliver(exchange: Exchange, message: BrokerMessage): boolean {
    const targets = this.route(exchange, message);
    if (targets === undefined) this.jobs.add(this.#deliverInSteps(exchange, message));
    else for (const target of targets) target.push(message);
    return targets === undefined || targets.length > 0;
  }

  *#deliverInSteps(exchange: Exchange, message: BrokerMessage): Generator {
    for (const target of yield* this.routeInSteps(exchange, message)) {
      target.push(message);
      yield;
    }
  }

  deadLetter(queue: BrokerQueue, entry: Entry, reason: DeadReason): void {
    if (queue.settings.deadLetterExchange !== undefined) this.#letters.add({ queue, entry, reason });
  }

  *#sendLetter({ queue, entry, reason }: DeadLetter): Generator {
    const exchange = this.registry.exchanges.get(queue.settings.deadLetterExchange ?? '');
    if (exchange === undefined || hasDiedTooOften(entry.message)) return;
    const letter = makeDeadLetter(entry.message, queue, reason, this.clock.now());
    if (this.memory.wouldOverflow(letter.size)) return;
    const known = this.route(exchange, letter);
    const targets = known === undefined ? yield* this.routeInSteps(exchange, letter) : known;
    for (const target of targets) {
      if (!goesRound(letter, target.name)) target.push(letter);
      yield;
    }
  }

  abandon(queue: BrokerQueue): void {
    this.registry.removeQueue(queue);
  }

  /** A connection is gone: so are the queues that only it could use. */
  *leave(owner: Owner): Generator {
    for (const owned of owner.owned) {
      owner.owned.delete(owned);
      owned.owners.delete(owner);
      if (owned instanceof Queue && owned.definition.exclusiveTo === owner) this.registry.removeQueue(owned);
      yield;
    }
  }
}
