import type { Random } from '@backlot/core/plugin';
import { JobQueue, NEXT_TURN, type HeldReading } from '@backlot/kit';
import { WildcardIndex } from '@backlot/kit/wildcards';
import type { QueueChoice } from './message.js';
import type { Delivery, Subscriber, Subscription } from './subscription.js';
import { SUBJECT_SYNTAX, hasEmptyWord, toWire } from './wire/subject.js';

/** Who gets one message in the queue groups that mocks ask for. */
export class QueuePicks implements QueueChoice {
  #open: { readonly router: Router; readonly from: Subscriber } | undefined;
  readonly #subject: string;
  readonly #picks = new Map<string, boolean>();

  constructor(router: Router, subject: string, from: Subscriber) {
    this.#open = { router, from };
    this.#subject = subject;
  }

  isForMock(group: string): boolean {
    const key = toWire(group);
    const known = this.#picks.get(key);
    if (known !== undefined || this.#open === undefined) return known ?? true;
    const picked = this.#open.router.picksMock(this.#subject, key, this.#open.from);
    this.#picks.set(key, picked);
    return picked;
  }

  /** Whether a mock was picked; the group's name in the form of the wire. */
  isTaken(group: string): boolean {
    return this.#picks.get(group) === true;
  }

  /** The message has been delivered. The journal keeps it, and is not to keep its client as well. */
  close(): void {
    this.#open = undefined;
  }
}

/** Who gets the messages of one subject. */
interface Route {
  readonly plain: readonly Subscription[];
  readonly groups: ReadonlyMap<string, readonly Subscription[]>;
}

/** Who publishes. */
export interface Publisher extends Subscriber {
  /** Held while its message is on its way to many. */
  readonly reading: HeldReading;
}

/** How a message is delivered. */
export interface DeliveryOptions {
  /** Who published it; absent for answers of mocks. */
  readonly from?: Publisher;
  /** The queue groups of which a mock got the message. */
  readonly taken?: QueuePicks | undefined;
  /** The subject by which subscribers are found, when it is another than that which they are shown. */
  readonly to?: string | undefined;
}

const NOBODY: Route = { plain: [], groups: new Map() };
const MAX_ROUTES = 8192;
/** Subscriptions of all clients, and words of their subjects, those that they begin with in common counted once. */
const MAX_SUBSCRIPTIONS = 100_000;
const MAX_WORDS = 200_000;
/** Where subjects have more words than this, finding out who gets a message is done in steps. */
const FEW_WORDS = 20_000;
/** A message for more subscribers than this is delivered in steps, and to so many of them in a turn of the event loop. */
const FEW = 64;
const STEP = 16;
const TURN = 512;
const NO_OPTIONS: DeliveryOptions = {};

/** The subscriptions of all clients, and who gets what. */
export class Router {
  readonly #index = new WildcardIndex<Subscription>(SUBJECT_SYNTAX);
  /** Routes found since the last subscription came or went; when there are many, those found longest ago go first. */
  #routes = new Map<string, Route>();
  #olderRoutes = new Map<string, Route>();
  #random: Random;
  /** Messages on their way to many, in order; while there are any, all others are behind them. */
  readonly #deliveries: JobQueue;
  readonly #removals: JobQueue;
  /** Told that subscriptions have come or gone. */
  onChange: (() => void) | undefined;

  /**
   * @param random - picks the member of a queue group
   * @param onError - told what went wrong in the work of no client in particular
   */
  constructor(random: Random, onError: (error: unknown) => void) {
    this.#random = random;
    this.#deliveries = new JobQueue({ onError });
    this.#removals = new JobQueue({ onError, byTurns: true });
  }

  /** Whether there are as many subscriptions as there may be. */
  get isFull(): boolean {
    return this.#index.size >= MAX_SUBSCRIPTIONS || this.#index.words >= MAX_WORDS;
  }

