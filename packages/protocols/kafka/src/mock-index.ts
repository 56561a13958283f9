import {
  ComposedIndex,
  listMocks,
  PatternIndex,
  ranksBefore,
  type Candidates,
  type Change,
  type IndexedMock,
} from '@backlot/core/plugin';
import type { KafkaMessage } from './message.js';
import type { CompiledKafka } from './compiled.js';

type KafkaMock = IndexedMock<CompiledKafka>;
type Held = Candidates<CompiledKafka>;

/** Finds the mocks of a topic: those that answer what arrives, and those with records for it. */
export class TopicIndex extends ComposedIndex<KafkaMessage, CompiledKafka> {
  readonly #answering = new PatternIndex<Held>();
  readonly #seeding = new PatternIndex<Held>();
  readonly #byId = new Map<string, KafkaMock>();

  override add(mock: KafkaMock): void {
    this.#byId.set(mock.id, mock);
    super.add(mock);
  }

  override remove(mock: KafkaMock): void {
    if (this.#byId.get(mock.id) === mock) this.#byId.delete(mock.id);
    super.remove(mock);
  }

  find({ path }: KafkaMessage, found: Held[]): void {
    this.#answering.find(path, found);
  }

  get(id: string): KafkaMock | undefined {
    return this.#byId.get(id);
  }

  /** The mocks with records for a topic, in rank order. */
  seedersOf(topic: string): readonly KafkaMock[] {
    const found: Held[] = [];
    this.#seeding.find(topic, found);
    return found
      .flatMap(listMocks<CompiledKafka>)
      .filter(({ compiled }) => compiled.topic.test(topic))
      .sort((a, b) => (ranksBefore(a, b) ? -1 : 1));
  }

  protected change({ topic, isPassive, records }: CompiledKafka, change: Change<Held>): void {
    if (!isPassive) this.#answering.change(topic, change);
    if (records.length > 0) this.#seeding.change(topic, change);
  }
}
