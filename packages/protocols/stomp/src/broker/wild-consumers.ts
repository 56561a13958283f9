import { messageOf } from '@backlot/core/plugin';
import { WildcardIndex, type WildcardSyntax } from '@backlot/kit/wildcards';
import { show, StompError } from '../wire/stomp-error.js';
import { QUEUE } from './destination.js';
import type { Queue } from './queue.js';
import type { Subscription } from './subscription.js';
import { patternOf } from './wildcards.js';

/** Words of all patterns. */
const MAX_WORDS = 10_000;
/** How many queues all such consumers have together: a queue counts for each. */
const MAX_SHARES = 200_000;

/** Consumers of all queues whose names match a pattern, those included that come later. */
export class WildConsumers {
  readonly #syntax: WildcardSyntax | undefined;
  readonly #index: WildcardIndex<Subscription> | undefined;
  readonly #queues = new Map<Subscription, Set<Queue>>();
  #shares = 0;

  constructor(syntax: WildcardSyntax | undefined) {
    this.#syntax = syntax;
    this.#index = syntax === undefined ? undefined : new WildcardIndex(syntax);
  }

  /**
   * Takes a consumer whose destination has wildcards.
   *
   * @param queues - those that there are
   * @returns whether it is one
   * @throws StompError when its wildcards are not valid, or there is no room for them
   */
  add(subscription: Subscription, queues: Iterable<Queue>): boolean {
    const { destination } = subscription;
    const pattern = patternOf(destination, QUEUE, this.#syntax);
    if (pattern === undefined || this.#syntax === undefined || this.#index === undefined) return false;
    try {
      this.#index.add(pattern, subscription);
    } catch (thrown) {
      throw new StompError(
        'bad destination',
        `the wildcards of ${show(destination)} are not valid: ${messageOf(thrown)}`,
      );
    }
    this.#queues.set(subscription, new Set());
    try {
      if (this.#index.words > MAX_WORDS)
        throw new StompError(
          'too many subscriptions',
          `the destinations of queues with wildcards have ${MAX_WORDS} words at most`,
        );
      const alone = new WildcardIndex<true>(this.#syntax);
      alone.add(pattern, true);
      for (const queue of queues)
        if (queue.name.startsWith(QUEUE) && alone.match(queue.name.slice(QUEUE.length)).length > 0)
          this.#attach(subscription, queue);
    } catch (thrown) {
      this.remove(subscription);
      throw thrown;
    }
    return true;
  }

  /** A consumer is gone; its queues know of it no more. */
  remove(subscription: Subscription): void {
    const queues = this.#queues.get(subscription);
    if (queues === undefined) return;
    for (const queue of queues) queue.detach(subscription);
    this.#shares -= queues.size;
    this.#queues.delete(subscription);
    this.#index?.remove(subscription.destination.slice(QUEUE.length), subscription);
  }

  /** Gives a new queue the consumers that its name matches. @throws StompError when there is no room for them */
  addQueue(queue: Queue): void {
    for (const subscription of this.of(queue.name)) this.#attach(subscription, queue);
  }

  /** A queue is gone. */
  removeQueue(queue: Queue): void {
    for (const subscription of this.of(queue.name))
      if (this.#queues.get(subscription)?.delete(queue) === true) this.#shares -= 1;
  }

  /** Whose patterns match a queue of this name. */
  of(name: string): readonly Subscription[] {
    if (this.#index === undefined || this.#queues.size === 0 || !name.startsWith(QUEUE)) return [];
    return this.#index.match(name.slice(QUEUE.length));
  }

  /** The queues of a consumer; `undefined` when its destination has no wildcards. */
  queuesOf(subscription: Subscription): ReadonlySet<Queue> | undefined {
    return this.#queues.size === 0 ? undefined : this.#queues.get(subscription);
  }

  #attach(subscription: Subscription, queue: Queue): void {
    if (this.#shares >= MAX_SHARES)
      throw new StompError(
        'too many subscriptions',
        `consumers with wildcards have ${MAX_SHARES} queues together already`,
      );
    const queues = this.#queues.get(subscription);
    if (queues === undefined || queues.has(queue)) return;
    queues.add(queue);
    this.#shares += 1;
    queue.attachWild(subscription);
  }
}
