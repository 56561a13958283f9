import type { Binding } from './binding.js';
import type { BrokerMessage } from './broker-message.js';
import { Exchange } from './exchange.js';
import type { Registry } from './registry.js';
import { isReplyAddress, type ReplyAddresses } from './reply-addresses.js';

/** What takes a message in the end: a queue, or a client that waits for a direct reply. */
export interface Target {
  readonly name: string;
  /** Says whether it was taken. */
  push(message: BrokerMessage): boolean;
}

const NOWHERE: readonly Target[] = [];

/** Finds out where messages go. */
export class Router {
  readonly #registry: Registry;
  readonly #replies: ReplyAddresses;

  constructor(registry: Registry, replies: ReplyAddresses) {
    this.#registry = registry;
    this.#replies = replies;
  }

  /** The targets of a message, each once. */
  route(exchange: Exchange, message: BrokerMessage): readonly Target[] {
    if (exchange.name === '') return this.#routeByName(message.routingKey);
    const targets = new Set<Target>();
    const seen = new Set<Exchange>();
    const waiting = [exchange];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      this.#follow(next, message, targets, waiting);
    }
    return targets.size === 0 ? NOWHERE : [...targets];
  }

  #follow(exchange: Exchange, message: BrokerMessage, targets: Set<Target>, waiting: Exchange[]): void {
    if (exchange.name === '') {
      for (const target of this.#routeByName(message.routingKey)) targets.add(target);
      return;
    }
    let isTaken = false;
    for (const { destination } of this.#matches(exchange, message)) {
      isTaken = true;
      if (destination instanceof Exchange) waiting.push(destination);
      else targets.add(destination);
    }
    const { alternate } = exchange;
    const instead = isTaken || alternate === undefined ? undefined : this.#registry.exchanges.get(alternate);
    if (instead !== undefined) waiting.push(instead);
  }

  #matches(exchange: Exchange, message: BrokerMessage): Iterable<Binding> {
    return exchange.match(message.routingKey, message.properties.headers);
  }

  /** The default exchange: every queue is bound to it by its name. */
  #routeByName(name: string): readonly Target[] {
    const target: Target | undefined =
      this.#registry.queues.get(name) ?? (isReplyAddress(name) ? this.#replies.find(name) : undefined);
    return target === undefined ? NOWHERE : [target];
  }
}