  /** From now on picks by another source of chance. */
  reseed(random: Random): void {
    this.#random = random;
  }

  add(subscription: Subscription): void {
    this.#index.add(subscription.subject, subscription);
    this.#changed();
  }

  remove(subscription: Subscription): void {
    subscription.isOver = true;
    if (this.#index.remove(subscription.subject, subscription)) this.#changed();
  }

  /** Takes away the subscriptions of a client: none of them gets anything more. */
  removeAll(subscriptions: readonly Subscription[]): void {
    for (const subscription of subscriptions) subscription.isOver = true;
    if (subscriptions.length > 0) this.#removals.add(this.#removeInSteps(subscriptions));
  }

  /** Whether finding out who gets messages of a subject takes no time; else see {@link find}. */
  isQuicklyFound(subject: string): boolean {
    return this.#index.words <= FEW_WORDS || this.#routes.has(subject);
  }

  /**
   * Finds out who gets messages of a subject, in steps; nothing more is read of the publisher meanwhile.
   *
   * @param then - called when it is known
   */
  find(subject: string, from: Publisher, then: () => void): void {
    from.reading.hold();
    this.#deliveries.add(this.#findInSteps(subject, from, then));
  }

  /**
   * Delivers to every subscriber, and to one of each queue group. Says whether anybody gets it. Where that are many, it is
   * done in steps, and nothing more is read of the publisher meanwhile.
   */
  deliver(delivery: Delivery, options: DeliveryOptions = NO_OPTIONS): boolean {
    const subject = options.to ?? delivery.subject;
    if (options.from === undefined && !this.isQuicklyFound(subject)) {
      this.#deliveries.add(this.#findAndDeliver(subject, delivery, options));
      return true;
    }
    const route = this.#routeOf(subject);
    const isWide = route.plain.length + route.groups.size > FEW;
    if (!isWide && this.#deliveries.isIdle) return this.#deliverNow(route, delivery, options);
    if (!hasTaker(route, options)) return false;
    let isDone = false;
    const { from } = options;
    this.#deliveries.add(
      this.#deliverInSteps(route, delivery, options, () => {
        isDone = true;
      }),
    );
    if (isDone || from === undefined) return true;
    from.reading.hold();
    this.#deliveries.add(releasing(from));
    return true;
  }

