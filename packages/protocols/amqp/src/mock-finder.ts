import {
  insertByRank,
  removeByRank,
  type Bucket,
  type IndexedMock,
  type MockIndex,
} from '@backlot/core/plugin';
import { WildcardIndex } from '@backlot/kit';
import type { AmqpMessage } from './amqp-message.js';
import { ROUTING_KEYS } from './broker/routing-keys.js';
import type { CompiledAmqp } from './matcher.js';

type Mock = IndexedMock<CompiledAmqp>;
type MockBucket = Bucket<CompiledAmqp>;

/** Mocks by their routing key. */
class KeyTable {
  readonly #exact = new Map<string, MockBucket>();
  readonly #topics = new Map<string, MockBucket>();
  readonly #wild = new WildcardIndex<MockBucket>(ROUTING_KEYS);
  readonly #others: MockBucket = [];
  #size = 0;

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  add(mock: Mock): void {
    this.#size += 1;
    const { exactKey, topic } = mock.compiled;
    if (exactKey !== undefined) insertByRank(bucketOf(this.#exact, exactKey), mock);
    else if (topic === undefined) insertByRank(this.#others, mock);
    else {
      const isNew = !this.#topics.has(topic);
      const bucket = bucketOf(this.#topics, topic);
      if (isNew) this.#wild.add(topic, bucket);
      insertByRank(bucket, mock);
    }
  }

  remove(mock: Mock): void {
    this.#size -= 1;
    const { exactKey, topic } = mock.compiled;
    if (exactKey !== undefined) removeFrom(this.#exact, exactKey, mock);
    else if (topic === undefined) removeByRank(this.#others, mock);
    else {
      const bucket = this.#topics.get(topic);
      removeFrom(this.#topics, topic, mock);
      if (bucket?.length === 0) this.#wild.remove(topic, bucket);
    }
  }

  find(key: string, found: MockBucket[]): void {
    const exact = this.#exact.get(key);
    if (exact !== undefined) found.push(exact);
    if (this.#topics.size > 0) found.push(...this.#wild.match(key));
    if (this.#others.length > 0) found.push(this.#others);
  }
}

/** Finds mocks by queue, or by exchange and routing key. */
export class MockFinder implements MockIndex<AmqpMessage, CompiledAmqp> {
  readonly #byQueue = new Map<string, MockBucket>();
  readonly #byExchange = new Map<string, KeyTable>();
  readonly #anyExchange = new KeyTable();

  add(mock: Mock): void {
    const { queue, exchange } = mock.compiled;
    if (queue !== undefined) {
      insertByRank(bucketOf(this.#byQueue, queue), mock);
      return;
    }
    if (exchange === undefined) this.#anyExchange.add(mock);
    else {
      const table = this.#byExchange.get(exchange) ?? new KeyTable();
      this.#byExchange.set(exchange, table);
      table.add(mock);
    }
  }

  remove(mock: Mock): void {
    const { queue, exchange } = mock.compiled;
    if (queue !== undefined) removeFrom(this.#byQueue, queue, mock);
    else if (exchange === undefined) this.#anyExchange.remove(mock);
    else {
      const table = this.#byExchange.get(exchange);
      table?.remove(mock);
      if (table?.isEmpty === true) this.#byExchange.delete(exchange);
    }
  }

  find(message: AmqpMessage, found: MockBucket[]): void {
    if (this.#byQueue.size > 0) {
      for (const name of message.queues) {
        const bucket = this.#byQueue.get(name);
        if (bucket !== undefined) found.push(bucket);
      }
    }
    if (this.#byExchange.size > 0) this.#byExchange.get(message.exchange)?.find(message.path, found);
    this.#anyExchange.find(message.path, found);
  }
}

function bucketOf(buckets: Map<string, MockBucket>, key: string): MockBucket {
  const known = buckets.get(key);
  if (known !== undefined) return known;
  const made: MockBucket = [];
  buckets.set(key, made);
  return made;
}

function removeFrom(buckets: Map<string, MockBucket>, key: string, mock: Mock): void {
  const bucket = buckets.get(key);
  if (bucket === undefined) return;
  removeByRank(bucket, mock);
  if (bucket.length === 0) buckets.delete(key);
}
