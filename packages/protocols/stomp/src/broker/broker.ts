import { JobQueue, NEXT_TURN } from '@backlot/kit';
import { show, StompError } from '../wire/stomp-error.js';
import type { BrokerMessage } from './broker-message.js';
import { isQueue } from './destination.js';
import { ExclusiveQueues } from './exclusive-queues.js';
import { Queue, type SavedEntry } from './queue.js';
import type { Subscription } from './subscription.js';
import { Topics } from './topics.js';
import { QUEUE_SYNTAXES, type WildcardStyle } from './wildcards.js';
import { WildConsumers } from './wild-consumers.js';

/** Messages in one queue, and bytes in all of them; the oldest make room. */
const MAX_WAITING = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_QUEUES = 10_000;
/** Subscriptions of all clients. */
const MAX_SUBSCRIPTIONS = 100_000;
/** A message of a topic for more subscribers than this is sent in steps. */
const FEW = 64;
/** What is sent in one turn of the event loop then: each receiver counts one, and so do so many bytes for it. */
const TURN = 512;
const UNIT_BYTES = 16 * 1024;

/** A snapshot of all queues. */
export type SavedQueues = readonly (readonly [name: string, entries: readonly SavedEntry[]])[];

/**
 * Queues and topics in memory. A message of a queue goes to one consumer and waits for one; a message of a topic goes to
 * all who are subscribed at that moment.
 */
export class Broker {
  readonly #queues = new Map<string, Queue>();
  readonly #topics: Topics;
  readonly #wild: WildConsumers;
  /** Queues of single sessions. */
  readonly exclusive = new ExclusiveQueues();
  readonly #subscriptions = new Set<Subscription>();
  readonly #onDrop: (queue: string) => void;
  #hasDropped = false;
  #wasFull = false;
  #bytes = 0;
  /** For what may take long. */
  readonly jobs: JobQueue;
  /** Messages of topics on their way to many, in order; while there are any, all others are behind them. */
  readonly #topicMessages: JobQueue;

  /**
   * @param onDrop - told when a queue drops a message, once until the next reset
   * @param onError - told what went wrong in the work of no client in particular
   * @param wildcards - whose wildcards subscriptions to topics have
   */
  constructor(
    onDrop: (queue: string) => void,
    onError: (error: unknown) => void,
    wildcards: WildcardStyle = 'rabbitmq',
  ) {
    this.#topics = new Topics(wildcards);
    this.#wild = new WildConsumers(QUEUE_SYNTAXES[wildcards]);
    this.#onDrop = onDrop;
    this.jobs = new JobQueue({ onError, byTurns: true });
    this.#topicMessages = new JobQueue({ onError });
  }

  /** The queues by their destination. */
  get queues(): ReadonlyMap<string, Queue> {
    return this.#queues;
  }

  /** Bytes that the messages of all queues hold, those that wait for an acknowledgement included. */
  get bytes(): number {
    return this.#bytes;
  }

  get isFull(): boolean {
    const isFull = this.#bytes > MAX_BYTES;
    this.#wasFull ||= isFull;
    return isFull;
  }

  /**
   * Gives a message to its queue or topic.
   *
   * @returns a promise where many get it, for when they have
   * @throws StompError when there are too many queues
   */
  publish(message: BrokerMessage): Promise<void> | undefined {
    const { destination } = message;
    if (!isQueue(destination)) return this.#publishToTopic(message);
    const queue = this.#queueOf(destination);
    this.#bytes += message.size;
    queue.add(message);
    queue.dispatch();
    if (queue.waiting === 0) return undefined;
    message.detach();
    this.#makeRoom(queue);
    return undefined;
  }

