import {
  invalid,
  type BacklotError,
  type DataEntry,
  type DataSection,
  type Json,
} from '@backlot/core/plugin';
import type { Broker, Refusal } from '../broker/broker.js';
import { Topic } from '../broker/topic.js';

/** The topics, for people. */
export class TopicSection implements DataSection {
  readonly #broker: Broker;

  constructor(broker: Broker) {
    this.#broker = broker;
  }

  get size(): number {
    return this.#broker.size;
  }

  *entries(): Generator<DataEntry> {
    for (const { name } of this.#broker.topics) yield this.#entry(name);
  }

  find(name: string): DataEntry | undefined {
    return this.#broker.find(name) === undefined ? undefined : this.#entry(name);
  }

  put(given: Json): string {
    const { name, partitions } = given as { name: string; partitions?: number };
    const known = this.#broker.find(name);
    if (known === undefined) {
      const made = this.#broker.create(name, partitions);
      if (!(made instanceof Topic)) throw refused(made);
    } else if (partitions !== undefined && partitions !== known.partitions.length) {
      const refusal = this.#broker.grow(known, partitions);
      if (refusal !== undefined) throw refused(refusal);
    }
    return name;
  }

  remove(name: string): void {
    const topic = this.#broker.find(name);
    if (topic !== undefined) this.#broker.delete(topic);
  }

  #entry(name: string): DataEntry {
    return {
      id: name,
      read: () => {
        const topic = this.#broker.find(name);
        return topic === undefined ? undefined : show(topic);
      },
    };
  }
}

/** Produces a record. */
export function publish(broker: Broker, given: Json, value: Buffer | null): Json {
  const {
    topic: name,
    key,
    headers = {},
    ...rest
  } = given as {
    topic: string;
    key?: string;
    headers?: Readonly<Record<string, string>>;
    partition?: number;
  };
  const topic = broker.find(name) ?? broker.create(name);
  if (!(topic instanceof Topic)) throw refused(topic);
  const record = {
    key: key === undefined ? null : Buffer.from(key),
    value,
    headers: Object.entries(headers).map(([header, text]) => [header, Buffer.from(text)] as const),
  };
  const { partition = topic.choosePartition(record.key) } = rest;
  const refusal = broker.publishTo(topic, record, partition);
  if (refusal !== undefined) throw refused(refusal);
  const { endOffset = 0 } = topic.partitions[partition] ?? {};
  return { topic: name, partition, offset: endOffset - 1 };
}

function show({ name, partitions, configs }: Topic): Json {
  return {
    name,
    records: partitions.reduce((sum, { startOffset, endOffset }) => sum + endOffset - startOffset, 0),
    bytes: partitions.reduce((sum, { bytes }) => sum + bytes, 0),
    partitions: partitions.map(({ startOffset, endOffset }, partition) => {
      return { partition, first_offset: startOffset, next_offset: endOffset };
    }),
    configs: Object.fromEntries(configs),
  };
}

function refused({ message }: Refusal): BacklotError {
  return invalid(message);
}
