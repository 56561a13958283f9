import { filterTakes, isWild } from '../wire/topic.js';
import type { Envelope } from './envelope.js';
import type { StoredPacket } from './message-queue.js';

const MAX_MESSAGES = 100_000;
const MAX_BYTES = 256 * 1024 * 1024;

/** The retained messages by topic; beyond its bounds the oldest are dropped. */
export class Retained {
  readonly #envelope: Envelope;
  readonly #byTopic = new Map<string, StoredPacket>();
  #bytes = 0;

  constructor(envelope: Envelope) {
    this.#envelope = envelope;
  }

  /** Takes a message in place of the last one; one without a payload only takes that away (MQTT 5, section 3.3.1.3). */
  set(topic: string, packet: StoredPacket): void {
    this.#remove(topic);
    const payload = packet.payload ?? Buffer.alloc(0);
    if (this.#envelope.open(payload, 0).payload.length === 0) return;
    // A copy: the payload may be a part of a much larger chunk.
    this.#byTopic.set(topic, { ...packet, payload: Buffer.from(payload) });
    this.#bytes += payload.length;
    while (this.#byTopic.size > MAX_MESSAGES || this.#bytes > MAX_BYTES) {
      const [oldest] = this.#byTopic.keys();
      if (oldest === undefined) break;
      this.#remove(oldest);
    }
  }

  *match(filters: readonly string[]): Iterable<StoredPacket> {
    for (const filter of filters) {
      if (!isWild(filter)) {
        const packet = this.#byTopic.get(filter);
        if (packet !== undefined) yield packet;
        continue;
      }
      for (const [topic, packet] of this.#byTopic) if (filterTakes(filter, topic)) yield packet;
    }
  }

  save(): readonly StoredPacket[] {
    return [...this.#byTopic.values()];
  }

  restore(saved: readonly StoredPacket[]): void {
    this.#byTopic.clear();
    this.#bytes = 0;
    for (const packet of saved) this.set(packet.topic ?? '', packet);
  }

  #remove(topic: string): void {
    const packet = this.#byTopic.get(topic);
    if (packet === undefined) return;
    this.#byTopic.delete(topic);
    this.#bytes -= packet.payload?.length ?? 0;
  }
}