  /** Whether somebody is subscribed there. */
  hasReceiver(destination: string): boolean {
    if (this.#queues.get(destination)?.hasConsumer === true) return true;
    return this.#topics.find(destination).size > 0 || this.#wild.of(destination).length > 0;
  }

  /**
   * Begins a subscription; what waits in its queue is sent by {@link wake}.
   *
   * @throws StompError when there are too many subscriptions or queues
   */
  subscribe(subscription: Subscription): void {
    const { destination } = subscription;
    if (this.#subscriptions.size >= MAX_SUBSCRIPTIONS) {
      throw new StompError(
        'too many subscriptions',
        `there are ${MAX_SUBSCRIPTIONS} subscriptions of all clients already`,
      );
    }
    if (!isQueue(destination)) this.#topics.add(subscription);
    else if (!this.#wild.add(subscription, this.#sharedQueues()))
      this.#queueOf(destination).attach(subscription);
    this.#subscriptions.add(subscription);
  }

  /** Ends subscriptions of one client together, in steps: what they have not acknowledged goes to others. */
  unsubscribe(subscriptions: readonly Subscription[]): void {
    if (subscriptions.length > 0) this.jobs.add(this.#endAll(subscriptions));
  }

  /** After messages were consumed: goes on with what had to wait for that. */
  relieve(): void {
    if (!this.#wasFull || this.isFull) return;
    this.#wasFull = false;
    this.jobs.add(this.#dispatchAll());
  }

  /** Subscriptions take messages of their queues again, and are sent what waits in them. */
  wake(subscriptions: readonly Subscription[]): void {
    const queues = new Set<Queue>();
    for (const subscription of subscriptions) {
      for (const queue of this.#queuesOf(subscription)) {
        queue.wake(subscription);
        queues.add(queue);
      }
    }
    for (const queue of queues) queue.dispatch();
  }

  /** The end of a session: its own queue is gone, with what is in it. */
  drop(name: string): void {
    this.exclusive.delete(name);
    const queue = this.#queues.get(name);
    if (queue === undefined) return;
    queue.dropAll();
    this.#queues.delete(name);
    this.relieve();
  }

  dispatchLater(queue: Queue): void {
    this.jobs.add(dispatching(queue));
  }

  /** Sends what waits in a queue to who is ready. */
  #dispatch(queue: Queue): void {
    queue.dispatch();
    if (queue.isUnused) this.unused(queue);
  }

  unused(queue: Queue): void {
    if (this.#queues.get(queue.name) !== queue) return;
    this.#queues.delete(queue.name);
    this.#wild.removeQueue(queue);
  }

  released(message: BrokerMessage): void {
    this.#bytes -= message.size;
  }

  save(): SavedQueues {
    return Array.from(this.#queues.values(), (queue) => [queue.name, queue.save()] as const).filter(
      // What sessions have for themselves ends with them.
      ([name, entries]) => entries.length > 0 && !this.exclusive.has(name),
    );
  }

  /** Puts a snapshot back. Subscriptions stay; what was sent before and is acknowledged later means nothing any more. */
  restore(saved: SavedQueues): void {
    for (const subscription of this.#subscriptions) subscription.forgetOrigins();
    for (const queue of this.#queues.values()) queue.clear();
    this.#bytes = 0;
    this.#hasDropped = false;
    this.#wasFull = false;
    for (const [name, entries] of saved) {
      const queue = this.#queueOf(name);
      for (const { message, isRedelivered } of entries) {
        queue.add(message, isRedelivered);
        this.#bytes += message.size;
      }
    }
    this.jobs.add(this.#dispatchAll());
  }

  #publishToTopic(message: BrokerMessage): Promise<void> | undefined {
    if (!this.#topics.isCostly) {
      const subscriptions = this.#topics.find(message.destination);
      if (subscriptions.size === 0) return undefined;
      if (subscriptions.size <= FEW && this.#topicMessages.isIdle) {
        for (const each of subscriptions) each.push(message);
        return undefined;
      }
    }
    return new Promise((resolve) => {
      this.#topicMessages.add(this.#pushToAll(message, resolve));
    });
  }

  *#pushToAll(message: BrokerMessage, done: () => void): Generator {
    const cost = 1 + Math.floor(message.size / UNIT_BYTES);
    let sent = 0;
    try {
      for (const each of yield* this.#topics.findInSteps(message.destination)) {
        each.push(message);
        sent += cost;
        if (sent < TURN) yield;
        else {
          sent = 0;
          yield NEXT_TURN;
        }
      }
    } finally {
      done();
    }
  }

  *#endAll(subscriptions: readonly Subscription[]): Generator {
    const queues = new Set<Queue>();
    for (const subscription of subscriptions) {
      const { destination } = subscription;
      this.#subscriptions.delete(subscription);
      for (const queue of [...this.#queuesOf(subscription)]) {
        queue.detach(subscription);
        if (queues.has(queue)) continue;
        queues.add(queue);
        queue.holdBack();
      }
      this.#wild.remove(subscription);
      if (!isQueue(destination)) this.#topics.delete(subscription);
      yield;
    }
    for (const subscription of subscriptions) yield* subscription.takeBackAll();
    for (const queue of queues) {
      queue.goOn();
      this.#dispatch(queue);
      yield;
    }
    this.relieve();
  }

  *#dispatchAll(): Generator {
    for (const queue of this.#queues.values()) {
      queue.wakeAll();
      this.#dispatch(queue);
      yield;
    }
  }

  #queueOf(name: string): Queue {
    let queue = this.#queues.get(name);
    if (queue !== undefined) return queue;
    if (this.#queues.size >= MAX_QUEUES) {
      throw new StompError(
        'too many queues',
        `there is no room for the queue ${show(name)} beside ${MAX_QUEUES} others that are in use`,
      );
    }
    queue = new Queue(name, this);
    try {
      if (!this.exclusive.has(name)) this.#wild.addQueue(queue);
    } catch (thrown) {
      this.#wild.removeQueue(queue);
      throw thrown;
    }
    this.#queues.set(name, queue);
    return queue;
  }

  /** Those that patterns may match. */
  *#sharedQueues(): Generator<Queue> {
    for (const queue of this.#queues.values()) if (!this.exclusive.has(queue.name)) yield queue;
  }

  #queuesOf(subscription: Subscription): Iterable<Queue> {
    const wild = this.#wild.queuesOf(subscription);
    if (wild !== undefined) return wild;
    const queue = this.#queues.get(subscription.destination);
    return queue === undefined ? [] : [queue];
  }

  #makeRoom(queue: Queue): void {
    if (queue.waiting > MAX_WAITING) this.#drop(queue);
    if (this.#bytes <= MAX_BYTES) return;
    for (const each of this.#queues.values()) {
      while (this.#bytes > MAX_BYTES && each.waiting > 0) this.#drop(each);
      if (each.isUnused) this.unused(each);
      if (this.#bytes <= MAX_BYTES) return;
    }
  }

  #drop(queue: Queue): void {
    queue.dropOldest();
    if (this.#hasDropped) return;
    this.#hasDropped = true;
    this.#onDrop(queue.name);
  }
}

function* dispatching(queue: Queue): Generator {
  try {
    while (!queue.dispatchSome()) yield;
  } finally {
    queue.laterEnded();
  }
}