  *#deliverInSteps(
    { plain, groups }: Route,
    delivery: Delivery,
    { from, taken }: DeliveryOptions,
    done: () => void,
  ): Generator {
    let count = 0;
    for (const subscription of plain) {
      if (mayGet(subscription, from)) subscription.deliver(delivery);
      count += 1;
      if (count % STEP === 0) yield count % TURN === 0 ? NEXT_TURN : undefined;
    }
    for (const [group, members] of groups) {
      if (taken?.isTaken(group) !== true) this.#deliverToOne(members, delivery, from);
      count += 1;
      if (count % STEP === 0) yield count % TURN === 0 ? NEXT_TURN : undefined;
    }
    done();
  }

  *#findInSteps(subject: string, { reading }: Publisher, then: () => void): Generator {
    this.#keepRoute(subject, yield* this.#findRouteInSteps(subject));
    reading.release();
    then();
  }

  *#findAndDeliver(subject: string, delivery: Delivery, options: DeliveryOptions): Generator {
    const route = yield* this.#findRouteInSteps(subject);
    yield* this.#deliverInSteps(route, delivery, options, () => undefined);
  }

  *#findRouteInSteps(subject: string): Generator<undefined, Route> {
    return hasEmptyWord(subject) ? NOBODY : makeRoute(yield* this.#index.matchInSteps(subject));
  }

  *#removeInSteps(subscriptions: readonly Subscription[]): Generator {
    for (const subscription of subscriptions) {
      this.remove(subscription);
      yield;
    }
  }

  #deliverNow({ plain, groups }: Route, delivery: Delivery, { from, taken }: DeliveryOptions): boolean {
    let isDelivered = false;
    for (const subscription of plain) {
      if (mayGet(subscription, from) && subscription.deliver(delivery)) isDelivered = true;
    }
    if (groups.size === 0) return isDelivered;
    for (const [group, members] of groups) {
      if (taken?.isTaken(group) === true) continue;
      if (this.#deliverToOne(members, delivery, from)) isDelivered = true;
    }
    return isDelivered;
  }

  /** Of a group of subscribers and one mock: whether the mock is the one that gets a message. */
  picksMock(subject: string, group: string, from: Subscriber | undefined): boolean {
    const members = this.#routeOf(subject).groups.get(group) ?? [];
    const able = members.filter((member) => willGet(member, from)).length;
    return able === 0 || this.#random.int(0, able) === 0;
  }

  /** Whether somebody has subscribed to a subject. */
  isHeard(subject: string): boolean {
    return hasTaker(this.#routeOf(subject), NO_OPTIONS);
  }

  /** The first subscription of one client, outside queue groups, that takes this subject. */
  firstOf(client: Subscriber, subject: string): Subscription | undefined {
    return this.#routeOf(subject).plain.find(
      (subscription) => subscription.client === client && !subscription.isOver,
    );
  }

  #deliverToOne(members: readonly Subscription[], delivery: Delivery, from: Subscriber | undefined): boolean {
    const first = members.length === 1 ? 0 : this.#random.int(0, members.length - 1);
    for (let step = 0; step < members.length; step += 1) {
      const member = members[(first + step) % members.length];
      if (member !== undefined && mayGet(member, from) && member.deliver(delivery)) return true;
    }
    return false;
  }

  #routeOf(subject: string): Route {
    const known = this.#routes.get(subject);
    if (known !== undefined) return known;
    return this.#keepRoute(subject, this.#olderRoutes.get(subject) ?? this.#findRoute(subject));
  }

  #keepRoute(subject: string, route: Route): Route {
    if (this.#routes.size >= MAX_ROUTES) {
      this.#olderRoutes = this.#routes;
      this.#routes = new Map();
    }
    this.#routes.set(subject, route);
    return route;
  }

  #findRoute(subject: string): Route {
    const found = hasEmptyWord(subject) ? [] : this.#index.match(subject);
    return found.length === 0 ? NOBODY : makeRoute(found);
  }

  #changed(): void {
    this.#forgetRoutes();
    this.onChange?.();
  }

  #forgetRoutes(): void {
    if (this.#routes.size > 0) this.#routes.clear();
    if (this.#olderRoutes.size > 0) this.#olderRoutes.clear();
  }
}

function makeRoute(found: readonly Subscription[]): Route {
  const plain: Subscription[] = [];
  const groups = new Map<string, Subscription[]>();
  for (const subscription of found) {
    const { queue } = subscription;
    const members = groups.get(queue);
    if (queue === '') plain.push(subscription);
    else if (members === undefined) groups.set(queue, [subscription]);
    else members.push(subscription);
  }
  return { plain, groups };
}

/** Whether a subscription, if it has not ended, gets what somebody publishes. */
function mayGet({ client }: Subscription, from: Subscriber | undefined): boolean {
  return client !== from || client.wantsEcho;
}

function willGet(subscription: Subscription, from: Subscriber | undefined): boolean {
  return !subscription.isOver && mayGet(subscription, from);
}

/** Whether anybody will get a message. */
function hasTaker({ plain, groups }: Route, { from, taken }: DeliveryOptions): boolean {
  if (plain.some((subscription) => willGet(subscription, from))) return true;
  for (const [group, members] of groups) {
    if (taken?.isTaken(group) !== true && members.some((member) => willGet(member, from))) return true;
  }
  return false;
}

/** Goes on with a publisher behind its message. */
function* releasing({ reading }: Publisher): Generator {
  reading.release();
  yield;
}
