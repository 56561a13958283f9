import {
  invalid,
  readGivenBytes,
  showBytes,
  type DataEntry,
  type DataSection,
  type Json,
} from '@backlot/core/plugin';
import type { Broker } from '../broker/broker.js';
import { publish } from './publish.js';

/** The retained messages, for people. */
export class RetainedSection implements DataSection {
  readonly #broker: Broker;

  constructor(broker: Broker) {
    this.#broker = broker;
  }

  get size(): number {
    return this.#broker.retained.size;
  }

  *entries(): Generator<DataEntry> {
    for (const topic of this.#broker.retained.topics()) yield this.#entry(topic);
  }

  find(topic: string): DataEntry | undefined {
    return this.#broker.retained.get(topic) === undefined ? undefined : this.#entry(topic);
  }

  async put(given: Json): Promise<string> {
    if (readGivenBytes(given, 'payload').length === 0) {
      const message = 'must not be empty: a retained message without a payload is none';
      throw invalid(`payload ${message}`, [{ path: '/payload', message }]);
    }
    await publish(this.#broker, { ...given, retain: true });
    return String(given['topic']);
  }

  remove(topic: string): void {
    this.#broker.retained.remove(topic);
  }

  #entry(topic: string): DataEntry {
    return {
      id: topic,
      read: () => {
        const { retained, envelope } = this.#broker;
        const packet = retained.get(topic);
        if (packet?.payload === undefined) return undefined;
        const { payload, expiresAt } = envelope.open(packet.payload, 0);
        return {
          topic,
          ...showBytes(payload, 'payload'),
          qos: packet.qos ?? 0,
          size: payload.length,
          ...(expiresAt === 0 ? {} : { expires_at: new Date(expiresAt).toISOString() }),
        };
      },
    };
  }
}
