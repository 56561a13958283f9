import type { Binding } from './binding.js';
import type { BrokerMessage } from './broker-message.js';
import type { DelayedMessages } from './delayed-messages.js';
import { Exchange } from './exchange.js';
import type { Registry } from './registry.js';
import { isReplyAddress, type ReplyAddresses } from './reply-addresses.js';

/** What takes a message in the end: a queue, or a client that waits for a direct reply. */
export interface Target {
  readonly name: string;
  /** Whether it only holds the message back, which has reached no queue yet. */
  readonly isDelay?: boolean;
  /** Says whether it was taken. */
  push(message: BrokerMessage): boolean;
}

const NOWHERE: readonly Target[] = [];

/** Bindings that are followed in one step. */
const AT_ONCE = 256;
/** Exchanges that are visited without a step in between. */
const FEW = 32;

/** The way of one message through exchanges, each of which it visits once. */
class Journey {
  readonly targets = new Set<Target>();
  readonly #seen = new Set<Exchange>();
  readonly #waiting: Exchange[];

  constructor(from: Exchange) {
    this.#waiting = [from];
  }

  /** Whether it has visited many exchanges. */
  get isLong(): boolean {
    return this.#seen.size > FEW;
  }

  next(): Exchange | undefined {
    const next = this.#waiting.pop();
    if (next !== undefined) this.#seen.add(next);
    return next;
  }

  visit(exchange: Exchange): void {
    if (!this.#seen.has(exchange) && !exchange.isDeleted) this.#waiting.push(exchange);
  }

  arriveAt(targets: Iterable<Target>): void {
    for (const target of targets) this.targets.add(target);
  }

  /** Says whether there was a binding to follow. */
  follow(bindings: Iterable<Binding>): boolean {
    let isTaken = false;
    for (const { destination } of bindings) {
      if (destination.isDeleted) continue;
      isTaken = true;
      if (destination instanceof Exchange) this.visit(destination);
      else this.targets.add(destination);
    }
    return isTaken;
  }
}

function* stepsOf<T>(steps: Iterator<undefined, T>): Generator<undefined, T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield;
  }
}

/** Finds out where messages go. */
export class Router {
  readonly #registry: Registry;
  readonly #replies: ReplyAddresses;
  readonly #delayed: Pick<DelayedMessages, 'add'>;

  constructor(registry: Registry, replies: ReplyAddresses, delayed: Pick<DelayedMessages, 'add'>) {
    this.#registry = registry;
    this.#replies = replies;
    this.#delayed = delayed;
  }

  /** The targets of a message, each once; `undefined` when finding them may take long: see {@link routeInSteps}. */
  route(exchange: Exchange, message: BrokerMessage): readonly Target[] | undefined {
    if (exchange.name === '') return this.#routeByName(message.routingKey);
    const journey = new Journey(exchange);
    for (let next = journey.next(); next !== undefined; next = journey.next()) {
      if (next.isCostly(message.routingKey) || journey.isLong) return undefined;
      if (this.#isHeldBack(next, message, journey)) continue;
      const found = next.match(message.routingKey, message.properties.headers);
      if (this.#isDefault(next)) journey.arriveAt(this.#routeByName(message.routingKey));
      else if (!journey.follow(found)) this.#goInstead(next, journey);
    }
    return journey.targets.size === 0 ? NOWHERE : [...journey.targets];
  }

  /** {@link route} in steps between which others may be let in. */
  *routeInSteps(exchange: Exchange, message: BrokerMessage): Generator<undefined, readonly Target[]> {
    const { routingKey, properties } = message;
    const journey = new Journey(exchange);
    for (let next = journey.next(); next !== undefined; next = journey.next()) {
      if (this.#isDefault(next)) {
        journey.arriveAt(this.#routeByName(routingKey));
        continue;
      }
      if (this.#isHeldBack(next, message, journey)) continue;
      const found = yield* stepsOf(next.matchInSteps(routingKey, properties.headers));
      let followed = 0;
      for (const binding of found) {
        journey.follow([binding]);
        followed += 1;
        if (followed % AT_ONCE === 0) yield;
      }
      if (followed === 0) this.#goInstead(next, journey);
      yield;
    }
    return [...journey.targets];
  }

  /** A message that is held back is routed when its time has come; until then its exchange takes it nowhere. */
  #isHeldBack(exchange: Exchange, message: BrokerMessage, journey: Journey): boolean {
    const delay = exchange.delayOf(message.properties.headers);
    if (delay === 0) return false;
    const push = (held: BrokerMessage): boolean => {
      this.#delayed.add(exchange, held, delay);
      return true;
    };
    journey.arriveAt([{ name: '', isDelay: true, push }]);
    // As in RabbitMQ's plugin: what is held back counts as taken by no binding.
    this.#goInstead(exchange, journey);
    return true;
  }

  #isDefault({ name }: Exchange): boolean {
    return name === '';
  }

  /** What no binding of an exchange takes goes to its alternate. */
  #goInstead({ alternate }: Exchange, journey: Journey): void {
    const instead = alternate === undefined ? undefined : this.#registry.exchanges.get(alternate);
    if (instead !== undefined) journey.visit(instead);
  }

  /** The default exchange: every queue is bound to it by its name. */
  #routeByName(name: string): readonly Target[] {
    const target: Target | undefined =
      this.#registry.queues.get(name) ?? (isReplyAddress(name) ? this.#replies.find(name) : undefined);
    return target === undefined ? NOWHERE : [target];
  }
}
