import {
  insertByRank,
  ranksBefore,
  removeByRank,
  type Bucket,
  type IndexedMock,
  type MockIndex,
} from '@backlot/core/plugin';
import type { KafkaMessage } from './kafka-message.js';
import type { CompiledKafka } from './matcher.js';

type KafkaMock = IndexedMock<CompiledKafka>;
type KafkaBucket = Bucket<CompiledKafka>;

/** Mocks by their exact topic, and those with a pattern for it. */
class ByTopic {
  readonly #exact = new Map<string, KafkaBucket>();
  readonly patterns: KafkaBucket = [];

  add(mock: KafkaMock): void {
    const { exact } = mock.compiled.topic;
    if (exact === undefined) return insertByRank(this.patterns, mock);
    let bucket = this.#exact.get(exact);
    if (bucket === undefined) this.#exact.set(exact, (bucket = []));
    insertByRank(bucket, mock);
  }

  remove(mock: KafkaMock): void {
    const { exact } = mock.compiled.topic;
    const bucket = exact === undefined ? this.patterns : this.#exact.get(exact);
    if (bucket === undefined) return;
    removeByRank(bucket, mock);
    if (exact !== undefined && bucket.length === 0) this.#exact.delete(exact);
  }

  of(topic: string): KafkaBucket | undefined {
    return this.#exact.get(topic);
  }
}

/** Finds the mocks of a topic: those that answer what arrives, and those with records for it. */
export class TopicIndex implements MockIndex<KafkaMessage, CompiledKafka> {
  readonly #answering = new ByTopic();
  readonly #seeding = new ByTopic();
  readonly #byId = new Map<string, KafkaMock>();

  add(mock: KafkaMock): void {
    this.#byId.set(mock.id, mock);
    if (!mock.compiled.isPassive) this.#answering.add(mock);
    if (mock.compiled.records.length > 0) this.#seeding.add(mock);
  }

  remove(mock: KafkaMock): void {
    if (this.#byId.get(mock.id) === mock) this.#byId.delete(mock.id);
    this.#answering.remove(mock);
    this.#seeding.remove(mock);
  }

  find(message: KafkaMessage, found: KafkaBucket[]): void {
    const exact = this.#answering.of(message.path);
    if (exact !== undefined) found.push(exact);
    if (this.#answering.patterns.length > 0) found.push(this.#answering.patterns);
  }

  get(id: string): KafkaMock | undefined {
    return this.#byId.get(id);
  }

  /** The mocks with records for a topic, in rank order. */
  seedersOf(topic: string): readonly KafkaMock[] {
    const exact = this.#seeding.of(topic) ?? [];
    const fitting = this.#seeding.patterns.filter((mock) => mock.compiled.topic.test(topic));
    if (fitting.length === 0) return exact;
    return [...exact, ...fitting].sort((a, b) => (ranksBefore(a, b) ? -1 : 1));
  }
}
