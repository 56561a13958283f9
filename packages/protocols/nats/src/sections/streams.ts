import { checkAt, invalid, mapSection, type DataEntry, type DataSection } from '@backlot/core/plugin';
import { configOf, type ConfiguredStream } from '../jetstream/configured.js';
import type { Consumer } from '../jetstream/consumer.js';
import { describeStream } from '../jetstream/stream-api.js';
import type { Streams } from '../jetstream/streams.js';

/** The streams of JetStream, for people. */
export function streamSection(streams: Streams | undefined): DataSection {
  return mapSection(
    () => streams?.byName ?? new Map<string, never>(),
    (stream) => {
      const { config, created, state } = describeStream(stream);
      const { messages, bytes, first_seq, last_seq, consumer_count: consumers } = state;
      return {
        name: config.name,
        subjects: config.subjects,
        messages,
        bytes,
        first_seq,
        last_seq,
        consumers,
        created,
      };
    },
    {
      put(given) {
        if (streams === undefined) throw invalid('JetStream is off: start it with jetstream: true');
        return checkAt('', () => {
          const config = configOf(given as unknown as ConfiguredStream);
          const known = streams.find(config.name);
          if (known === undefined) streams.create(config);
          else streams.update(known, config);
          return config.name;
        });
      },
      remove(name) {
        const stream = streams?.find(name);
        if (stream !== undefined) streams?.delete(stream);
      },
    },
  );
}

/** The consumers of all streams, for people. */
export class ConsumerSection implements DataSection {
  readonly #streams: Streams | undefined;

  constructor(streams: Streams | undefined) {
    this.#streams = streams;
  }

  get size(): number {
    return this.#streams?.consumers ?? 0;
  }

  *entries(): Generator<DataEntry> {
    for (const { config, consumers } of this.#streams?.values() ?? []) {
      for (const name of consumers.keys()) yield this.#entry(config.name, name);
    }
  }

  find(id: string): DataEntry | undefined {
    const [stream = '', name = ''] = id.split('.');
    return this.#streams?.find(stream)?.consumers.has(name) === true ? this.#entry(stream, name) : undefined;
  }

  remove(id: string): void {
    const [stream = '', name = ''] = id.split('.');
    this.#streams?.find(stream)?.deleteConsumer(name);
  }

  #entry(stream: string, name: string): DataEntry {
    const id = `${stream}.${name}`;
    return {
      id,
      read: () => {
        const consumer: Consumer | undefined = this.#streams?.find(stream)?.consumers.get(name);
        if (consumer === undefined) return undefined;
        return {
          id,
          stream,
          name,
          pull: consumer.isPull,
          pending: consumer.unread,
          unacknowledged: consumer.pending.size,
          redelivered: consumer.counts.size,
          waiting: consumer.pulls.size,
        };
      },
    };
  }
}
