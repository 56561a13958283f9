import type { Random } from '@backlot/core/plugin';
import { WildcardIndex } from '@backlot/kit';
import type { QueueChoice } from './nats-message.js';
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

/** How a message is delivered. */
export interface DeliveryOptions {
  /** Who published it; absent for answers of mocks. */
  readonly from?: Subscriber;
  /** The queue groups of which a mock got the message. */
  readonly taken?: QueuePicks | undefined;
}

const NOBODY: Route = { plain: [], groups: new Map() };
const MOST_ROUTES = 8192;
const NO_OPTIONS: DeliveryOptions = {};

/** The subscriptions of all clients, and who gets what. */
export class Router {
  readonly #index = new WildcardIndex<Subscription>(SUBJECT_SYNTAX);
  /** Routes found since the last subscription came or went; when there are many, those found longest ago go first. */
  #routes = new Map<string, Route>();
  #olderRoutes = new Map<string, Route>();
  #random: Random;

  /** @param random - picks the member of a queue group */
  constructor(random: Random) {
    this.#random = random;
  }

  /** From now on picks by another source of chance. */
  reseed(random: Random): void {
    this.#random = random;
  }

  add(subscription: Subscription): void {
    this.#index.add(subscription.subject, subscription);
    this.#forgetRoutes();
  }

  remove(subscription: Subscription): void {
    subscription.isOver = true;
    if (this.#index.remove(subscription.subject, subscription)) this.#forgetRoutes();
  }

  /** Delivers to every subscriber, and to one of each queue group. Says whether anybody got it. */
  deliver(delivery: Delivery, { from, taken }: DeliveryOptions = NO_OPTIONS): boolean {
    const { plain, groups } = this.#routeOf(delivery.subject);
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
    const able = members.filter((member) => mayGet(member, from)).length;
    return able === 0 || this.#random.int(0, able) === 0;
  }

  /** The first subscription of one client, outside queue groups, that takes this subject. */
  firstOf(client: Subscriber, subject: string): Subscription | undefined {
    return this.#routeOf(subject).plain.find((subscription) => subscription.client === client);
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
    const route = this.#olderRoutes.get(subject) ?? this.#findRoute(subject);
    if (this.#routes.size >= MOST_ROUTES) {
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

function mayGet({ client }: Subscription, from: Subscriber | undefined): boolean {
  return client !== from || client.wantsEcho;
}
