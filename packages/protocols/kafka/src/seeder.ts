import type { LiveMockOf, MockChange } from '@backlot/core/plugin';
import type { Broker } from './broker/broker.js';
import type { Topic } from './broker/topic.js';
import { encodeContent, renderContent } from './content.js';
import type { Registry } from './registry/registry.js';
import type { KafkaContext, KafkaShape } from './shape.js';

type KafkaMock = Pick<LiveMockOf<KafkaShape>, 'id' | 'compiled'>;

/**
 * Puts the records of mocks into topics: those of all mocks when a topic comes to be, and those of a mock when it is
 * made, replaced or comes into effect. The same records of the same mock are put into a topic once.
 */
export class Seeder {
  readonly #context: KafkaContext;
  readonly #broker: Broker;
  readonly #registry: Registry | undefined;

  constructor(context: KafkaContext, broker: Broker, registry?: Registry) {
    this.#context = context;
    this.#broker = broker;
    this.#registry = registry;
    broker.onCreated = (topic) => this.#seedTopic(topic);
    context.mocks.onChange((change) => this.#follow(change));
  }

  /** Makes the topics of the mocks that are there from the start. */
  start(): void {
    for (const mock of this.#context.mocks.values()) this.#apply(mock);
  }

  #follow({ type, id }: MockChange): void {
    // After a reset the topics are put back as they were.
    if (type === 'reset') return;
    if (type === 'removed') return this.#forget(id);
    if (id === undefined) return this.#applyConditional();
    const mock = this.#context.mocks.index.get(id);
    if (mock !== undefined && this.#isInEffect(mock)) this.#apply(mock);
  }

  /** A mock of the same id that is made later has records of its own. */
  #forget(id: string | undefined): void {
    if (id === undefined) return;
    for (const topic of this.#broker.topics) topic.seeded.delete(id);
  }

  #applyConditional(): void {
    for (const mock of this.#context.mocks.values()) if (mock.compiled.isConditional) this.#apply(mock);
  }

  #apply(mock: KafkaMock): void {
    const { topic, records } = mock.compiled;
    if (topic.exact !== undefined) {
      const there = this.#broker.find(topic.exact);
      if (there !== undefined) return this.#seed(there, mock);
      const made = this.#broker.create(topic.exact);
      if ('error' in made) this.#context.log.warn(`mock "${mock.id}": ${made.message}`);
      return;
    }
    if (records.length === 0) return;
    for (const there of this.#broker.topics) if (topic.test(there.name)) this.#seed(there, mock);
  }

  #seedTopic(topic: Topic): void {
    const { index } = this.#context.mocks;
    for (const mock of index.seedersOf(topic.name)) if (this.#isInEffect(mock)) this.#seed(topic, mock);
  }

  #seed(topic: Topic, { id, compiled }: KafkaMock): void {
    const { fingerprint, records } = compiled;
    if (records.length === 0 || topic.seeded.get(id) === fingerprint) return;
    topic.seeded.set(id, fingerprint);
    const { templates, log } = this.#context;
    const scope = templates.scope();
    records.forEach(({ content, partition }, index) => {
      try {
        const rendered = renderContent(content, (template) => templates.render(template, scope));
        const record = encodeContent(content, rendered, this.#registry);
        const refusal = this.#broker.publishTo(topic, record, partition);
        if (refusal !== undefined) log.warn(`record ${index} of mock "${id}": ${refusal.message}`);
      } catch (thrown) {
        log.error(`record ${index} of mock "${id}" could not be made`, thrown);
      }
    });
  }

  #isInEffect(mock: KafkaMock): boolean {
    if (!mock.compiled.isConditional) return true;
    return this.#context.mocks.values().some((live) => live.id === mock.id);
  }
}
