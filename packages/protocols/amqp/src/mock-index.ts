import { ComposedIndex, ExactIndex, type Candidates, type Change } from '@backlot/core/plugin';
import { WildcardNames } from '@backlot/kit/wildcards';
import type { AmqpMessage } from './message.js';
import { ROUTING_KEYS } from './broker/routing-keys.js';
import type { CompiledAmqp } from './matcher.js';

type Held = Candidates<CompiledAmqp>;
type ByKey = WildcardNames<Held>;

/** Finds mocks by queue, or by exchange and routing key. */
export class MockFinder extends ComposedIndex<AmqpMessage, CompiledAmqp> {
  readonly #byQueue = new ExactIndex<string, Held>();
  readonly #byExchange = new Map<string, ByKey>();
  readonly #anyExchange: ByKey = new WildcardNames(ROUTING_KEYS);

  find({ queues, exchange, path }: AmqpMessage, found: Held[]): void {
    if (this.#byQueue.size > 0) for (const name of queues) this.#byQueue.find(name, found);
    if (this.#byExchange.size > 0) this.#byExchange.get(exchange)?.find(path, found);
    this.#anyExchange.find(path, found);
  }

  protected change({ queue, exchange, exactKey, topic }: CompiledAmqp, change: Change<Held>): void {
    const hints = { exact: exactKey, wildcards: topic };
    if (queue !== undefined) this.#byQueue.change(queue, change);
    else if (exchange === undefined) this.#anyExchange.change(hints, change);
    else {
      const byKey = this.#byExchange.get(exchange) ?? new WildcardNames(ROUTING_KEYS);
      byKey.change(hints, change);
      if (byKey.isEmpty) this.#byExchange.delete(exchange);
      else this.#byExchange.set(exchange, byKey);
    }
  }
}
