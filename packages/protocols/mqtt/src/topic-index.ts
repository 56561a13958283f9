import {
  insertByRank,
  removeByRank,
  type Bucket,
  type IndexedMock,
  type MockIndex,
} from '@backlot/core/plugin';
import { WildcardIndex } from '@backlot/kit';
import type { CompiledMqtt } from './matcher.js';
import type { MqttMessage } from './mqtt-message.js';
import { TOPIC_SYNTAX } from './wire/topic.js';

/** Finds mocks by topic: exact ones in a map, filters in a tree of levels, and patterns that only a test can tell. */
export class TopicIndex implements MockIndex<MqttMessage, CompiledMqtt> {
  readonly #exact = new Map<string, Bucket<CompiledMqtt>>();
  readonly #filters = new Map<string, Bucket<CompiledMqtt>>();
  readonly #tree = new WildcardIndex<Bucket<CompiledMqtt>>(TOPIC_SYNTAX);
  readonly #others: Bucket<CompiledMqtt> = [];

  add(mock: IndexedMock<CompiledMqtt>): void {
    const { exact, filter } = mock.compiled;
    if (exact !== undefined) {
      const bucket = this.#exact.get(exact) ?? [];
      if (bucket.length === 0) this.#exact.set(exact, bucket);
      insertByRank(bucket, mock);
    } else if (filter !== undefined) {
      const bucket = this.#filters.get(filter) ?? this.#addFilter(filter);
      insertByRank(bucket, mock);
    } else insertByRank(this.#others, mock);
  }

  remove(mock: IndexedMock<CompiledMqtt>): void {
    const { exact, filter } = mock.compiled;
    if (exact !== undefined) {
      const bucket = this.#exact.get(exact);
      if (bucket === undefined) return;
      removeByRank(bucket, mock);
      if (bucket.length === 0) this.#exact.delete(exact);
    } else if (filter !== undefined) {
      const bucket = this.#filters.get(filter);
      if (bucket === undefined) return;
      removeByRank(bucket, mock);
      if (bucket.length > 0) return;
      this.#filters.delete(filter);
      this.#tree.remove(filter, bucket);
    } else removeByRank(this.#others, mock);
  }

  find({ path }: MqttMessage, found: Bucket<CompiledMqtt>[]): void {
    const exact = this.#exact.get(path);
    if (exact !== undefined) found.push(exact);
    if (this.#tree.size > 0) found.push(...this.#tree.match(path));
    if (this.#others.length > 0) found.push(this.#others);
  }

  #addFilter(filter: string): Bucket<CompiledMqtt> {
    const bucket: Bucket<CompiledMqtt> = [];
    this.#filters.set(filter, bucket);
    this.#tree.add(filter, bucket);
    return bucket;
  }
}
