import { messageOf } from '@backlot/core/plugin';
import { WildcardIndex } from '@backlot/kit/wildcards';
import { AmqpError } from '../wire/amqp-error.js';
import { REPLY } from '../wire/reply-codes.js';
import type { BindingTable, Bound } from './binding-table.js';
import { HeadersTable } from './headers-table.js';
import { MAX_TOPIC_WORDS, type Memory } from './memory.js';
import { ROUTING_KEYS } from './routing-keys.js';

/** More bindings than this are followed in steps. */
const FEW = 64;
/** Words of keys that a search can look at within a moment, whatever they are. */
const FEW_WORDS = 1000;
/**
 * Words that may stand behind a `#` in the keys of one exchange: each of them may have to be compared with every word of a
 * routing key.
 */
const MAX_DEEP_WORDS = 20_000;

/** The ways in which exchanges find bindings. */
export const TABLE_TYPES = ['direct', 'fanout', 'topic', 'headers'] as const;
export type TableType = (typeof TABLE_TYPES)[number];

const NONE: readonly never[] = [];

/** Makes the table of an exchange. */
export function makeBindingTable<B extends Bound>(type: TableType, memory: Memory): BindingTable<B> {
  switch (type) {
    case 'direct':
      return new DirectTable();
    case 'fanout':
      return new FanoutTable();
    case 'topic':
      return new TopicTable(memory);
    case 'headers':
      return new HeadersTable();
  }
}

class DirectTable<B extends Bound> implements BindingTable<B> {
  readonly #byKey = new Map<string, Set<B>>();
  readonly #always = new Set<B>();

  add(binding: B): void {
    const { routingKey } = binding;
    if (routingKey === undefined) {
      this.#always.add(binding);
      return;
    }
    const known = this.#byKey.get(routingKey);
    if (known === undefined) this.#byKey.set(routingKey, new Set([binding]));
    else known.add(binding);
  }

  remove(binding: B): void {
    const { routingKey } = binding;
    this.#always.delete(binding);
    if (routingKey === undefined) return;
    const known = this.#byKey.get(routingKey);
    known?.delete(binding);
    if (known?.size === 0) this.#byKey.delete(routingKey);
  }

  match(routingKey: string): Iterable<B> {
    const found = this.#byKey.get(routingKey) ?? NONE;
    return this.#always.size === 0 ? found : [...found, ...this.#always];
  }

  isCostly(routingKey: string): boolean {
    return (this.#byKey.get(routingKey)?.size ?? 0) + this.#always.size > FEW;
  }

  *matchInSteps(routingKey: string): Generator<undefined, Iterable<B>> {
    return this.match(routingKey);
  }
}

class FanoutTable<B extends Bound> implements BindingTable<B> {
  readonly #bindings = new Set<B>();

  add(binding: B): void {
    this.#bindings.add(binding);
  }

  remove(binding: B): void {
    this.#bindings.delete(binding);
  }

  match(): Iterable<B> {
    return this.#bindings;
  }

  isCostly(): boolean {
    return this.#bindings.size > FEW;
  }

  *matchInSteps(): Generator<undefined, Iterable<B>> {
    return this.#bindings;
  }
}

class TopicTable<B extends Bound> implements BindingTable<B> {
  readonly #index = new WildcardIndex<B>(ROUTING_KEYS);
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  add(binding: B): void {
    const key = keyOf(binding);
    const before = this.#index.words;
    try {
      this.#index.add(key, binding);
    } catch (thrown) {
      throw new AmqpError(REPLY.preconditionFailed, `invalid binding key: ${messageOf(thrown)}`);
    }
    this.#memory.topicWords += this.#index.words - before;
    const isDeep = this.#index.deepWords > MAX_DEEP_WORDS;
    if (!isDeep && !this.#memory.hasAllTopicWords) return;
    this.remove(binding);
    throw new AmqpError(
      REPLY.resourceError,
      isDeep
        ? `the binding keys of this exchange have ${MAX_DEEP_WORDS} words behind a # already`
        : `binding keys of topic exchanges have ${MAX_TOPIC_WORDS} words already`,
    );
  }

  remove(binding: B): void {
    const before = this.#index.words;
    this.#index.remove(keyOf(binding), binding);
    this.#memory.topicWords += this.#index.words - before;
  }

  match(routingKey: string): Iterable<B> {
    return this.#index.match(routingKey);
  }

  isCostly(): boolean {
    return this.#index.words > FEW_WORDS || this.#index.size > FEW;
  }

  matchInSteps(routingKey: string): Generator<undefined, Iterable<B>> {
    return this.#index.matchInSteps(routingKey);
  }
}

/** The key of a topic binding in its shortest form: one `#` takes what several in a row take. */
function keyOf({ routingKey = '#' }: Bound): string {
  return routingKey.replaceAll(/(?<![^.])#(?:\.#)+(?![^.])/g, '#');
}
