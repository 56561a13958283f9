import type { Clock } from '@backlot/core/plugin';
import { hasExpired, type Envelope } from './envelope.js';
import type { StoredPacket } from './message-queue.js';
import { TopicTree, type Place } from './topic-tree.js';

const MAX_MESSAGES = 100_000;
const MAX_BYTES = 256 * 1024 * 1024;
/** Levels of all topics, those that they begin with in common counted once. */
const MAX_LEVELS = 500_000;

interface Kept {
  readonly packet: StoredPacket;
  readonly place: Place<StoredPacket>;
}

/** The retained messages by topic; beyond its bounds the oldest are dropped. */
export class Retained {
  readonly #envelope: Envelope;
  readonly #clock: Clock;
  readonly #byTopic = new Map<string, Kept>();
  readonly #tree = new TopicTree<StoredPacket>();
  #bytes = 0;

  constructor(envelope: Envelope, clock: Clock) {
    this.#envelope = envelope;
    this.#clock = clock;
  }

  /** Takes a message in place of the last one; one without a payload only takes that away (MQTT 5, section 3.3.1.3). */
  set(topic: string, packet: StoredPacket): void {
    const payload = packet.payload ?? Buffer.alloc(0);
    if (this.#envelope.open(payload, 0).payload.length === 0) {
      this.#remove(topic);
      return;
    }
    // A copy: the payload may be a part of a much larger chunk.
    const kept = { ...packet, payload: Buffer.from(payload) };
    this.#replace(topic, kept);
    this.#bytes += payload.length;
    while (this.#byTopic.size > MAX_MESSAGES || this.#bytes > MAX_BYTES || this.#tree.levels > MAX_LEVELS) {
      const [oldest] = this.#byTopic.keys();
      if (oldest === undefined) break;
      this.#remove(oldest);
    }
  }

  /**
   * The messages that at least one filter takes, each once; `undefined` wherever others may be let in. Only topics that a
   * filter can take are looked at. What has expired goes.
   */
  *match(filters: readonly string[]): Generator<StoredPacket | undefined, undefined> {
    for (const packet of this.#tree.match(filters)) {
      const expiresAt = packet?.payload === undefined ? 0 : this.#envelope.expiryAt(packet.payload);
      if (hasExpired(expiresAt, this.#clock.now())) this.#remove(packet?.topic ?? '');
      else yield packet;
    }
  }

  /** How many are kept, those that have expired and were not removed yet among them. */
  get size(): number {
    return this.#byTopic.size;
  }

  /** The topics, the longest unchanged first. */
  topics(): Iterable<string> {
    return this.#byTopic.keys();
  }

  /** The message of a topic, unless it has expired. */
  get(topic: string): StoredPacket | undefined {
    const packet = this.#byTopic.get(topic)?.packet;
    const expiresAt = packet?.payload === undefined ? 0 : this.#envelope.expiryAt(packet.payload);
    return hasExpired(expiresAt, this.#clock.now()) ? undefined : packet;
  }

  /** Takes the message of a topic away. */
  remove(topic: string): void {
    this.#remove(topic);
  }

  save(): readonly StoredPacket[] {
    return Array.from(this.#byTopic.values(), ({ packet }) => packet);
  }

  restore(saved: readonly StoredPacket[]): void {
    for (const { place } of this.#byTopic.values()) this.#tree.remove(place);
    this.#byTopic.clear();
    this.#bytes = 0;
    for (const packet of saved) this.set(packet.topic ?? '', packet);
  }

  /** A message that is replaced keeps its place, and becomes the newest. */
  #replace(topic: string, packet: StoredPacket): void {
    const known = this.#byTopic.get(topic);
    if (known !== undefined) {
      this.#byTopic.delete(topic);
      this.#bytes -= known.packet.payload?.length ?? 0;
      known.place.value = packet;
    }
    this.#byTopic.set(topic, { packet, place: known?.place ?? this.#tree.set(topic, packet) });
  }

  #remove(topic: string): void {
    const known = this.#byTopic.get(topic);
    if (known === undefined) return;
    this.#byTopic.delete(topic);
    this.#tree.remove(known.place);
    this.#bytes -= known.packet.payload?.length ?? 0;
  }
}
